#include "results.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tutorial {

std::string table(const std::vector<Result>& results) {
  std::ostringstream text;
  text << "  length  sources";
  for (const Result& result : results) text << std::setw(16) << result.name;
  text << '\n';
  for (const auto& [length, first] : results.front().scores) {
    text << std::setw(8) << length << std::setw(9) << first.exact.count;
    for (const Result& result : results)
      text << std::setw(16) << decimals(result.scores.at(length).exact.fraction());
    text << '\n';
  }
  return text.str();
}

std::string json(const std::string& program, const Options& options, const std::vector<Result>& results) {
  nlohmann::ordered_json document = {{"program", program}, {"seed", options.seed}};
  for (const Result& result : results) {
    nlohmann::ordered_json model = {{"steps", result.training.losses.size()},
                                    {"train_seconds", result.training.seconds},
                                    {"final_loss", result.training.losses.back()}};
    for (const auto& [length, score] : result.scores) {
      nlohmann::ordered_json row = {{"sources", score.exact.count}, {"right", score.exact.right}};
      if (score.alignment.steps > 0) {
        row["alignment"] = {{"steps", score.alignment.steps},
                            {"right", score.alignment.right},
                            {"weight_sum", score.alignment.weight_sum}};
      }
      model["by_length"][std::to_string(length)] = row;
    }
    document["models"][result.name] = model;
  }
  return document.dump(2) + "\n";
}

gradus::data::AlignmentScore alignment(const Scores& scores, std::int64_t longest) {
  gradus::data::AlignmentScore total{};
  for (const auto& [length, score] : scores) {
    if (length <= longest) total += score.alignment;
  }
  return total;
}

}  // namespace tutorial
