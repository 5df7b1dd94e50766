#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/attention_entropy.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <iostream>

#include "answer.hpp"
#include "kit/invariants.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;
using Lengths = std::vector<std::int64_t>;

const Mistake single_step{"single-step", "The coverage of a single step is not 0.",
                          "Before the first step there are no weights, whatever number of steps follows."};
const Mistake includes_now{"includes-now", "The coverage includes step t.",
                           "c_t sums the steps before t: it is 0 at the first step."};
const Mistake previous_only{"previous-only", "The coverage contains only the previous step's weights.",
                            "c_t is the sum over all steps before t."};
const Mistake other_axis{"other-axis", "The sum runs along another axis than the decoder's steps.",
                         "α is (Ty, B, Tx), and c_t sums over earlier t."};
const Mistake still_to_come{"still-to-come", "The coverage sums the steps from t onwards.",
                            "c_t sums the steps before t: in which direction does your sum run?"};
const Mistake averaged{"averaged", "The coverage is divided by the number of steps so far.",
                       "c_t is a sum, not a mean: it may exceed 1."};

const Mistake all_of_them{"all-steps", "Every step's coverage is the sum over all steps.",
                          "c_t sums only the steps before t."};
const Mistake one_late{"one-late", "The coverage comes one step too late.",
                       "c_t already contains α of step t − 1."};
const Mistake capped{"capped", "The coverage is limited to 1.", "c_t is a plain sum: it may exceed 1."};
const Mistake counts_pads{"counts-pads", "The sum includes steps after the targets' ends.",
                          "Only t < target_lengths[b] is real: set the other steps to 0."};
const Mistake mean_of_all{"mean-of-all", "The sum is divided by all Ty · B steps.",
                          "Divide by the number of real steps, the sum of the lengths."};
const Mistake not_averaged{"not-averaged", "The result is the sum over the steps, not their mean.",
                           "Divide by the number of real steps."};
const Mistake over_source{"over-source", "The sum is divided by Tx as well.",
                          "covloss_t is a sum over the source: average only over the steps."};
const Mistake per_sentence{"per-sentence", "The result is the mean of the sentences' means.",
                           "Weight every real step of the batch equally."};
const Mistake maximum_taken{"maximum", "The maximum of weight and coverage was taken.",
                            "Eq. 12 takes the minimum of the two."};
const Mistake uncovered{"uncovered", "The loss contains 1 − c_t in place of c_t.",
                        "Attention to a position that is already covered costs something."};
const Mistake largest_only{"largest-only", "Only the largest minimum of each step is counted.",
                           "covloss_t = Σ_j min(α_tj, c_tj): add them up."};
const Mistake product{"product", "Weight and coverage are multiplied.",
                      "Eq. 12 takes the minimum of the two."};
const Mistake one_too_many{"one-too-many", "One step after each target's end is treated as real.",
                           "Steps are numbered from 0: the last real one is length − 1."};

const Mistake by_sentences{"by-sentences", "The sum is divided by the number of sentences.",
                           "Divide by the number of real steps, the sum of the lengths."};
const Mistake first_left_out{"first-left-out",
                             "Steps whose loss is 0 are missing in the divisor: the first of each sentence.",
                             "They are real steps: divide by the sum of the lengths."};
const Mistake starts_above_0{"starts-above-0", "The first step has a coverage that is not 0.",
                             "Before step 0, nothing has been attended to: c_0 = 0."};
const Mistake minimum_of_sums{"minimum-of-sums", "The minimum is taken after the sums over the source.",
                              "covloss_t = Σ_j min(α_tj, c_tj): the minimum of each position, then the sum."};
const Mistake masks_source{"masks-source", "The target lengths are compared with the source positions.",
                           "They count decoder steps: compare them with t, along the first axis."};
const Mistake mask_reshaped{
    "reshaped", "The mask (B, Ty) was reshaped to (Ty, B).",
    "reshape keeps the order of the numbers in memory; transpose exchanges the axes."};
const Mistake squared{"squared", "The minima are squared.", "covloss_t = Σ_j min(α_tj, c_tj)."};
const Mistake one_length{"one-length", "Every target has the length of the first, or of the longest.",
                         "Each sentence has its own length."};

const Mistake largest_so_far{"largest-so-far", "The coverage is the largest earlier weight, not their sum.",
                             "c_tj = Σ_{k<t} α_kj."};
