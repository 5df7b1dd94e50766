#include "outputs.hpp"

#include <gradus/data/bleu.hpp>
#include <gradus/data/exact_match.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>
#include <cmath>

namespace tutorial {

namespace data = gradus::data;
namespace models = gradus::models;

namespace {

using Tokens = std::vector<std::int64_t>;

// The tokens as text without <eos>, for BLEU.
std::string words(Tokens tokens, const data::Reversal& task) {
  std::erase(tokens, data::eos);
  return task.text(tokens);
}

}  // namespace

std::vector<models::Decoded> best_outputs(const models::Seq2Seq& model, std::span<const data::Pair> pairs,
                                          const models::Search& search, const models::MaxSteps& max_steps) {
  std::vector<Tokens> sources;
  for (const data::Pair& pair : pairs) sources.push_back(pair.source);
  std::vector<models::Decoded> best;
  for (const auto& found : models::decode(model, sources, search, {.max_steps = max_steps})) {
    best.push_back(found.front());
  }
  return best;
}

double Step::largest() const { return *std::ranges::max_element(p); }

std::vector<Step> steps_by_sureness(const models::Seq2Seq& model, const data::Pair& pair,
                                    const data::Reversal& task) {
  const Tokens written = models::greedy(model, {&pair, 1})[0].tokens;
  std::vector<Step> steps;
  for (auto end = written.begin(); end != written.end(); ++end) {
    const Tokens y(written.begin(), end);
    steps.push_back(
        {.title = "source " + task.text(pair.source) + ", written " + (y.empty() ? "–" : task.text(y)),
         .next = {},
         .p = {}});
    std::vector<data::Pair> asked;
    for (std::int64_t token = data::eos; token < task.vocabulary_size(); ++token) {
      steps.back().next.push_back(task.token_text(token));
      asked.push_back({pair.source, y});
      asked.back().target.push_back(token);
    }
    for (const models::Forced& longer : models::force_decode(model, asked)) {
      steps.back().p.push_back(std::exp(longer.token_log_probabilities.back()));
    }
  }
  std::ranges::stable_sort(steps, std::ranges::less(), &Step::largest);
  return steps;
}

std::vector<double> quality(const std::vector<models::Decoded>& written, const std::vector<data::Pair>& pairs,
                            const std::vector<models::Forced>& truth, const data::Reversal& task) {
  data::MatchCount exact, missed;
  data::BleuCounts bleu;
  double log_p = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const models::Decoded& y = written[i];
    const std::vector<std::string> reference = {words(pairs[i].target, task)};
    exact.add(data::matches_exactly(y.tokens, pairs[i].target));
    missed.add(y.log_probability < truth[i].log_probability - 1e-4);  // 1e-4 allows for rounding
    bleu += data::bleu_counts(words(y.tokens, task), reference);
    log_p += y.log_probability;
    tokens += std::ssize(y.tokens);
  }
  return {exact.fraction(), data::bleu_score(bleu).score, log_p / static_cast<double>(pairs.size()),
          data::perplexity(-log_p, tokens), missed.fraction()};
}

}  // namespace tutorial
