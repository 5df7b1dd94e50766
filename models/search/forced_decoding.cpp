#include <gradus/models/forced_decoding.hpp>

#include <utility>

#include "search/in_batches.hpp"
#include "search/source_search.hpp"

namespace gradus::models {
namespace {

void check_target(const std::vector<std::int64_t>& target, std::size_t pair) {
  for (std::size_t t = 0; t < target.size(); ++t) {
    if (target[t] >= data::first_symbol || (target[t] == data::eos && t + 1 == target.size())) continue;
    fail("force_decode", "target[", t, "] of pair ", pair, " is ", target[t],
         ", but ordinary tokens start at ", data::first_symbol,
         "; leave out PAD (0) and BOS (1), and put EOS (2) at the target's end only");
  }
}

std::int64_t next_of(const std::vector<std::int64_t>& target, std::size_t step, std::size_t pair,
                     const Prediction& next) {
  const std::int64_t token = target[step];
  if (token < next.vocabulary()) return token;
  fail("force_decode", "target[", step, "] of pair ", pair, " is ", token, ", outside the vocabulary of ",
       next.vocabulary(), " tokens");
}

}  // namespace

SearchSteps forced_steps(std::vector<std::int64_t> target) {
  check_target(target, 0);
  return [target = std::move(target)](const WeightColumns& source, const MaxSteps& /*max_steps*/) {
    return search_by_choice(
        source, std::ssize(target),
        [target](const Prediction& next, std::int64_t /*row*/, std::int64_t /*source*/,
                 std::span<const std::int64_t> written) { return next_of(target, written.size(), 0, next); });
  };
}

std::vector<Forced> force_decode(const Ensemble& model, std::span<const data::Pair> pairs,
                                 std::int64_t batch_tokens) {
  Sources sources;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    check_target(pairs[i].target, i);
    sources.emplace_back(pairs[i].source);
  }
  return in_batches<Forced>(
      "force_decode", sources, batch_tokens,
      [&](const SourceBatch& batch, const std::vector<std::size_t>& chosen) {
        std::vector<std::int64_t> steps;
        for (const std::size_t i : chosen) steps.push_back(std::ssize(pairs[i].target));
        std::vector<std::vector<bool>> likeliest(chosen.size());
        auto given = [&](const Prediction& next, std::int64_t row, std::int64_t source,
                         std::span<const std::int64_t> written) {
          const auto b = static_cast<std::size_t>(source);
          const std::int64_t token = next_of(pairs[chosen[b]].target, written.size(), chosen[b], next);
          likeliest[b].push_back(token == next.likeliest(row));
          return token;
        };
        std::vector<Forced> results;
        for (Decoded& output : write_tokens(model, batch.source, batch.lengths, steps, given)) {
          results.push_back({std::move(output), std::move(likeliest[results.size()])});
        }
        return results;
      });
}

}  // namespace gradus::models
