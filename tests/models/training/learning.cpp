// The tutorials' claims. Bahdanau's model learns to reverse new strings of every length that occurs in
// training, with correct alignments. A model with a fixed context is far worse at the longest length.

#include <gradus/data/alignment_score.hpp>
#include <gradus/data/exact_match.hpp>
#include <gradus/data/reversal.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/train.hpp>

#include <map>

#include "autograd/memory/sanitizers.hpp"
#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;

#if defined(NDEBUG)
constexpr bool slow_build = gradus::sanitized;  // with a sanitizer, the tests would run for minutes
#else
constexpr bool slow_build = true;
#endif

namespace {

const data::Reversal task(10, 3, 12);

data::UniformIndex indices(std::uint64_t seed) {
  return [generator = gradus::Generator(seed)](std::uint64_t n) mutable { return generator.below(n); };
}

// Trains the model for 1000 steps. The seed determines every bit of the result.
Model trained(Model model, std::uint64_t seed) {
  const auto next_batch = [uniform = indices(1000 + seed)] {
    std::vector<data::Pair> pairs;
    for (int i = 0; i < 64; ++i) pairs.push_back(task.sample_training(uniform));
    return data::make_batch(pairs);
  };
  models::train(*model, next_batch, {.steps = 1000});
  return model;
}

struct Scores {
  std::map<std::int64_t, double> exact;  // by length: the fraction reversed without a mistake
  data::AlignmentScore alignment;        // over the first `length` steps of each output
};

Scores test(const models::Seq2Seq& model, std::uint64_t seed) {
  Scores scores;
  for (std::int64_t length = task.min_length(); length <= task.max_length(); ++length) {
    const auto pairs = task.held_out_pairs(length, indices(2000 + seed));
    const auto decoded = models::greedy(model, pairs);
    data::MatchCount matches;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ++matches.count;
      matches.right += data::matches_exactly(decoded[i].tokens, pairs[i].target);
      const std::int64_t symbols = std::min(length, std::ssize(decoded[i].tokens));
      for (std::int64_t t = 0; t < symbols && decoded[i].weights.defined(); ++t) {
        scores.alignment.add(decoded[i].weights[t].values<float>(), length - 1 - t);
      }
    }
    scores.exact[length] = matches.fraction();
  }
  return scores;
}

void check_learning(std::uint64_t seed) {
  if (slow_build) {
    WARN("skipped: would take minutes in this build");
    return;
  }
  const models::ModelSizes sizes{
      .vocabulary = task.vocabulary_size(), .embedding = 32, .hidden = 64, .energy = 64};
  gradus::seed(seed);
  const Scores bahdanau = test(*trained(models::make_bahdanau(sizes), seed), seed);
  gradus::seed(seed);
  const Scores fixed = test(*trained(models::make_fixed_context(sizes), seed), seed);

  for (const auto& [length, exact] : bahdanau.exact) {
    INFO("exact match at length " << length);
    CHECK(exact >= 0.99);
  }
  CHECK(bahdanau.alignment.accuracy() >= 0.98);
  CHECK(fixed.exact.at(12) <= bahdanau.exact.at(12) - 0.6);
}

}  // namespace

TEST_CASE("attention learns to reverse, seed 1", "[models][learning]") { check_learning(1); }
TEST_CASE("attention learns to reverse, seed 2", "[models][learning]") { check_learning(2); }
TEST_CASE("attention learns to reverse, seed 3", "[models][learning]") { check_learning(3); }