const Mistake weights_detached{"weights-detached", "The gradient does not flow through α_t.",
                               "Both arguments of the minimum have a gradient."};
const Mistake coverage_detached{"coverage-detached",
                                "The gradient does not flow through c_t to earlier steps.",
                                "Both arguments of the minimum have a gradient."};

struct Case {
  Tensor weights;  // (Ty, B, Tx)
  Lengths targets;

  std::int64_t Ty() const { return weights.size(0); }
  std::int64_t B() const { return weights.size(1); }
  std::int64_t Tx() const { return weights.size(2); }
  Tensor lengths() const { return tensor(targets); }
};

// Random softmax weights. The sources have pads, and the targets have several lengths.
Case example(const Lengths& targets = {3, 5, 2}, std::uint64_t seed = 5) {
  Generator generator(seed);
  const Tensor energies = normal({6, 3, 4}, 0, 1, generator, Dtype::f64);
  const Tensor sources = expand(tensor({4, 2, 3}, Dtype::i64), {6, 3});
  return {masked_softmax(energies, sources), targets};
}

// --- plain loops

// c_tj = Σ_k α_kj, over the steps k for which counts(k, t) is true.
template <class Counts>
Plain covered(const Plain& weights, const Counts& counts) {
  Plain c(weights.shape());
  for (std::int64_t t = 0; t < c.size(0); ++t)
    for (std::int64_t k = 0; k < c.size(0); ++k)
      for (std::int64_t b = 0; b < c.size(1); ++b)
        for (std::int64_t j = 0; j < c.size(2); ++j) c(t, b, j) += counts(k, t) ? weights(k, b, j) : 0;
  return c;
}

Plain before(const Plain& weights) {
  return covered(weights, [](auto k, auto t) { return k < t; });
}

Plain largest_before(const Plain& weights) {
  Plain c(weights.shape());
  for (std::int64_t t = 1; t < c.size(0); ++t)
    for (std::int64_t b = 0; b < c.size(1); ++b)
      for (std::int64_t j = 0; j < c.size(2); ++j)
        c(t, b, j) = std::max(c(t - 1, b, j), weights(t - 1, b, j));
  return c;
}

Plain along_batch(const Plain& weights) {
  Plain c(weights.shape());
  for (std::int64_t t = 0; t < c.size(0); ++t)
    for (std::int64_t b = 0; b < c.size(1); ++b)
      for (std::int64_t j = 0; j < c.size(2); ++j)
        for (std::int64_t k = 0; k < b; ++k) c(t, b, j) += weights(t, k, j);
  return c;
}

Plain along_source(const Plain& weights) {
  Plain c(weights.shape());
  for (std::int64_t t = 0; t < c.size(0); ++t)
    for (std::int64_t b = 0; b < c.size(1); ++b)
      for (std::int64_t j = 0; j < c.size(2); ++j)
        for (std::int64_t k = 0; k < j; ++k) c(t, b, j) += weights(t, b, k);
  return c;
}

Plain divided_by_step(Plain c) {
  for (std::int64_t t = 1; t < c.size(0); ++t)
    for (std::int64_t b = 0; b < c.size(1); ++b)
      for (std::int64_t j = 0; j < c.size(2); ++j) c(t, b, j) /= static_cast<double>(t);
  return c;
}

Plain at_most_one(Plain c) {
  for (std::int64_t t = 0; t < c.size(0); ++t)
    for (std::int64_t b = 0; b < c.size(1); ++b)
      for (std::int64_t j = 0; j < c.size(2); ++j) c(t, b, j) = std::min(c(t, b, j), 1.0);
  return c;
}

double smaller(double a, double c) { return std::min(a, c); }

// Σ_j pays(α_tj, c_tj), (Ty, B). By default, pays is the minimum.
Plain paid(const Plain& weights, const Plain& c, double (*pays)(double, double) = smaller) {
  Plain steps(Shape{weights.size(0), weights.size(1)});
  for (std::int64_t t = 0; t < weights.size(0); ++t)
    for (std::int64_t b = 0; b < weights.size(1); ++b)
      for (std::int64_t j = 0; j < weights.size(2); ++j) steps(t, b) += pays(weights(t, b, j), c(t, b, j));
  return steps;
}

