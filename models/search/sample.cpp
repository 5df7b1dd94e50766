#include <gradus/models/sample.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/allowed.hpp"
#include "search/source_search.hpp"
#include "search/steps.hpp"

namespace gradus::models {
namespace {

void check(const SamplingOptions& options) {
  check("sample", options.constraints);
  if (!(options.temperature > 0)) {
    fail("sample", "the temperature must be above 0, and is ", options.temperature,
         "; for the likeliest tokens, use greedy()");
  }
  if (!std::isfinite(options.temperature)) {
    fail("sample", "the temperature must be finite, and is ", options.temperature);
  }
  if (options.top_k < 0) fail("sample", "top_k must be at least 0 (all tokens), and is ", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    fail("sample", "top_p must be above 0 and at most 1 (all tokens), and is ", options.top_p);
  }
}

struct Choice {
  double weight;  // unnormalised probability; 1 for the likeliest token
  std::int64_t token;
};

// A strict order: on ties, the lower token id comes first.
bool likelier(const Choice& a, const Choice& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

double total(const std::vector<Choice>& choices) {
  double sum = 0;
  for (const Choice& choice : choices) sum += choice.weight;
  return sum;
}

std::vector<Choice> tempered(std::span<const float> log_probabilities, double temperature) {
  const double largest = std::ranges::max(log_probabilities);
  std::vector<Choice> choices;
  choices.reserve(log_probabilities.size());
  for (const float log_p : log_probabilities) {
    choices.push_back(
        {std::exp((log_p - largest) / temperature), Prediction::first_written + std::ssize(choices)});
  }
  return choices;
}

void keep_top_k(std::vector<Choice>& choices, std::int64_t k) {
  if (k == 0 || k >= std::ssize(choices)) return;
  std::nth_element(choices.begin(), choices.begin() + k, choices.end(), likelier);
  choices.resize(static_cast<std::size_t>(k));
}

void keep_nucleus(std::vector<Choice>& choices, double p) {
  if (p == 1) return;
  const double enough = p * total(choices);
  std::vector<Choice> kept;
  const auto less_likely = [](const Choice& a, const Choice& b) { return likelier(b, a); };
  // A heap instead of a sort: usually only a few tokens are popped.
  std::make_heap(choices.begin(), choices.end(), less_likely);
  double sum = 0;
  do {
    std::pop_heap(choices.begin(), choices.end(), less_likely);
    kept.push_back(choices.back());
    choices.pop_back();
    sum += kept.back().weight;
  } while (sum < enough && !choices.empty());
  choices = std::move(kept);
}

std::int64_t draw(const std::vector<Choice>& choices, Generator& generator) {
  double left = generator.uniform() * total(choices);
  for (const Choice& choice : choices) {
    left -= choice.weight;
    if (left < 0) return choice.token;
  }
  return std::ranges::min(choices, likelier).token;  // reached only through rounding
}

std::int64_t draw(const Allowed& allowed, const SamplingOptions& options, Generator& generator) {
  std::vector<Choice> choices = tempered(allowed.log_probabilities(), options.temperature);
  keep_top_k(choices, options.top_k);
  keep_nucleus(choices, options.top_p);
  return draw(choices, generator);
}

// Samples each source b with generators[b].
std::vector<Decoded> sample_each(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                 const SamplingOptions& options, std::vector<Generator>& generators,
                                 const MaxSteps& max_steps) {
  return write_tokens(
      model, source, lengths, steps_of(max_steps, weight_columns(model, lengths)),
      [&](const Prediction& next, std::int64_t row, std::int64_t of, std::span<const std::int64_t> written) {
        return draw(Allowed(next, row, written, options.constraints), options,
                    generators[static_cast<std::size_t>(of)]);
      });
}

}  // namespace

Choose choose_at_random(const SamplingOptions& options, const Generator& generator) {
  return [options, own = generator](const Prediction& next, std::int64_t row, std::int64_t /*source*/,
                                    std::span<const std::int64_t> written) mutable {
    return draw(Allowed(next, row, written, options.constraints), options, own);
  };
}

std::vector<Decoded> sample(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                            const SamplingOptions& options, Generator& generator, const MaxSteps& max_steps) {
  check(options);
  std::vector<Generator> generators;  // one per source
  for (std::int64_t b = 0; b < lengths.size(0); ++b) generators.push_back(generator.split());
  return sample_each(model, source, lengths, options, generators, max_steps);
}

Search sample(const SamplingOptions& options, const Generator& generator) {
  check(options);
  return [options, own = generator](const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                    const MaxSteps& max_steps) mutable {
    return one_each(sample(model, source, lengths, options, own, max_steps));
  };
}

Search sample(const SamplingOptions& options, std::vector<Generator> generators) {
  check(options);
  return [options, generators = std::move(generators)](const Ensemble& model, const Tensor& source,
                                                       const Tensor& lengths, const MaxSteps& max_steps) {
    if (std::ssize(generators) != lengths.size(0)) {
      fail("sample", "found ", generators.size(), " generators for ", lengths.size(0),
           " sources; give one per source");
    }
    std::vector<Generator> own = generators;
    return one_each(sample_each(model, source, lengths, options, own, max_steps));
  };
}

SearchSteps sample_steps(const SamplingOptions& options, const Generator& generator) {
  check(options);
  return [options, generator](const WeightColumns& source, const MaxSteps& max_steps) {
    Generator all = generator;  // a copy, because split() changes it; sample() splits, too
    return search_by_choice(source, max_steps.of(source.count), choose_at_random(options, all.split()));
  };
}

}  // namespace gradus::models
