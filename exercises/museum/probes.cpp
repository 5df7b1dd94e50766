#include "probes.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iomanip>
#include <optional>
#include <sstream>

#include "kit/expect.hpp"

namespace museum {

namespace {

using gradus::Dtype;
using gradus::Shape;
using gradus::data::Batch;
using gradus::data::Pair;
using gradus::nn::Annotations;
using gradus::nn::DecoderStep;
using gradus::nn::State;

constexpr Sizes sizes{.vocabulary = 7, .embedding = 5, .hidden = 12, .energy = 9};  // D = 24
constexpr double same = 1e-9;

std::string text(double value) {
  std::ostringstream out;
  out << std::setprecision(2) << value;
  return out.str();
}

double largest(const Tensor& x) { return max(abs(x)).item(); }
double difference(const Tensor& a, const Tensor& b) { return largest(a - b); }

Pair pair(Tokens source, Tokens target) {
  target.push_back(gradus::data::eos);
  return {std::move(source), std::move(target)};
}

Batch batch_of(const std::vector<Pair>& pairs) { return gradus::data::make_batch(pairs); }

Batch usual() {
  return batch_of(
      {pair({3, 4, 5, 6, 3, 5}, {5, 3, 6, 5, 4, 3}), pair({6, 5}, {5, 6}), pair({4, 3, 6}, {6, 3, 4})});
}

Tensor source_of(const Batch& batch) {
  return gradus::tensor(batch.source, {batch.source_steps, batch.size});
}

Annotations encoded(const Subject& subject, const Batch& batch) {
  return subject.encode(source_of(batch), gradus::tensor(batch.source_lengths));
}

// Random annotations. They let a probe test the decoder without an encoder.
Annotations annotations(std::int64_t T, const std::vector<std::int64_t>& lengths, std::uint64_t seed) {
  gradus::Generator generator(seed);
  const auto B = std::ssize(lengths);
  const auto draw = [&](const Shape& shape) { return gradus::normal(shape, 0, 1, generator, Dtype::f64); };
  return {.h = draw({T, B, sizes.annotation()}),
          .lengths = gradus::tensor(lengths),
          .last_forward = draw({B, sizes.hidden}),
          .first_backward = draw({B, sizes.hidden})};
}

Tensor tokens(std::int64_t B, std::int64_t token) {
  return gradus::full({B}, static_cast<double>(token), Dtype::i64);
}

// The weights of one step, (B, T); undefined without attention.
Tensor weights_of(const DecoderStep& decoder, const State& state, const gradus::nn::Memory& memory) {
  return decoder.step(tokens(memory.values.size(1), 3), state, memory).weights;
}

// Says that `what` stays the same, or by how much it changes at most. `what` is the sentence up to the verb.
std::string change(const std::string& what, double moved, bool plural = true) {
  if (moved <= same) return what + (plural ? " do not change." : " does not change.");
  return what + (plural ? " change by up to " : " changes by up to ") + text(moved) + ".";
}

Observation without_attention() { return {false, "The decoder has no attention."}; }

Observation state_stands_still(const Subject& subject) {
  const auto [state, memory] = subject.decoder().start(annotations(5, {5, 4}, 1));
  const DecoderStep::Output first = subject.decoder().step(tokens(2, 3), state, memory),
                            second = subject.decoder().step(tokens(2, 3), first.state, memory);
  const double moved = difference(first.logits, second.logits);
  return {moved <= same, "If the first two steps read the same token, their logits " +
                             (moved <= same ? "are equal." : "differ by up to " + text(moved) + ".")};
}

// Measures the largest weight of a pad and the smallest weight of a real position. Two exhibits give weight
// to pads. One of these two also hides real positions; `hides_real_positions` selects this exhibit.
Observation pads(const Subject& subject, bool hides_real_positions) {
  const std::vector<std::int64_t> lengths = {5, 2, 3};
  const auto [state, memory] = subject.decoder().start(annotations(5, lengths, 1));
  const Tensor weights = weights_of(subject.decoder(), state, memory);
  if (!weights.defined()) return without_attention();
  double on_pads = 0, least = 1;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t t = 0; t < 5; ++t) {
      const double weight = weights[static_cast<std::int64_t>(b)].slice(t, t + 1).item();
      if (t >= lengths[b])
        on_pads = std::max(on_pads, weight);
      else
        least = std::min(least, weight);
    }
  const bool leaks = on_pads > 1e-12, hides = least < 1e-12;
  return {leaks && hides == hides_real_positions,
          "In a batch of several lengths, the largest weight of a pad is " + text(on_pads) +
              ", and the smallest of a real position is " + text(least) + "."};
}

Observation ignores_annotations(const Subject& subject) {
  auto [state, memory] = subject.decoder().start(annotations(5, {5, 5}, 1));
  const auto other = subject.decoder().start(annotations(5, {5, 5}, 2)).memory;
  double moved = 0;
  for (int t = 0; t < 3; ++t) {  // in the first step, a local attention may see only one position
    const Tensor weights = weights_of(subject.decoder(), state, memory);
    if (!weights.defined()) return without_attention();
    moved = std::max(moved, difference(weights, weights_of(subject.decoder(), state, other)));
    state = subject.decoder().step(tokens(2, 3), state, memory).state;
  }
  return {moved <= same, change("With other annotations, the weights of a step", moved)};
}

Observation ignores_state(const Subject& subject) {
  const auto [state, memory] = subject.decoder().start(annotations(5, {5, 5}, 1));
  const State other = subject.decoder().start(annotations(5, {5, 5}, 2)).state;
  const Tensor weights = weights_of(subject.decoder(), state, memory);
  if (!weights.defined()) return without_attention();
  const double moved = difference(weights, weights_of(subject.decoder(), other, memory));
  return {moved <= same, change("With another state, the weights of a step", moved)};
}

// The last position that gets weight in T steps on sentences of length T; nothing without attention.
std::optional<std::int64_t> last_with_weight(const Subject& subject, std::int64_t T) {
  std::int64_t reached = -1;
  auto [state, memory] = subject.decoder().start(annotations(T, {T, T, T}, 1));
  for (std::int64_t t = 0; t < T; ++t) {
    const DecoderStep::Output output = subject.decoder().step(tokens(3, 3 + t % 4), state, memory);
    if (!output.weights.defined()) return std::nullopt;
    state = output.state;
    for (std::int64_t j = reached + 1; j < T; ++j)
      if (largest(output.weights.slice(j, j + 1, 1)) > 1e-12) reached = j;
  }
  return reached;
}

// Finds the last position with weight in a sentence of the longest length that positions_like() supports.
Observation has_maximum(const Subject& subject) {
  constexpr std::int64_t T = sizes.annotation();  // the limit of positions_like(): T ≤ D
  std::optional<std::int64_t> reached;
  try {
    reached = last_with_weight(subject, T);
  } catch (const std::exception& error) {
    last_with_weight(subject, 3);  // throws if the length is not the cause
    return {true, std::string("A sentence of ") + std::to_string(T) + " tokens is an error: " + error.what()};
  }
  if (!reached) return without_attention();
  return {*reached < T / 2, "In a sentence of " + std::to_string(T) +
                                " tokens, the last position that ever gets weight is " +
                                std::to_string(*reached + 1) + "."};
}

Observation knows_no_future(const Subject& subject) {
  const Batch before = batch_of({pair({3, 4, 5, 6}, {3})}), after = batch_of({pair({3, 4, 5, 3}, {3})});
  const double moved = difference(encoded(subject, before).h[0], encoded(subject, after).h[0]);
  return {moved <= same, change("If the last token of a source changes, the first annotation", moved, false)};
}

Observation backward_ends_at_wrong_end(const Subject& subject) {
  const Batch before = batch_of({pair({3, 4, 5, 6}, {3})}), after = batch_of({pair({5, 4, 5, 6}, {3})});
  const double moved =
      difference(encoded(subject, before).first_backward, encoded(subject, after).first_backward);
  return {moved <= same,
          change("If the first token of a source changes, the final state of the backward direction", moved,
                 false)};
}

Observation pads_are_read(const Subject& subject) {
  const Annotations single = encoded(subject, batch_of({pair({6, 5}, {5, 6})})),
                    among = encoded(subject, usual());
  const double moved =
      std::max({difference(single.h.slice(0, 2).slice(0, 1, 1), among.h.slice(0, 2).slice(1, 2, 1)),
                difference(single.last_forward[0], among.last_forward[1]),
                difference(single.first_backward[0], among.first_backward[1])});
  return {moved > same,
          change("If a sentence is encoded in a batch instead of on its own, its states", moved)};
}

Observation sees_the_answer(const Subject& subject) {
  const std::vector<Pair> before = {pair({3, 4, 5}, {3, 4, 5})}, after = {pair({3, 4, 5}, {3, 6, 5})};
  const double moved = difference(subject.forced(batch_of(before))[1], subject.forced(batch_of(after))[1]);
  return {
      moved > same,
      change("In training, if the second token of the target changes, the logits of the second step", moved)};
}

Observation first_is_empty(const Subject& subject) {
  const std::vector<Pair> before = {pair({3, 4, 5}, {3, 4})}, after = {pair({6, 3, 4}, {3, 4})};
  const Tensor first = subject.forced(batch_of(before))[0];
  const double moved = difference(first, subject.forced(batch_of(after))[0]);
  return {moved <= same, change("In training, with another source, the logits of the first step", moved)};
}

// The mean of −ln p(y) over the real tokens, from the logits in training.
double mean_loss(const Subject& subject, const Batch& batch) {
  const Tensor log_p = log_softmax(subject.forced(batch), 2);
  double sum = 0, n = 0;
  for (std::int64_t b = 0; b < batch.size; ++b) {
    for (std::int64_t t = 0; t < batch.target_lengths[static_cast<std::size_t>(b)]; ++t, ++n) {
      const std::int64_t y = batch.target_out[static_cast<std::size_t>(t * batch.size + b)];
      sum -= log_p[t][b].slice(y, y + 1).item();
    }
  }
  return sum / n;
}

// Uses forty random sentences, so that the random model prefers EOS too early in some of them.
Observation loss_ends_early(const Subject& subject) {
  gradus::Generator generator(4);
  std::vector<Pair> pairs;
  for (int i = 0; i < 40; ++i) {
    Tokens y;
    for (std::uint64_t n = 2 + generator.below(5); n > 0; --n)
      y.push_back(3 + static_cast<std::int64_t>(generator.below(4)));
    pairs.push_back(pair(y, y));
  }
  const Batch batch = batch_of(pairs);
  const double loss = subject.loss(batch).item(), mean = mean_loss(subject, batch);
  return {std::abs(loss - mean) > 1e-6, "The loss of a batch is " + text(loss) +
                                            ", and the mean of −ln p over all its tokens is " + text(mean) +
                                            "."};
}

Observation reads_the_target(const Subject& subject) {
  const Tokens source = {3, 4, 5, 6, 3};
  const Tokens one = subject.translate(batch_of({pair(source, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6})}))[0],
               other = subject.translate(batch_of({pair(source, {4, 3, 5, 4, 3, 4, 3, 5, 4, 3})}))[0];
  return {one != other, one == other
                            ? "With another target of the same length, the written output is the same."
                            : "With another target of the same length, the written output changes."};
}