// max_j min(α_tj, c_tj), (Ty, B): a mistake.
Plain largest_paid(const Plain& weights, const Plain& c) {
  Plain steps(Shape{weights.size(0), weights.size(1)});
  for (std::int64_t t = 0; t < weights.size(0); ++t)
    for (std::int64_t b = 0; b < weights.size(1); ++b)
      for (std::int64_t j = 0; j < weights.size(2); ++j)
        steps(t, b) = std::max(steps(t, b), std::min(weights(t, b, j), c(t, b, j)));
  return steps;
}

double total(const Plain& steps, const Lengths& lengths) {
  double sum = 0;
  for (std::int64_t b = 0; b < steps.size(1); ++b)
    for (std::int64_t t = 0; t < std::min(lengths[static_cast<std::size_t>(b)], steps.size(0)); ++t)
      sum += steps(t, b);
  return sum;
}

// A mistake: min(Σ_j α_tj, Σ_j c_tj) instead of Σ_j min(α_tj, c_tj), (Ty, B).
Plain least_of_sums(const Plain& weights, const Plain& c) {
  Plain steps(Shape{weights.size(0), weights.size(1)});
  for (std::int64_t t = 0; t < weights.size(0); ++t)
    for (std::int64_t b = 0; b < weights.size(1); ++b) {
      double alpha = 0, coverage = 0;
      for (std::int64_t j = 0; j < weights.size(2); ++j) alpha += weights(t, b, j), coverage += c(t, b, j);
      steps(t, b) = std::min(alpha, coverage);
    }
  return steps;
}

// A mistake: sums over all steps, and over the source positions j below the target's length.
double sum_over_source_positions(const Plain& weights, const Plain& c, const Lengths& lengths) {
  double sum = 0;
  for (std::int64_t t = 0; t < weights.size(0); ++t)
    for (std::int64_t b = 0; b < weights.size(1); ++b)
      for (std::int64_t j = 0; j < std::min(lengths[static_cast<std::size_t>(b)], weights.size(2)); ++j)
        sum += std::min(weights(t, b, j), c(t, b, j));
  return sum;
}

// A mistake: the mask of the real steps, (B, Ty), is reshaped to (Ty, B), not transposed.
double total_with_reshaped_mask(const Plain& steps, const Lengths& lengths) {
  const std::int64_t Ty = steps.size(0), B = steps.size(1);
  double sum = 0;
  for (std::int64_t t = 0; t < Ty; ++t)
    for (std::int64_t b = 0; b < B; ++b) {
      const std::int64_t at = t * B + b;  // offset in the (B, Ty) array
      if (at % Ty < lengths[static_cast<std::size_t>(at / Ty)]) sum += steps(t, b);
    }
  return sum;
}

double count(const Lengths& lengths) {
  double steps = 0;
  for (const std::int64_t length : lengths) steps += static_cast<double>(length);
  return steps;
}

Plain number(double value) {
  Plain scalar(Shape{});
  scalar() = value;
  return scalar;
}

double expected_loss(const Plain& weights, const Lengths& lengths) {
  return total(paid(weights, before(weights)), lengths) / count(lengths);
}

double mean_of_sentences(const Plain& steps, const Lengths& lengths) {
  double sum = 0;
  for (std::int64_t b = 0; b < steps.size(1); ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    for (std::int64_t t = 0; t < length; ++t) sum += steps(t, b) / static_cast<double>(length);
  }
  return sum / static_cast<double>(steps.size(1));
}

// --- stages

std::vector<std::pair<Mistake, Plain>> wrong_coverages(const Plain& weights) {
  return {{includes_now, covered(weights, [](auto k, auto t) { return k <= t; })},
          {previous_only, covered(weights, [](auto k, auto t) { return k == t - 1; })},
          {still_to_come, covered(weights, [](auto k, auto t) { return k >= t; })},
          {still_to_come, covered(weights, [](auto k, auto t) { return k > t; })},
          {all_of_them, covered(weights, [](auto, auto) { return true; })},
          {one_late, covered(weights, [](auto k, auto t) { return k < t - 1; })},
          {other_axis, along_batch(weights)},
          {other_axis, along_source(weights)},
          {capped, at_most_one(before(weights))},
          {averaged, divided_by_step(before(weights))},
          {largest_so_far, largest_before(weights)}};
}

