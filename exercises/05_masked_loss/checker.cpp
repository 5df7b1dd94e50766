#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake pads_counted{
    "pads-counted", "The pads are treated as tokens.",
    "Only (t, b) with t < ℓ_b are real: exclude the others from the sum and from the count."};
const Mistake over_everything{"divided-by-all", "The sum is right, but it is divided by T·B.",
                              "Divide by the number of real tokens."};
const Mistake mean_of_means{"mean-of-means", "The result is the mean of the sentences' means.",
                            "Sum over all real tokens, and divide by their number in the whole batch."};
const Mistake by_sentences{"divided-by-sentences", "The sum is divided by the number of sentences.",
                           "Divide by the number of real tokens."};
const Mistake over_vocabulary{"over-vocabulary", "The mean is divided by V as well.",
                              "gather takes one number per token: only the tokens are averaged."};
const Mistake by_steps{"divided-by-steps", "The sum is divided by T.",
                       "Divide by the number of real tokens."};
const Mistake not_divided{"sum", "The result is the sum, not the mean.",
                          "Divide by the number of real tokens."};
const Mistake sign{"sign", "The sign is wrong.", "ln p is negative, the loss positive."};
const Mistake no_logarithm{"no-logarithm", "The result is the mean probability, without the logarithm.",
                           "Use log_softmax, not softmax."};
const Mistake no_softmax{"no-softmax", "The logits are used as log-probabilities.",
                         "ln softmax(z)_y = z_y − ln Σ_k e^{z_k}: log_softmax computes it."};
const Mistake softmax_axis{"softmax-axis", "The softmax runs over the positions or the sentences.",
                           "Normalise over the vocabulary, the last axis."};
const Mistake off_by_one{"off-by-one", "Each sentence is one token too long or too short.",
                         "Positions are numbered from 0: t is real when t < ℓ_b."};
const Mistake pads_matter{"pads-matter", "The logits or targets at the pads change the loss.",
                          "Exclude the pads from the sum, with where(real, …, zeros), and from the count."};
const Mistake pads_in_mean{
    "number-of-pads", "The number of pads changes the loss.",
    "mean(x) divides by all T·B positions: divide a sum by the number of real tokens."};
const Mistake batch_maximum{
    "batch-maximum", "The number subtracted before exp is the largest logit of the batch, not of the token.",
    "If one logit of the batch is far above the others, all powers of a token are 0. log_softmax subtracts "
    "each token's own largest logit."};
const Mistake pads_add{"pads-add", "Every pad adds ln V to the sum: its logits were set to 0.",
                       "Set the loss of a pad to 0, not its logits: a softmax of zeros is 1/V."};
const Mistake mask_reshaped{"mask-reshaped", "The mask (B, T) was reshaped to (T, B).",
                            "reshape keeps the order of the numbers in memory: compare positions (T, 1) with "
                            "lengths (B), or transpose the mask."};
const Mistake underflow{"underflow", "A probability underflowed to 0, so its logarithm is lost.",
                        "log_softmax computes ln p without computing p."};

const Mistake overflowed{"overflow", "e^z is infinite for z > 709.",
                         "log_softmax subtracts the largest logit before exp."};
const Mistake limited{"limited", "Large logits were limited.",
                      "log_softmax is accurate for logits of any size: use them as they are."};
const Mistake zeros_not_counted{"zero-loss", "Tokens whose loss is 0 are not counted.",
                                "Only the lengths tell which tokens are pads: n is the sum of the lengths."};
const Mistake bits{"bits", "The loss is in bits, not in nats.", "Use the natural logarithm."};
const Mistake perplexity{"perplexity", "The result is e^L, the perplexity.",
                         "Return the mean of −ln p itself."};
const Mistake squared{"squared", "The terms −ln p are squared.", "L is a mean of −ln p."};
const Mistake one_length{"one-length", "Every sentence has the length of the first, or of the longest.",
                         "Each sentence has its own length: compare (T, 1) with (B)."};
