#include "training/dev_scores.hpp"

#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "reports/measure.hpp"
#include "training/shard.hpp"

namespace gradus::tools {
namespace {

// The numbers of one part of the pairs (see score()): the part's contribution to the mean loss, the number of
// exact matches, BLEU's two lengths, and BLEU's two counts for each order of n-grams. Doubles hold the counts
// exactly.
constexpr std::size_t orders = 4, width = 4 + 2 * orders;
using Part = std::span<double, width>;

void write(const Scores& scores, Part part) {
  const data::BleuCounts& bleu = scores.bleu_counts;
  part[1] = static_cast<double>(scores.exact.right);
  part[2] = static_cast<double>(bleu.hypothesis_length);
  part[3] = static_cast<double>(bleu.reference_length);
  std::ranges::copy(bleu.counts, part.begin() + 4);
  std::ranges::copy(bleu.totals, part.begin() + 4 + orders);
}

double bleu_of(Part sum) {
  const auto integers = [&](std::size_t first) {
    return std::vector<std::int64_t>(sum.begin() + first, sum.begin() + first + orders);
  };
  return data::bleu_score({.counts = integers(4),
                           .totals = integers(4 + orders),
                           .hypothesis_length = static_cast<std::int64_t>(sum[2]),
                           .reference_length = static_cast<std::int64_t>(sum[3])})
      .score;
}

double tokens_of(std::span<const data::Pair> pairs) {
  std::int64_t tokens = 0;
  for (const data::Pair& pair : pairs) tokens += std::ssize(pair.target);
  return static_cast<double>(tokens);
}

}  // namespace

DevScores score(models::Seq2Seq& model, const DevPairs& dev, bool translates, std::int64_t shards,
                distributed::Communicator& processes) {
  model.eval();
  std::vector<double> numbers(static_cast<std::size_t>(shards) * width);
  const auto part = [&](std::int64_t shard) {
    return Part(numbers.data() + static_cast<std::size_t>(shard) * width, width);
  };
  const double tokens = tokens_of(dev.ids);
  for (std::int64_t shard = processes.rank(); shard < shards; shard += processes.size()) {
    const std::vector<data::Pair> ids = elements_of(dev.ids, shard, shards);
    if (!ids.empty()) part(shard)[0] = models::evaluate_loss(model, ids) * (tokens_of(ids) / tokens);
    const std::vector<data::SentencePair> text = elements_of(dev.text, shard, shards);
    if (translates && !text.empty()) write(measure(model, dev.sides, text, models::greedy()), part(shard));
  }
  distributed::sum(processes, std::span(numbers));
  const Part total = part(0);
  for (std::int64_t shard = 1; shard < shards; ++shard) {
    for (std::size_t i = 0; i < width; ++i) total[i] += part(shard)[i];
  }
  if (!translates) return {total[0], std::nan(""), std::nan("")};
  return {total[0], bleu_of(total), total[1] / static_cast<double>(dev.text.size())};
}

}  // namespace gradus::tools