void coverage_values(const Coverage& answer) {
  const Case c = example();
  const Plain weights(c.weights);
  std::vector<exercise::Suspect> suspects;
  for (const auto& [mistake, wrong] : wrong_coverages(weights)) suspects.push_back({mistake, wrong});
  const Tensor got = answer.coverage(c.weights);
  exercise::expect_shape("the coverage", got, c.weights.shape(), "(Ty, B, Tx)");
  const std::vector<double> first = got.slice(0, 1).to_vector<double>();
  const bool starts_at_0 = std::ranges::all_of(first, [](double x) { return x == 0; });
  exercise::expect_values("coverage", got, before(weights), suspects,
                          starts_at_0 ? Mistake{} : starts_above_0);
  const Tensor single = c.weights.slice(0, 1);
  exercise::expect_values("coverage of a single step", answer.coverage(single), Plain(single.shape()), {},
                          single_step);
}

void loss_values(const Coverage& answer) {
  const Case c = example();
  const Plain weights(c.weights), steps = paid(weights, before(weights));
  const Lengths all(c.targets.size(), c.Ty());
  Lengths longer = c.targets;
  for (std::int64_t& length : longer) ++length;
  const double sum = total(steps, c.targets), real = count(c.targets);
  const double all_steps = static_cast<double>(c.Ty() * c.B());

  std::vector<exercise::Suspect> suspects = {
      {not_averaged, number(sum)},
      {by_sentences, number(sum / static_cast<double>(c.B()))},
      {one_length, number(expected_loss(weights, Lengths(c.targets.size(), c.targets.front())))},
      {one_length, number(expected_loss(weights, Lengths(c.targets.size(), 5)))},
      {one_length, number(total(steps, Lengths(c.targets.size(), 5)) / real)},
      {first_left_out, number(sum / (real - static_cast<double>(c.B())))},
      {squared, number(total(paid(weights, before(weights),
                                  [](double a, double b) { return std::min(a, b) * std::min(a, b); }),
                             c.targets) /
                       real)},
      {mean_of_all, number(sum / all_steps)},
      {over_source, number(sum / real / static_cast<double>(c.Tx()))},
      {over_source, number(sum / all_steps / static_cast<double>(c.Tx()))},
      {per_sentence, number(mean_of_sentences(steps, c.targets))},
      {counts_pads, number(total(steps, all) / real)},
      {counts_pads, number(total(steps, all) / all_steps)},
      {counts_pads, number(total(steps, all))},
      {one_too_many, number(total(steps, longer) / real)},
      {minimum_of_sums, number(total(least_of_sums(weights, before(weights)), c.targets) / real)},
      {masks_source, number(sum_over_source_positions(weights, before(weights), c.targets) / real)},
      {mask_reshaped, number(total_with_reshaped_mask(steps, c.targets) / real)},
      {maximum_taken,
       number(total(paid(weights, before(weights), [](double a, double b) { return std::max(a, b); }),
                    c.targets) /
              real)},
      {uncovered,
       number(total(paid(weights, before(weights), [](double a, double b) { return std::min(a, 1 - b); }),
                    c.targets) /
              real)},
      {largest_only, number(total(largest_paid(weights, before(weights)), c.targets) / real)},
      {product,
       number(total(paid(weights, before(weights), [](double a, double b) { return a * b; }), c.targets) /
              real)},
  };
  for (const auto& [mistake, wrong] : wrong_coverages(weights))
    suspects.push_back({mistake, number(total(paid(weights, wrong), c.targets) / real)});

  const Tensor got = answer.loss(c.weights, c.lengths());
  exercise::expect_shape("the loss", got, Shape{}, "a scalar");
  exercise::expect(got.dtype() == Dtype::f64,
                   {"dtype", "", "Convert masks and lengths to weights.dtype(). Do not convert the result."},
                   "The loss of weights in f64 is not f64.");
  exercise::expect_values("loss", got, number(sum / real), suspects);
  for (const Case& other : {example({6, 1, 4}), example({2, 4, 3}, 6)}) {
    const auto call = [&] { return answer.loss(other.weights, other.lengths()); };
    const Plain w(other.weights);
    exercise::expect_right_again(
        [&] {
          exercise::expect_values("loss of another batch", call(), number(expected_loss(w, other.targets)),
                                  {{exercise::remembers, number(expected_loss(w, c.targets))},
                                   {exercise::remembers, number(expected_loss(weights, other.targets))}});
        },
        [&] { return exercise::Results{{"loss", call()}}; },
        [&] { answer.loss(c.weights.slice(0, 2, 1), tensor(Lengths{c.targets[0], c.targets[1]})); });
  }
}