const Mistake late_targets{"shifted", "The logits of step t are compared with the target of step t + 1.",
                           "targets[t] is the target of logits[t]."};

const Mistake by_positions{"mean-of-positions",
                           "The result is the mean over the positions of the means at each position.",
                           "Sum over all real tokens, and divide by their number in the whole batch."};
const Mistake zero_ignored{"token-0", "Tokens whose target is 0 are left out.",
                           "Only the lengths tell which tokens are pads: 0 is a token like the others."};
const Mistake smoothed{"smoothed", "The targets are smoothed, with 0.1 spread over the vocabulary.",
                       "L has no label smoothing: only −ln p of the target."};

struct Case {
  Tensor logits, targets, lengths;  // (T, B, V), (T, B), (B)

  std::int64_t T() const { return logits.size(0); }
  std::int64_t B() const { return logits.size(1); }
  std::int64_t V() const { return logits.size(2); }
  std::int64_t length(std::int64_t b) const {
    return lengths.values<std::int64_t>()[static_cast<std::size_t>(b)];
  }
  std::int64_t target(std::int64_t t, std::int64_t b) const {
    return targets.values<std::int64_t>()[static_cast<std::size_t>(t * B() + b)];
  }
};

Case example(std::int64_t T, std::int64_t V, const std::vector<std::int64_t>& lengths, double size = 2) {
  Generator generator(5);
  const auto B = static_cast<std::int64_t>(lengths.size());
  const Tensor logits = normal({T, B, V}, 0, size, generator, Dtype::f64);
  std::vector<std::int64_t> targets;
  for (std::int64_t i = 0; i < T * B; ++i)
    targets.push_back(static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(V))));
  return {logits, tensor(targets, {T, B}), tensor(lengths)};
}

const std::vector<std::int64_t> lengths = {3, 6, 1, 4};  // the longest length is 6, less than T = 8

// −ln softmax(z)[target]. `axis` selects the softmax's axis: 0 positions, 1 sentences, 2 vocabulary.
double surprise(const Case& c, const Plain& z, std::int64_t t, std::int64_t b, int axis = 2) {
  const std::int64_t y = c.target(t, b);
  double total = 0;
  for (std::int64_t k = 0; k < z.size(axis); ++k)
    total += std::exp(axis == 0 ? z(k, b, y) : axis == 1 ? z(t, k, y) : z(t, b, k));
  return std::log(total) - z(t, b, y);
}

// Σ term(t, b) over the first min(T, ℓ_b + more) positions of each sentence.
template <class Term>
double total(const Case& c, const Term& term, std::int64_t more = 0) {
  double sum = 0;
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < std::min(c.T(), c.length(b) + more); ++t) sum += term(t, b);
  return sum;
}

double tokens(const Case& c, std::int64_t more = 0) {
  return total(c, [](auto, auto) { return 1; }, more);
}

std::int64_t longest(const Case& c) {
  std::int64_t most = 0;
  for (std::int64_t b = 0; b < c.B(); ++b) most = std::max(most, c.length(b));
  return most;
}

double expected(const Case& c) {
  const Plain z(c.logits);
  return total(c, [&](auto t, auto b) { return surprise(c, z, t, b); }) / tokens(c);
}

// The mean of term(t, b) over the sentences that have a token t, summed over t.
template <class Term>
double mean_over_positions(const Case& c, const Term& term) {
  double sum = 0;
  for (std::int64_t t = 0; t < longest(c); ++t) {
    double here = 0, count = 0;
    for (std::int64_t b = 0; b < c.B(); ++b)
      if (t < c.length(b)) here += term(t, b), ++count;
    sum += here / count;
  }
  return sum;
}

