#include "exhaustive.hpp"

#include <gradus/data/match_count.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include "outputs.hpp"

namespace tutorial {

namespace data = gradus::data;
namespace models = gradus::models;

namespace {

using Tokens = std::vector<std::int64_t>;
using Score = std::function<double(const models::Decoded&)>;

// All strings of `length` symbols.
std::vector<Tokens> all_strings(const data::Reversal& task, std::int64_t length) {
  if (length == 0) return {{}};
  std::vector<Tokens> all;
  for (const Tokens& shorter : all_strings(task, length - 1)) {
    for (std::int64_t symbol = data::first_symbol; symbol < task.vocabulary_size(); ++symbol) {
      all.push_back(shorter);
      all.back().insert(all.back().begin(), symbol);
    }
  }
  return all;
}

// For the source of each pair: the best score among all outputs of at most `longest` symbols.
std::vector<double> best_scores(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                                const data::Reversal& task, std::int64_t longest, const Score& score) {
  std::vector<Tokens> outputs;
  for (std::int64_t length = 0; length <= longest; ++length) {
    for (Tokens& y : all_strings(task, length)) {
      y.push_back(data::eos);
      outputs.push_back(y);
    }
  }
  std::vector<double> best;
  for (const data::Pair& pair : pairs) {
    std::vector<data::Pair> asked;
    for (const Tokens& y : outputs) asked.push_back({pair.source, y});
    std::vector<double> scores;
    for (const models::Forced& y : models::force_decode(model, asked)) scores.push_back(score(y));
    best.push_back(std::ranges::max(scores));
  }
  return best;
}

}  // namespace

Table beside_all_outputs(const models::Seq2Seq& model, const data::Reversal& task, const Score& score,
                         const std::vector<std::int64_t>& widths,
                         const std::function<models::Search(std::int64_t width)>& beam_of) {
  std::vector<data::Pair> pairs;
  for (const Tokens& source : all_strings(task, task.max_length())) pairs.push_back(task.make(source));
  const std::int64_t longest = task.max_length() + 1;
  const std::vector<double> best = best_scores(model, pairs, task, longest, score);

  Table table{.name = "exhaustive", .rows_are = "width", .columns = {"found the best", "mean score"}};
  for (const std::int64_t width : widths) {
    const auto found = best_outputs(model, pairs, beam_of(width), longest + 1);
    data::MatchCount is_best;
    double sum = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      is_best.add(found[i].score > best[i] - 1e-4);  // 1e-4 allows for rounding
      sum += found[i].score / static_cast<double>(pairs.size());
    }
    table.rows.push_back({std::to_string(width), {is_best.fraction(), sum}});
  }
  const double mean = std::accumulate(best.begin(), best.end(), 0.0) / static_cast<double>(best.size());
  table.rows.push_back({"all outputs", {1, mean}});
  return table;
}

}  // namespace tutorial