void beyond_the_end(const Coverage& answer) {
  const Case c = example();
  Plain other(c.weights);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = c.targets[static_cast<std::size_t>(b)]; t < c.Ty(); ++t)
      for (std::int64_t j = 0; j < c.Tx(); ++j) other(t, b, j) = 1e3;
  exercise::expect_value("the loss with other weights after the targets' ends",
                         answer.loss(other.tensor(), c.lengths()).item(),
                         expected_loss(Plain(c.weights), c.targets),
                         {"pads-leak", "The weights after a target's end change the loss.",
                          "Exclude the steps after the end from the sum."});
}

// The coverage loss of one sentence of n tokens. Step t puts the weight 1 on position at(t).
template <class At>
double loss_of(const Coverage& answer, std::int64_t n, const At& at) {
  Plain weights(Shape{n, 1, n});
  for (std::int64_t t = 0; t < n; ++t) weights(t, 0, at(t)) = 1;
  return answer.loss(weights.tensor(), tensor(Lengths{n})).item();
}

void known_cases(const Coverage& answer) {
  constexpr std::int64_t n = 6;
  exercise::expect_value("the loss when every position is attended once",
                         loss_of(answer, n, [](auto t) { return n - 1 - t; }), 0);
  exercise::expect_value("the loss when one position is attended at every step",
                         loss_of(answer, n, [](auto) { return 2; }), static_cast<double>(n - 1) / n);
  const Case c = example();
  const Plain weights(c.weights), lengths(c.lengths());
  answer.loss(c.weights, c.lengths());
  exercise::expect_values("weights after the loss", c.weights, weights, {}, exercise::changes_its_input);
}

// ∂loss/∂α. If `through_weights`, includes the gradient through α_t itself. If `through_coverage`, includes
// the gradient through the coverage c_t, but only to steps t − back … t − 1.
Plain gradient_of(const Case& c, bool through_weights, bool through_coverage, std::int64_t back) {
  const Plain weights(c.weights), coverage = before(weights);
  const double share = 1 / count(c.targets);
  Plain gradient(weights.shape());
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.targets[static_cast<std::size_t>(b)]; ++t)
      for (std::int64_t j = 0; j < c.Tx(); ++j) {
        const bool weight_is_smaller = weights(t, b, j) < coverage(t, b, j);
        if (weight_is_smaller && through_weights) gradient(t, b, j) += share;
        const std::int64_t first = std::max<std::int64_t>(0, t - back);
        for (std::int64_t k = first; k < t && !weight_is_smaller && through_coverage; ++k)
          gradient(k, b, j) += share;
      }
  return gradient;
}

// Fails if the gradient is that of a known mistake: detached weights, a detached coverage, or a coverage
// whose gradient reaches only step t − 1. Ignores the source's pads, where both arguments of the minimum are
// 0, so the minimum's gradient is not unique.
void paths(const Coverage& answer) {
  const Case c = example();
  const Tensor weights = c.weights.clone();
  Tensor leaf = weights;
  leaf.set_requires_grad();
  const Tensor loss = answer.loss(leaf, c.lengths());
  if (!loss.requires_grad()) return;  // the comparison with finite differences reports this
  loss.backward();
  if (!leaf.grad().defined()) return;
  const Tensor there = greater(c.weights, zeros({}, Dtype::f64)).to(Dtype::f64), got = leaf.grad() * there;
  const auto is = [&](bool through_weights, bool through_coverage, std::int64_t back = 1000) {
    return exercise::has_values(
        got, Plain(gradient_of(c, through_weights, through_coverage, back).tensor() * there));
  };
  const std::string says = "The gradient of the loss lacks a part.";
  exercise::expect(!is(false, true), weights_detached, says);
  exercise::expect(!is(true, false), coverage_detached, says);
  exercise::expect(!is(true, true, 1),
                   {"one-step-back", "The gradient of c_t reaches only step t − 1.",
                    "c_t is a sum over all earlier steps: do not detach the running sum."},
                   says);
}

void gradients(const Coverage& answer) {
  paths(answer);
  const Case c = example();
  exercise::expect_gradients([&](const std::vector<Tensor>& x) { return answer.coverage(x[0]); }, {c.weights},
                             {"weights"});
  exercise::expect_gradients([&](const std::vector<Tensor>& x) { return answer.loss(x[0], c.lengths()); },
                             {c.weights}, {"weights"},
                             {"gradient", "",
                              "The values are right. The gradient flows through the weights of step t and, "
                              "through c_t, to all earlier steps: is one of the paths detached?"});
}