std::vector<exercise::Suspect> suspects(const Case& c) {
  const Plain z(c.logits);
  const auto term = [&](auto t, auto b) { return surprise(c, z, t, b); };
  const auto along = [&](int axis) {
    return total(c, [&, axis](auto t, auto b) { return surprise(c, z, t, b, axis); }) / tokens(c);
  };
  const double sum = total(c, term), n = tokens(c), all = static_cast<double>(c.T() * c.B());
  const double probability = total(c, [&](auto t, auto b) { return std::exp(-surprise(c, z, t, b)); }) / n;
  const double logit = total(c, [&](auto t, auto b) { return z(t, b, c.target(t, b)); }) / n;
  const double means =
      total(c, [&](auto t, auto b) { return term(t, b) / static_cast<double>(c.length(b)); }) /
      static_cast<double>(c.B());
  std::vector<exercise::Suspect> list;
  const auto add = [&](const Mistake& mistake, double value) { list.push_back({mistake, Plain(value)}); };
  add(pads_counted, total(c, term, c.T()) / all);
  add(pads_counted, total(c, term, c.T()) / n);
  add(over_everything, sum / all);
  add(mean_of_means, means);
  add(by_sentences, sum / static_cast<double>(c.B()));
  add(by_steps, sum / static_cast<double>(c.T()));
  add(over_vocabulary, sum / n / static_cast<double>(c.V()));
  add(not_divided, sum);
  add(sign, -sum / n);
  add(no_logarithm, probability);
  add(no_logarithm, -probability);
  add(no_softmax, logit);
  add(no_softmax, -logit);
  add(softmax_axis, along(0));
  add(softmax_axis, along(1));
  add(bits, sum / n / std::log(2.0));
  add(perplexity, std::exp(sum / n));
  add(squared, total(c, [&](auto t, auto b) { return term(t, b) * term(t, b); }) / n);
  add(over_everything, sum / static_cast<double>(longest(c) * c.B()));
  for (const std::int64_t length : {c.length(0), longest(c)}) {
    const Case same{c.logits, c.targets, full({c.B()}, static_cast<double>(length), Dtype::i64)};
    add(one_length, total(same, term) / tokens(same));
  }
  const Plain y(c.targets);
  add(late_targets, total(c, [&](auto t, auto b) {
                      const auto next = static_cast<std::int64_t>(y(std::min(t + 1, c.T() - 1), b));
                      return term(t, b) + z(t, b, c.target(t, b)) - z(t, b, next);
                    }) / n);
  const auto counted = [&](auto t, auto b) { return c.target(t, b) == 0 ? 0.0 : 1.0; };
  add(zero_ignored, total(c, [&](auto t, auto b) { return counted(t, b) * term(t, b); }) / total(c, counted));
  add(zero_ignored, total(c, [&](auto t, auto b) { return counted(t, b) * term(t, b); }) / n);
  add(smoothed, 0.9 * sum / n + 0.1 * total(c, [&](auto t, auto b) {
                                  double mean = 0;
                                  for (std::int64_t k = 0; k < c.V(); ++k) mean -= z(t, b, k);
                                  return term(t, b) + z(t, b, c.target(t, b)) +
                                         mean / static_cast<double>(c.V());
                                }) / n);
  const double positions = mean_over_positions(c, term);
  const auto steps = static_cast<double>(longest(c));
  add(by_positions, positions / steps);
  add(by_positions, positions / static_cast<double>(c.T()));
  const double of_pads = (all - n) * std::log(static_cast<double>(c.V()));
  add(pads_add, (sum + of_pads) / n);
  add(pads_add, (sum + of_pads) / all);
  const auto reshaped = [&](auto t, auto b) {
    const std::int64_t at = t * c.B() + b;
    return at % c.T() < c.length(at / c.T()) ? 1.0 : 0.0;
  };
  add(mask_reshaped, total(c, [&](auto t, auto b) { return reshaped(t, b) * term(t, b); }, c.T()) / n);
  for (const std::int64_t more : {-1, 1}) {
    add(off_by_one, total(c, term, more) / tokens(c, more));
    add(off_by_one, total(c, term, more) / n);
  }
  return list;
}

