#include "training/history.hpp"

#include <gradus/data/perplexity.hpp>
#include <gradus/files/input.hpp>
#include <gradus/plot/curves.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "files/file_type.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::ordered_json;

Json json(const History::Training& entry) {
  return {{"step", entry.step},
          {"loss", entry.loss},
          {"cross_entropy", entry.cross_entropy},
          {"gradient_norm", entry.gradient_norm},
          {"learning_rate", entry.learning_rate},
          {"tokens_per_second", entry.tokens_per_second}};
}

Json json(const History::Evaluation& entry) {
  Json object = {
      {"step", entry.step}, {"dev_loss", entry.loss}, {"dev_perplexity", data::perplexity(entry.loss, 1)}};
  if (!std::isnan(entry.bleu)) object["dev_bleu"] = entry.bleu;
  if (!std::isnan(entry.exact)) object["dev_exact"] = entry.exact;
  object["score"] = entry.score;
  object["best"] = entry.best;
  object["seconds"] = entry.seconds;
  return object;
}

double number(const Json& object, const char* name) {
  return object.contains(name) && object[name].is_number() ? object[name].get<double>() : std::nan("");
}

}  // namespace

const History::Evaluation* History::best() const {
  const auto found = std::find_if(evaluations_.rbegin(), evaluations_.rend(), std::mem_fn(&Evaluation::best));
  return found == evaluations_.rend() ? nullptr : &*found;
}

void History::forget_best() {
  for (Evaluation& entry : evaluations_) entry.best = false;
}

std::string History::text() const {
  std::string lines;
  auto evaluation = evaluations_.begin();
  const auto evaluations_before = [&](std::int64_t step) {
    for (; evaluation != evaluations_.end() && evaluation->step < step; ++evaluation) {
      lines += json(*evaluation).dump() + '\n';
    }
  };
  for (const Training& entry : training_) {
    evaluations_before(entry.step);
    lines += json(entry).dump() + '\n';
  }
  evaluations_before(std::numeric_limits<std::int64_t>::max());
  return lines;
}

History History::read(const std::filesystem::path& path, std::int64_t up_to_step) {
  History history;
  if (!is_there(path)) return history;
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    fail("log", "'", path.string(), "' is not a regular file; remove it and resume again");
  }
  std::ifstream file(path);
  if (!file) files::refuse_to_open("log", path, errno);
  for (std::string line; std::getline(file, line);) {
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("step") || !object["step"].is_number_integer()) {
      ++history.damaged_lines_;
      continue;
    }
    const auto step = object["step"].get<std::int64_t>();
    if (step > up_to_step) continue;
    if (object.contains("dev_loss")) {
      history.add(Evaluation{.step = step,
                             .loss = number(object, "dev_loss"),
                             .bleu = number(object, "dev_bleu"),
                             .exact = number(object, "dev_exact"),
                             .score = number(object, "score"),
                             .best = object.contains("best") && object["best"] == true,
                             .seconds = number(object, "seconds")});
    } else {
      history.add(Training{.step = step,
                           .loss = number(object, "loss"),
                           .cross_entropy = number(object, "cross_entropy"),
                           .gradient_norm = number(object, "gradient_norm"),
                           .learning_rate = number(object, "learning_rate"),
                           .tokens_per_second = number(object, "tokens_per_second")});
    }
  }
  return history;
}

std::string History::curves() const {
  plot::Curves curves{
      .title = "Loss", .x_label = "update", .y_label = "cross-entropy, nats per token", .log_y = true};
  plot::Series training{.name = "training"}, held_out{.name = "held out"};
  for (const Training& entry : training_) {
    training.x.push_back(static_cast<double>(entry.step));
    training.y.push_back(entry.cross_entropy);
  }
  for (const Evaluation& entry : evaluations_) {
    held_out.x.push_back(static_cast<double>(entry.step));
    held_out.y.push_back(entry.loss);
  }
  for (plot::Series* series : {&training, &held_out}) {
    if (!series->x.empty()) curves.series.push_back(*series);
  }
  return plot::svg(curves);
}

}  // namespace gradus::tools