// --- training

constexpr std::int64_t longest = 8, updates = 400;

struct Measured {
  double exact, on_target, loss, nats;
};

struct Source {
  Tensor tokens, lengths, target_in, target_out, target_lengths;
  explicit Source(const data::Batch& batch)
      : tokens(tensor(batch.source, {batch.source_steps, batch.size})),
        lengths(tensor(batch.source_lengths)),
        target_in(tensor(batch.target_in, {batch.target_steps, batch.size})),
        target_out(tensor(batch.target_out, {batch.target_steps, batch.size})),
        target_lengths(tensor(batch.target_lengths)) {}
};

// Trains on cross-entropy + λ · coverage loss. Adam's rate falls linearly from 3e-3 to 3e-4.
void train(models::Seq2Seq& model, const data::Reversal& task, const Coverage& answer, double lambda) {
  const auto next = tutorial::training_batches(task, 1);
  nn::Adam adam(model.parameters());
  for (std::int64_t step = 0; step < updates; ++step) {
    const Source batch(next());
    const auto [logits, weights] = model.forward(batch.tokens, batch.lengths, batch.target_in);
    const Tensor loss = cross_entropy(logits, batch.target_out, data::pad) +
                        lambda * answer.loss(stack(weights), batch.target_lengths);
    adam.zero_grad();
    loss.backward();
    nn::clip_grad_norm(model.parameters(), 1);
    adam.set_learning_rate(3e-3 * (1 - 0.9 * static_cast<double>(step) / updates));
    adam.step();
  }
  model.eval();
}

// Measures the model on held-out sources of the longest length in training.
Measured measure(const models::Seq2Seq& model, const data::Reversal& task, const Coverage& answer) {
  Generator generator(2);
  const auto pairs = task.held_out_pairs(longest, [&](std::uint64_t n) { return generator.below(n); });
  const Source batch(data::make_batch(pairs));
  const NoGrad no_grad;
  const Tensor weights = stack(model.forward(batch.tokens, batch.lengths, batch.target_in).weights);
  data::AttentionEntropy entropy;
  const std::vector<float> alpha = weights.to_vector<float>();
  for (std::size_t at = 0; at < alpha.size(); at += longest)
    entropy.add(std::span(alpha).subspan(at, longest));
  const tutorial::Score score = tutorial::measure(model, task, {longest}).at(longest);
  return {score.exact.fraction(), score.alignment.accuracy(),
          answer.loss(weights, batch.target_lengths).item(), entropy.nats()};
}

void with_and_without(const Coverage& answer) {
  const data::Reversal task(10, 3, longest);
  tutorial::Table table{.name = "coverage",
                        .rows_are = "λ",
                        .columns = {"exact match", "on target", "coverage loss", "entropy"},
                        .rows = {}};
  for (const double lambda : {0.0, 1.0}) {
    seed(1);
    const auto model = models::make_bahdanau({.vocabulary = task.vocabulary_size()});
    train(*model, task, answer, lambda);
    const Measured m = measure(*model, task, answer);
    table.rows.push_back({tutorial::decimals(lambda, 0), {m.exact, m.on_target, m.loss, m.nats}});
  }
  std::cout << "\n  held-out sources of " << longest << " tokens, after " << updates
            << " updates; on target: the fraction of steps whose\n"
               "  largest weight is at the token to be written; entropy of the weights, in nats\n"
            << tutorial::text(table) << '\n';
  const double without = table.rows[0].values[2], with = table.rows[1].values[2];
  exercise::expect(
      with < without,
      {"no-effect", "", "The values and gradients are right: does your function keep state between calls?"},
      "Training with your loss term did not reduce the model's coverage loss.", tutorial::decimals(with),
      "below " + tutorial::decimals(without));
}

}  // namespace

exercise::Exercise coverage_exercise(const Coverage& answer) {
  return {.name = "coverage",
          .stages = {{"coverage", [=] { coverage_values(answer); }},
                     {"the loss", [=] { loss_values(answer); }},
                     {"steps after the targets' ends", [=] { beyond_the_end(answer); }},
                     {"known cases", [=] { known_cases(answer); }},
                     {"gradients", [=] { gradients(answer); }},
                     {"training with and without the loss term", [=] { with_and_without(answer); }, true}}};
}