Tensor loss(const MaskedLoss& answer, const Case& c) {
  const Tensor got = answer(c.logits, c.targets, c.lengths);
  exercise::expect_shape("the loss", got, {}, "(), a scalar");
  return got;
}

void shape(const MaskedLoss& answer) {
  loss(answer, example(8, 5, lengths));
  loss(answer, example(2, 3, {2}));
}

// A copy of the case. At its pads, the targets are 0 and the logits are ±size.
Case with_other_pads(const Case& c, double size) {
  Case other{c.logits.clone(), c.targets.clone(), c.lengths};
  const std::span<double> z = other.logits.mutable_values<double>();
  const std::span<std::int64_t> y = other.targets.mutable_values<std::int64_t>();
  for (std::int64_t t = 0; t < c.T(); ++t) {
    for (std::int64_t b = 0; b < c.B(); ++b) {
      if (t < c.length(b)) continue;
      const std::int64_t at = t * c.B() + b;
      y[static_cast<std::size_t>(at)] = 0;
      for (std::int64_t k = 0; k < c.V(); ++k)
        z[static_cast<std::size_t>(at * c.V() + k)] = k % 2 == 0 ? size : -size;
    }
  }
  return other;
}

void pads_do_not_matter(const MaskedLoss& answer) {
  const Case c = example(8, 5, lengths);
  const double before = loss(answer, c).item();

  for (const double size : {3.0, 1e4}) {
    const double got = loss(answer, with_other_pads(c, size)).item();
    exercise::expect_value("the loss with other logits and targets at the pads", got, before,
                           size == 3 || std::isnan(got) ? pads_matter : batch_maximum);
  }

  const Case longer{pad(c.logits, 0, 0, 2), pad(c.targets, 0, 0, 2), c.lengths};
  exercise::expect_value("the loss with two more pads for every sentence", loss(answer, longer).item(),
                         before, pads_in_mean);
}

void expect_loss(const MaskedLoss& answer, const std::string& what, const Case& c,
                 std::vector<exercise::Suspect> known = {}, const Mistake& otherwise = {}) {
  try {
    const std::vector<exercise::Suspect> usual = suspects(c);
    known.insert(known.end(), usual.begin(), usual.end());
    exercise::expect_values(what, loss(answer, c), Plain(expected(c)), known, otherwise);
  } catch (const exercise::Finding& finding) {
    const std::string& name = finding.mistake.name;
    if (name == "values" || name == "inexact") pads_do_not_matter(answer);  // may throw a clearer finding
    throw;
  }
}

void values(const MaskedLoss& answer) {
  expect_loss(answer, "the loss", example(8, 5, lengths));
  // Two more batches of the same sizes as `first`: one with other lengths, and one with other logits.
  const Case first = example(8, 5, lengths);
  for (const Case& c : {example(8, 5, {5, 2, 7, 1}), example(8, 5, lengths, 1)}) {
    const std::vector<exercise::Suspect> kept = {
        {exercise::remembers, Plain(expected({c.logits, c.targets, first.lengths}))},
        {exercise::remembers, Plain(expected({first.logits, c.targets, c.lengths}))},
        {exercise::remembers, Plain(expected(c) * tokens(c) / tokens(first))}};
    exercise::expect_right_again([&] { expect_loss(answer, "the loss of another batch", c, kept); },
                                 [&] { return exercise::Results{{"the loss", loss(answer, c)}}; },
                                 [&] { loss(answer, example(2, 3, {2})); });
  }
  for (const std::vector<std::int64_t>& some :
       {std::vector<std::int64_t>{7, 7}, {7, 2, 5}, {2, 7, 7}, {7}, {3}})
    expect_loss(answer, "the loss", example(7, 3, some));
  expect_loss(answer, "the loss", example(6, 4, {4, 4, 4}));
  expect_loss(answer, "the loss", example(1, 4, {1, 1, 1}));
  expect_loss(answer, "the loss with one empty sentence", example(6, 5, {3, 0, 1, 4}), {}, pads_matter);
}