// Checks whether the target's length limits the output: targets of 1, 2 and 3 tokens give outputs of 1, 2 and
// 3 tokens, but a target of 31 tokens gives more than 3.
Observation gets_the_length(const Subject& subject) {
  const auto written = [&](std::size_t n) {
    return subject.translate(batch_of({pair({3, 4, 5, 6, 3}, Tokens(n, 4))}))[0].size();
  };
  const std::size_t longest = written(30);
  bool cut = longest > 3;
  for (const std::size_t n : {0, 1, 2}) cut = cut && written(n) == n + 1;
  return {cut, "If the target has 1, 2 or 31 tokens, the output has " + std::to_string(written(0)) + ", " +
                   std::to_string(written(1)) + " or " + std::to_string(longest) + " tokens."};
}

// Translates some sources, then feeds the written tokens to the forward pass of training. Counts the steps at
// which this pass predicts a token that differs from the written one.
Observation writes_otherwise(const Subject& subject) {
  std::int64_t wrong = 0, all = 0;
  for (const Tokens& source :
       {Tokens{3, 4, 5, 6, 3}, Tokens{6, 6, 3}, Tokens{5, 3, 4, 3, 4, 6}, Tokens{4, 5}}) {
    Batch batch = batch_of({pair(source, {})});
    Tokens y = subject.translate(batch)[0];
    y.resize(std::min<std::size_t>(y.size(), 8));
    batch.target_steps = batch.target_lengths[0] =
        std::ssize(y);  // set by hand, because y may contain special tokens
    batch.target_out = batch.target_in = y;
    std::rotate(batch.target_in.rbegin(), batch.target_in.rbegin() + 1, batch.target_in.rend());
    batch.target_in[0] = gradus::data::bos;
    const Tokens likeliest = argmax(subject.forced(batch), 2).to_vector<std::int64_t>();
    for (std::size_t t = 0; t < y.size(); ++t, ++all) wrong += likeliest[t] != y[t];
  }
  return {wrong > 0, "The forward pass of training reads the " + std::to_string(all) +
                         " written tokens: at " + std::to_string(wrong) +
                         " of them, it finds another token likelier."};
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> list = {
      {14, state_stands_still},
      {12, [](const Subject& subject) { return pads(subject, true); }},
      {11, [](const Subject& subject) { return pads(subject, false); }},
      {1, ignores_annotations},
      {15, ignores_state},
      {2, has_maximum},
      {9, knows_no_future},
      {10, backward_ends_at_wrong_end},
      {4, pads_are_read},
      {5, sees_the_answer},
      {6, first_is_empty},
      {13, loss_ends_early},
      {3, reads_the_target},
      {7, gets_the_length},
      {8, writes_otherwise},
  };
  return list;
}

std::unique_ptr<Subject> drawn(const Make& make, std::uint64_t seed) {
  std::unique_ptr<Subject> subject = make(sizes);
  subject->to(Dtype::f64);
  exercise::fill(*subject, seed, 0.6);
  subject->eval();
  return subject;
}

Diagnosis diagnose(const Make& make) {
  const gradus::NoGrad no_grad;
  std::unique_ptr<Subject> subject;
  const auto observed = [&](const Probe& probe) -> Observation {
    try {
      return probe.observe(*subject);
    } catch (...) {  // the learner's code may throw anything
      return {};
    }
  };
  try {
    subject = drawn(make);
  } catch (...) {
    return {};
  }
  for (const Probe& probe : probes()) {
    const Observation observation = observed(probe);
    if (observation.seen) return {probe.exhibit, observation.says};
  }
  return {};
}

}  // namespace museum
