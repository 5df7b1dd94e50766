#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/beam_search.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/batch_parts.hpp"
#include "search/allowed.hpp"
#include "search/rows.hpp"
#include "search/source_search.hpp"
#include "search/steps.hpp"

namespace gradus::models {
namespace {

void check(const BeamOptions& options) {
  check("beam_search", options.constraints);
  if (options.width < 1) fail("beam_search", "the width must be at least 1, and is ", options.width);
  if (options.n_best < 1 || options.n_best > options.width) {
    fail("beam_search", "n_best must be at least 1 and at most the width, ", options.width, ", and is ",
         options.n_best);
  }
  for (const auto& [name, value] :
       {std::pair{"length", options.length_penalty}, {"coverage", options.coverage_penalty}}) {
    if (value >= 0 && std::isfinite(value)) continue;
    fail("beam_search", "the ", name, " penalty must be finite and at least 0, and is ", value);
  }
}

double length_penalty(std::int64_t length, double alpha) {
  return std::pow((5 + static_cast<double>(length)) / 6, alpha);
}

// cp(x, y) / β (see beam_search.hpp) for weights (tokens, columns).
double coverage(const Tensor& weights) {
  const auto T = static_cast<std::size_t>(weights.size(1));
  std::vector<double> attended(T, 0.0);  // Σ_j p_ij
  const std::span<const float> p = weights.values<float>();
  for (std::size_t at = 0; at < p.size(); ++at) attended[at % T] += p[at];
  double sum = 0;
  for (const double x : attended)
    sum += std::log(std::clamp<double>(x, std::numeric_limits<float>::min(), 1));
  return sum;
}

// A token, linked to the previous token of its hypothesis.
struct Backpointer {
  std::int64_t before;  // index of the previous token's backpointer; none_before for BOS
  std::int64_t token;
  std::int64_t row;  // row of the prediction from which the token was chosen
  double log_probability;
};
constexpr std::int64_t none_before = -1;

struct Hypothesis {
  std::int64_t last;  // index of the backpointer of its last token
  double log_probability;
  double score = 0;  // set when the hypothesis is complete, or by results()
};

// A candidate extension of a hypothesis by one token.
struct Continuation {
  double log_probability;  // log-probability of the extended hypothesis
  std::size_t hypothesis;
  std::int64_t token;
};

// A strict total order, so that ties are broken in the same way on every machine.
bool better(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.hypothesis != b.hypothesis ? a.hypothesis < b.hypothesis : a.token < b.token;
}

// The best `width` continuations with a probability above 0, best first. allowed(i) gives the tokens that may
// follow hypothesis i.
template <class AllowedAfter>
std::vector<Continuation> best_continuations(const std::vector<Hypothesis>& alive, std::int64_t width,
                                             const AllowedAfter& allowed) {
  std::vector<Continuation> best;  // heap with the worst continuation in front
  for (std::size_t i = 0; i < alive.size(); ++i) {
    const Allowed tokens = allowed(i);
    std::int64_t token = Prediction::first_written;
    for (const float log_p : tokens.log_probabilities()) {
      const Continuation one{alive[i].log_probability + log_p, i, token++};
      if (std::ssize(best) == width) {
        if (one.log_probability <= best.front().log_probability) continue;  // on ties, the earlier one wins
        std::pop_heap(best.begin(), best.end(), better);
        best.pop_back();
      } else if (std::isinf(log_p)) {
        continue;
      }
      best.push_back(one);
      std::push_heap(best.begin(), best.end(), better);
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
  return best;
}

// The beam search of one source.
class Beam final : public SourceSearch {
 public:
  Beam(const WeightColumns& columns, std::int64_t max_steps, const BeamOptions& options)
      : options_(options), columns_(columns), max_steps_(max_steps) {
    backpointers_.push_back({.before = none_before, .token = data::bos, .row = 0, .log_probability = 0});
    alive_.push_back({.last = 0, .log_probability = 0});
  }

  bool done() const override {
    if (alive_.empty() || steps() >= max_steps_) return true;
    if (std::ssize(ended_) < options_.n_best) return false;
    // An upper bound of the score that a live hypothesis can reach: log-probabilities only fall, length
    // penalties only grow, and coverage terms are at most 0.
    const double bound = alive_.front().log_probability / length_penalty(max_steps_, options_.length_penalty);
    return ended_.back().score >= bound;
  }

  void put_inputs(std::int64_t first_row, std::vector<std::int64_t>& rows,
                  std::vector<std::int64_t>& tokens) const override {
    if (steps() == 0) {
      rows.push_back(first_row);
      tokens.push_back(data::bos);
      return;
    }
    for (std::int64_t i = 0; i < options_.width; ++i) {
      // Every source keeps `width` rows, so that the memory need not be copied. If the source has fewer live
      // hypotheses, copies of the first hypothesis fill the other rows.
      const std::size_t own = i < std::ssize(alive_) ? static_cast<std::size_t>(i) : 0;
      const Backpointer& last = backpointer(alive_[own].last);
      rows.push_back(last.row);
      tokens.push_back(last.token);
    }
  }

  void read(const Prediction& next, std::int64_t first_row) override {
    weights_.push_back(next.weights());
    const std::vector<Hypothesis> before = std::exchange(alive_, {});
    const auto allowed = [&](std::size_t i) {
      return Allowed(next, first_row + static_cast<std::int64_t>(i), written(before[i]),
                     options_.constraints);
    };
    for (const Continuation& one : best_continuations(before, options_.width, allowed)) {
      const std::int64_t row = first_row + static_cast<std::int64_t>(one.hypothesis);
      backpointers_.push_back({.before = before[one.hypothesis].last,
                               .token = one.token,
                               .row = row,
                               .log_probability = next.log_probability(row, one.token)});
      const Hypothesis longer{.last = std::ssize(backpointers_) - 1, .log_probability = one.log_probability};
      if (one.token == data::eos) {
        end(longer);
      } else {
        alive_.push_back(longer);
      }
    }
  }

  std::vector<Decoded> results() const override {
    std::vector<Decoded> list;
    for (const Hypothesis& hypothesis : ended_) list.push_back(decoded(hypothesis));
    if (std::ssize(list) == options_.n_best) return list;
    std::vector<Hypothesis> incomplete = alive_;
    if (steps() > 0) {
      for (Hypothesis& hypothesis : incomplete) hypothesis.score = score(hypothesis);
    }
    // alive_ is sorted by log-probability. With a coverage penalty, the order by score can differ.
    std::ranges::stable_sort(incomplete, std::ranges::greater(), &Hypothesis::score);
    for (const Hypothesis& hypothesis : incomplete) {
      if (std::ssize(list) == options_.n_best) break;
      list.push_back(decoded(hypothesis));
    }
    return list;
  }

 private:
  // The tokens of a hypothesis; empty if the constraints do not need them.
  std::vector<std::int64_t> written(const Hypothesis& hypothesis) const {
    std::vector<std::int64_t> tokens;
    if (options_.constraints.min_length == 0 && options_.constraints.no_repeat_ngram == 0) return tokens;
    for (const Backpointer* at = &backpointer(hypothesis.last); at->before != none_before;
         at = &backpointer(at->before)) {
      tokens.push_back(at->token);
    }
    std::ranges::reverse(tokens);
    return tokens;
  }

  void end(Hypothesis hypothesis) {
    hypothesis.score = score(hypothesis);
    const auto place =
        std::ranges::upper_bound(ended_, hypothesis.score, std::greater<>{}, &Hypothesis::score);
    ended_.insert(place, hypothesis);
    if (std::ssize(ended_) > options_.n_best) ended_.pop_back();
  }

  double score(const Hypothesis& hypothesis) const {
    const double normalised = hypothesis.log_probability / length_penalty(steps(), options_.length_penalty);
    if (options_.coverage_penalty == 0) return normalised;
    const Tensor weights = decoded(hypothesis).weights;
    if (!weights.defined()) {
      fail("beam_search", "the coverage penalty is ", options_.coverage_penalty,
           ", but the decoder gives no attention weights; set it to 0");
    }
    return normalised + options_.coverage_penalty * coverage(weights);
  }

  Decoded decoded(const Hypothesis& hypothesis) const {
    Decoded output;
    output.log_probability = hypothesis.log_probability;
    output.score = hypothesis.score;
    std::vector<std::int64_t> rows;
    for (const Backpointer* at = &backpointer(hypothesis.last); at->before != none_before;
         at = &backpointer(at->before)) {
      output.tokens.push_back(at->token);
      output.token_log_probabilities.push_back(at->log_probability);
      rows.push_back(at->row);
    }
    std::ranges::reverse(output.tokens);
    std::ranges::reverse(output.token_log_probabilities);
    std::ranges::reverse(rows);
    output.weights = alignment(weights_, rows, columns_);
    return output;
  }

  const Backpointer& backpointer(std::int64_t index) const {
    return backpointers_[static_cast<std::size_t>(index)];
  }
  std::int64_t steps() const { return std::ssize(weights_); }  // steps so far

  const BeamOptions options_;
  const WeightColumns columns_;    // of the source
  const std::int64_t max_steps_;   // limit of an output
  std::vector<Hypothesis> alive_;  // best first
  std::vector<Hypothesis> ended_;  // the n best complete hypotheses, best first
  std::vector<Backpointer> backpointers_;
  std::vector<Tensor> weights_;  // per step
};

// Runs the beam searches of all sources of a batch together: each step advances every search.
std::vector<std::vector<Decoded>> search(const Ensemble& model, Starts start,
                                         const std::vector<WeightColumns>& sources,
                                         const BeamOptions& options, const MaxSteps& max_steps) {
  std::vector<Beam> beams;
  for (const WeightColumns& columns : sources) {
    beams.emplace_back(columns, max_steps.of(columns.count), options);
  }
  std::vector<Beam*> running;
  for (Beam& beam : beams) running.push_back(&beam);
  const auto rows_each = [&](std::int64_t step) { return step == 0 ? 1 : options.width; };
  Rows rows_of_sources(std::ssize(beams));
  for_each_step(
      model, std::move(start),
      [&](std::int64_t /*step*/, Starts& at) {
        std::erase_if(running, [](const Beam* beam) { return beam->done(); });
        if (running.empty()) return Tensor();
        std::vector<std::int64_t> rows, tokens;
        for (const Beam* beam : running) beam->put_inputs(beam - beams.data(), rows, tokens);
        rows_of_sources.select(rows, at);
        return tensor(tokens);
      },
      [&](std::int64_t step, const Prediction& next) {
        for (std::size_t i = 0; i < running.size(); ++i) {
          running[i]->read(next, static_cast<std::int64_t>(i) * rows_each(step));
        }
      });
  std::vector<std::vector<Decoded>> results;
  for (const Beam& beam : beams) results.push_back(beam.results());
  return results;
}

}  // namespace

std::shared_ptr<SourceSearch> search_by_beam(const WeightColumns& columns, std::int64_t max_steps,
                                             const BeamOptions& options) {
  return std::make_shared<Beam>(columns, max_steps, options);
}

SearchSteps beam_search_steps(const BeamOptions& options) {
  check(options);
  return [options](const WeightColumns& source, const MaxSteps& max_steps) {
    return search_by_beam(source, max_steps.of(source.count), options);
  };
}

std::vector<std::vector<Decoded>> beam_search(const Ensemble& model, const Tensor& source,
                                              const Tensor& lengths, const BeamOptions& options,
                                              const MaxSteps& max_steps) {
  check(options);
  return by_parts<std::vector<Decoded>>(
      model, source, lengths, [&](const Tensor& some, const Tensor& their_lengths, std::int64_t /*first*/) {
        const NoGrad no_grad;
        return search(model, start(model, some, their_lengths), weight_columns(model, their_lengths), options,
                      max_steps);
      });
}

Search beam_search(const BeamOptions& options) {
  check(options);
  return [options](const Ensemble& model, const Tensor& source, const Tensor& lengths,
                   const MaxSteps& max_steps) {
    return beam_search(model, source, lengths, options, max_steps);
  };
}

}  // namespace gradus::models