void in_f32(const MaskedLoss& answer) {
  const Case c = example(8, 5, lengths);
  const Tensor got = loss(answer, {c.logits.to(Dtype::f32), c.targets, c.lengths});
  exercise::expect(got.dtype() == Dtype::f32,
                   {"dtype", "", "Give the tensors that you create the dtype of the logits."},
                   "The loss of logits in f32 is not f32.");
  exercise::expect_value("the loss in f32", got.item(), expected(c), {}, 1e-5);
}

void large_logits(const MaskedLoss& answer) {
  const Case near = example(8, 5, lengths), moved{near.logits + 1000.0, near.targets, near.lengths};
  const double got = loss(answer, moved).item();
  exercise::expect_value("the loss for logits around 1000", got, expected(near),
                         std::isfinite(got) ? limited : overflowed);
  const Case c = example(8, 5, lengths, 400);
  const Plain z(c.logits);
  const auto shifted = [&](auto t,
                           auto b) {  // stable: subtracts the largest logit, because e^1000 overflows
    double largest = z(t, b, 0), sum = 0;
    for (std::int64_t k = 1; k < c.V(); ++k) largest = std::max(largest, z(t, b, k));
    for (std::int64_t k = 0; k < c.V(); ++k) sum += std::exp(z(t, b, k) - largest);
    return largest + std::log(sum) - z(t, b, c.target(t, b));
  };
  const double sum = total(c, shifted),
               positive = total(c, [&](auto t, auto b) { return shifted(t, b) > 0 ? 1.0 : 0.0; });
  exercise::expect_values("the loss for logits of several hundred", loss(answer, c), Plain(sum / tokens(c)),
                          {{zeros_not_counted, Plain(sum / positive)}}, underflow);
}

// Fails if the gradient is that of a loss with a detached ln Σ e^z: −1/n at each real target, and 0
// elsewhere.
void expect_softmax_on_tape(const MaskedLoss& answer, const Case& c) {
  Tensor logits = c.logits.clone();
  logits.set_requires_grad();
  const Tensor loss = answer(logits, c.targets, c.lengths);
  if (!loss.requires_grad()) return;  // the comparison with finite differences reports this
  loss.backward();
  if (!logits.grad().defined()) return;
  Plain at_targets(logits.shape());
  const std::vector<std::int64_t> ids = c.targets.to_vector<std::int64_t>();
  for (std::int64_t t = 0; t < c.T(); ++t)
    for (std::int64_t b = 0; b < c.B(); ++b)
      if (t < c.length(b)) at_targets(t, b, ids[static_cast<std::size_t>(t * c.B() + b)]) = -1 / tokens(c);
  exercise::expect(!has_values(logits.grad(), at_targets),
                   {"softmax-detached", "The gradient of ln Σ e^z is missing.",
                    "The gradient is (softmax(z) − onehot(y)) / n: do not detach the normaliser."},
                   "The gradient of the loss lacks a part.");
}

void gradients(const MaskedLoss& answer) {
  const Case c = example(8, 5, lengths);
  expect_softmax_on_tape(answer, c);
  exercise::expect_gradients([&](const std::vector<Tensor>& x) { return answer(x[0], c.targets, c.lengths); },
                             {c.logits}, {"logits"});
}

}  // namespace

exercise::Exercise masked_loss_exercise(const MaskedLoss& answer) {
  return {.name = "masked_loss",
          .stages = {{"shape", [=] { shape(answer); }},
                     {"values", [=] { values(answer); }},
                     {"independence of the pads", [=] { pads_do_not_matter(answer); }},
                     {"f32", [=] { in_f32(answer); }},
                     {"large logits", [=] { large_logits(answer); }},
                     {"gradients", [=] { gradients(answer); }}}};
}
