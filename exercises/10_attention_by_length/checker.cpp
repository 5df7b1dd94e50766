#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "answer.hpp"
#include "kit/invariants.hpp"
#include "kit/training.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;
using ByLength = std::map<std::int64_t, double>;
using Lengths = std::vector<std::int64_t>;

const Mistake all_steps{"all-steps", "All Ty steps are counted, including those of <eos> and of the padding.",
                        "A sentence of length L has the steps 0 … L − 1."};
const Mistake eos_counted{"eos-counted", "The step that writes <eos> is counted, too.",
                          "A sentence of length L has the steps 0 … L − 1."};
const Mistake pads_read{"pads-read", "Pads of the source are read.",
                        "Use only the first L of the Tx positions, where L is the length of sentence b."};
const Mistake not_averaged{"not-averaged", "The result is a sum, not a mean.",
                           "Divide by the number of steps of all sentences of that length."};
const Mistake by_sentences{"by-sentences", "The sum over steps is divided by the number of sentences.",
                           "Divide by the number of steps: L per sentence."};
const Mistake by_all_steps{"by-all-steps", "The sum is divided by Ty per sentence.",
                           "Divide by the number of steps: L per sentence."};
const Mistake last_sentence{"last-sentence", "The result uses only the last sentence of each length.",
                            "Several sentences may have the same length: add their terms up."};
const Mistake not_a_number{"not-a-number", "0 · ln 0 was computed as 0 · (−∞), which is NaN.",
                           "Skip weights of 0: they add nothing to an entropy."};
const Mistake sign{"sign", "The sign is wrong.",
                   "The logarithm of a weight is negative, the entropy positive."};
const Mistake bits{"bits", "The entropy is in bits, not in nats.", "Use std::log, not std::log2."};
const Mistake relative{"relative", "The entropy is divided by ln L.", "Return the entropy in nats."};
const Mistake perplexity{"perplexity", "The result is the mean of e^H.", "Return H itself, in nats."};
const Mistake first_sentence{"first-sentence", "The result uses only the first sentence of each length.",
                             "Several sentences may have the same length: add their terms up."};
const Mistake sorted_lengths{"sorted-lengths", "The lengths were sorted, but the sentences were not.",
                             "source_lengths[b] belongs to sentence b of the weights."};
const Mistake neighbours{"neighbours", "A neighbour of the target position counts as well.",
                         "A step counts only if its largest weight is exactly at L − 1 − t."};
const Mistake of_mean{"entropy-of-mean", "The result is the entropy of the mean weights.",
                      "Compute the entropy of each step, then the mean."};
const Mistake wrong_layout{"layout", "The weights were read as (B, Ty, Tx).",
                           "α_tbj is element (t · B + b) · Tx + j."};
const Mistake smallest{"smallest", "The result is the mean of the smallest weight.",
                       "Take the largest weight of each step."};
const Mistake first_weight{"first-weight", "The result uses the weight at L − 1 − t.",
                           "Take the largest weight, at any position."};
const Mistake padded_length{"padded-length",
                            "The target position is counted from the end of the padded source.",
                            "The position is L − 1 − t, where L is the sentence's length, not Tx."};
const Mistake diagonal{"diagonal", "The target position is t, that of the copy task.",
                       "Reversal reads from the end: L − 1 − t."};
const Mistake off_by_one{"off-by-one", "The target position is off by one.",
                         "Step 0 reads the last position, L − 1."};
const Mistake last_of_equal{"last-of-equal", "The last of several equal largest weights was used.",
                            "Use the first one: compare with >, not with >=."};
const Mistake weight_there{"weight-there", "The result is the mean weight at L − 1 − t.",
                           "Each step counts 1 or 0: is its largest weight at L − 1 − t?"};

const Mistake above_half{"above-half", "A step counts only if its largest weight is above 1/2.",
                         "A step counts if its largest weight is at L − 1 − t, however small it is."};

const Mistake renormalised{"renormalised",
                           "The weights were divided by their sum over the first L positions.",
                           "Use the weights as they are."};
const Mistake max_over_steps{"max-over-steps", "The result is the largest weight of all steps.",
                             "Take the largest weight of each step, then the mean over the steps."};
const Mistake mean_weight{"mean-weight", "The result is the mean weight, 1/L.",
                          "Take the largest weight of each step."};
const Mistake weights_in_float{"in-float", "Weights that differ only after the seventh digit count as equal.",
                               "Read the weights in double: to_vector<double>()."};
const Mistake row_of_zeros{"row-of-zeros",
                           "A row of zeros is treated in another way than other equal weights.",
                           "All its weights are largest, so the first position counts."};
const Mistake any_of_equal{"any-of-equal",
                           "A step counts even if L − 1 − t is not the first of several largest weights.",
                           "If several weights are largest, the first of them is the arg max."};

const Mistake added_epsilon{"epsilon", "A small number is added inside the logarithm.",
                            "Skip weights of 0 instead: a ln(a + ε) is wrong for every other weight, too."};
const Mistake small_skipped{"small-skipped", "Small weights are skipped, not only those of 0.",
                            "Only 0 ln 0 is 0: every weight above 0 has its term."};
const Mistake stops_at_zero{"stops-at-zero", "The sum ends at the first weight of 0.",
                            "0 ln 0 is 0: skip that weight, and continue with the next."};
const Mistake zero_at_one{"zero-at-one", "A source of one token always has the entropy 0.",
                          "Its weight may be below 1, as in local attention: use the formula."};
const Mistake max_of_mean{"max-of-mean", "The weights are averaged over the sentences before the maximum.",
                          "Take the maximum of each sentence's step, then the mean."};
const Mistake starts_high{"starts-high", "The search for the largest weight starts at 1/2.",
                          "Start at the first weight: all weights may be below 1/2."};
const Mistake percent{"percent", "The result is in percent.", "Return a fraction, from 0 to 1."};
const Mistake rounded{"rounded", "The result is rounded.", "Return the mean itself, not rounded."};
const Mistake halved{"running-mean", "Each new term is averaged with the mean so far, with equal weight.",
                     "Add all terms, and divide by their number at the end."};

struct Case {
  Tensor weights;  // (Ty, B, Tx)
  Lengths lengths;
};

// α_tbj: a softmax over the first L energies. Pads get arbitrary numbers.
double weight(const Plain& e, std::int64_t t, std::int64_t b, std::int64_t j, std::int64_t L) {
  if (j >= L) return 0.4 + 0.2 * e(t, b, j) * e(t, b, j);
  double total = 0;
  for (std::int64_t k = 0; k < L; ++k) total += std::exp(e(t, b, k));
  return std::exp(e(t, b, j)) / total;
}

// Lengths repeat and are unordered. In sentence 0, one step has a weight of 1, and two steps have ties. The
// weights of padding are arbitrary.
Case example(const Lengths& lengths = {3, 5, 2, 3, 1, 5, 4, 4}, std::uint64_t seed = 8) {
  Generator generator(seed);
  const Plain e(normal({7, 8, 5}, 0, 1.5, generator, Dtype::f64));
  Plain weights(e.shape());
  for (std::int64_t t = 0; t < e.size(0); ++t)
    for (std::int64_t b = 0; b < e.size(1); ++b)
      for (std::int64_t j = 0; j < e.size(2); ++j)
        weights(t, b, j) = weight(e, t, b, j, lengths[static_cast<std::size_t>(b)]);
  // With the default lengths, sentence 0 has three tokens. At step 2, the right position has the first of two
  // equal weights. At step 1, the right position has the second of three equal weights.
  const double sure[] = {0, 1, 0}, tied[] = {0.4, 0.2, 0.4}, tied_thrice[] = {0.3, 0.3, 0.3};
  for (std::int64_t j = 0; j < 3; ++j) {
    weights(0, 0, j) = sure[j];
    weights(1, 0, j) = tied_thrice[j];
    weights(2, 0, j) = tied[j];
  }
  // If sentence 1 has five tokens, two of its weights at step 0 are small, and the two largest are equal in
  // f32.
  const double close[] = {1e-5, 3e-4, 0.29969, 0.35, 0.35 + 1e-12};
  for (std::int64_t j = 0; j < 5 && lengths[1] == 5; ++j) weights(0, 1, j) = close[j];
  return {weights.tensor(), lengths};
}

// --- plain loops

// The weights of a sentence of length L at step t; Tx is the padded length.
struct Step {
  std::vector<double> alpha;
  std::int64_t t, L, Tx;
};
using OfStep = std::function<double(const Step&)>;

std::size_t largest(const std::vector<double>& x) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < x.size(); ++j)
    if (x[j] > x[best]) best = j;
  return best;
}

double entropy_of(const std::vector<double>& alpha) {
  double H = 0;
  for (const double a : alpha)
    if (a > 0) H -= a * std::log(a);
  return H;
}

double is_at(const Step& step, std::int64_t position) {
  return static_cast<std::int64_t>(largest(step.alpha)) == position ? 1 : 0;
}

double entropy(const Step& step) { return entropy_of(step.alpha); }
double sharpness(const Step& step) { return step.alpha[largest(step.alpha)]; }
double on_target(const Step& step) { return is_at(step, step.L - 1 - step.t); }

// How to compute the means. The default values are right.
struct Counting {
  std::int64_t more_steps = 0;  // steps after L
  bool all_steps = false, all_positions = false, batch_first = false, last_sentence = false,
       first_sentence = false;
  enum { steps, sentences, ty, nothing } divided_by = steps;
};

ByLength measured(const Case& c, const OfStep& of_step, const Counting& how = {}) {
  const Plain weights(c.weights);
  const std::int64_t Ty = weights.size(0), B = weights.size(1), Tx = weights.size(2);
  const auto element = [&](std::int64_t t, std::int64_t b, std::int64_t j) {
    return how.batch_first ? weights.values()[static_cast<std::size_t>((b * Ty + t) * Tx + j)]
                           : weights(t, b, j);
  };
  ByLength total, count;
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t L = c.lengths[static_cast<std::size_t>(b)];
    if (how.last_sentence) total[L] = count[L] = 0;
    if (how.first_sentence && count[L] > 0) continue;
    const std::int64_t steps = how.all_steps ? Ty : L + how.more_steps;
    for (std::int64_t t = 0; t < steps; ++t) {
      Step step{{}, t, L, Tx};
      for (std::int64_t j = 0; j < (how.all_positions ? Tx : L); ++j) step.alpha.push_back(element(t, b, j));
      total[L] += of_step(step);
    }
    const std::int64_t by[] = {steps, 1, Ty, 0};
    count[L] += static_cast<double>(by[how.divided_by]);
  }
  for (auto& [length, value] : total)
    if (how.divided_by != Counting::nothing) value /= count[length];
  return total;
}

ByLength entropy_of_means(const Case& c) {
  ByLength entropies;
  for (const std::int64_t L : c.lengths) {
    std::vector<double> means;
    for (std::int64_t j = 0; j < L; ++j)
      means.push_back(measured(c, [j](const Step& step) {
                        return static_cast<std::size_t>(j) < step.alpha.size()
                                   ? step.alpha[static_cast<std::size_t>(j)]
                                   : 0;
                      }).at(L));
    entropies[L] = entropy_of(means);
  }
  return entropies;
}

// A mistake: averages the weights over the sentences of a length, and takes the maximum of each step's mean.
ByLength largest_of_means(const Case& c) {
  std::map<std::int64_t, std::vector<std::vector<double>>> sums;  // length → step → position
  measured(c, [&](const Step& step) {
    auto& rows = sums[step.L];
    rows.resize(static_cast<std::size_t>(step.L), std::vector<double>(static_cast<std::size_t>(step.L)));
    for (std::size_t j = 0; j < step.alpha.size(); ++j)
      rows[static_cast<std::size_t>(step.t)][j] += step.alpha[j];
    return 0;
  });
  ByLength means;
  for (const auto& [L, rows] : sums)
    for (const std::vector<double>& row : rows)
      means[L] += row[largest(row)] / static_cast<double>(std::ranges::count(c.lengths, L) * L);
  return means;
}

ByLength largest_of_all_steps(const Case& c) {
  ByLength most;
  measured(c, [&](const Step& step) { return most[step.L] = std::max(most[step.L], sharpness(step)); });
  return most;
}

// A mistake: for each length, uses only the last group of adjacent sentences of this length.
ByLength last_run(const Case& c, const OfStep& of_step) {
  ByLength last;
  const auto B = std::ssize(c.lengths);
  for (std::int64_t b = 0, end = 0; b < B; b = end) {
    const std::int64_t L = c.lengths[static_cast<std::size_t>(b)];
    for (end = b; end < B && c.lengths[static_cast<std::size_t>(end)] == L;) ++end;
    last[L] =
        measured({c.weights.slice(b, end, 1), Lengths(static_cast<std::size_t>(end - b), L)}, of_step).at(L);
  }
  return last;
}

// A mistake: mean = (mean + term) / 2 for each new term.
ByLength halved_means(const Case& c, const OfStep& of_step) {
  ByLength means;
  measured(c, [&](const Step& step) {
    const double now = of_step(step);
    const auto [at, is_new] = means.emplace(step.L, now);
    if (!is_new) at->second = (at->second + now) / 2;
    return now;
  });
  return means;
}

// A mistake: for each new sentence of a length, mean = (mean + the sentence's mean) / 2.
ByLength halved_sentences(const Case& c, const OfStep& of_step) {
  ByLength means;
  for (std::int64_t b = 0; b < std::ssize(c.lengths); ++b) {
    const std::int64_t L = c.lengths[static_cast<std::size_t>(b)];
    const double now = measured({c.weights.slice(b, b + 1, 1), {L}}, of_step).at(L);
    const auto [at, is_new] = means.emplace(L, now);
    if (!is_new) at->second = (at->second + now) / 2;
  }
  return means;
}

ByLength times(ByLength values, double factor) {
  for (auto& [length, value] : values) value *= factor;
  return values;
}

ByLength with_sorted_lengths(Case c, const OfStep& of_step) {
  std::ranges::sort(c.lengths);
  return measured(c, of_step);
}

struct Suspect {
  Mistake mistake;
  ByLength values;
};

std::vector<Suspect> counting_suspects(const Case& c, const OfStep& of_step) {
  return {
      {all_steps, measured(c, of_step, {.all_steps = true})},
      {all_steps, measured(c, of_step, {.all_steps = true, .all_positions = true})},
      {eos_counted, measured(c, of_step, {.more_steps = 1})},
      {pads_read, measured(c, of_step, {.all_positions = true})},
      {not_averaged, measured(c, of_step, {.divided_by = Counting::nothing})},
      {by_sentences, measured(c, of_step, {.divided_by = Counting::sentences})},
      {by_all_steps, measured(c, of_step, {.divided_by = Counting::ty})},
      {last_sentence, measured(c, of_step, {.last_sentence = true})},
      {last_sentence, last_run(c, of_step)},
      {wrong_layout, measured(c, of_step, {.batch_first = true})},
      {first_sentence, measured(c, of_step, {.first_sentence = true})},
      {sorted_lengths, with_sorted_lengths(c, of_step)},
      {percent, times(measured(c, of_step), 100)},
      {halved, halved_means(c, of_step)},
      {halved, halved_sentences(c, of_step)},
  };
}

// --- stages

std::string text(const ByLength& values) {
  std::string keys;
  for (const auto& [length, value] : values) keys += (keys.empty() ? "" : ", ") + std::to_string(length);
  return keys.empty() ? "none" : keys;
}

bool same(const ByLength& a, const ByLength& b, double bound = exercise::in_double) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [=](const auto& x, const auto& y) {
    return x.first == y.first && ((std::isnan(x.second) && std::isnan(y.second)) ||
                                  std::abs(x.second - y.second) <= bound * (1 + std::abs(y.second)));
  });
}

using Rounding = double (*)(double);

Mistake mistake_in(const ByLength& got, const ByLength& expected, const std::vector<Suspect>& suspects) {
  for (const Suspect& suspect : suspects)
    if (same(got, suspect.values)) return suspect.mistake;
  const auto is_nan = [](const auto& entry) { return std::isnan(entry.second); };
  if (std::any_of(got.begin(), got.end(), is_nan)) return not_a_number;
  for (const double unit : {1.0, 0.1, 0.01, 0.001})
    for (const Rounding round : {static_cast<Rounding>(std::round), static_cast<Rounding>(std::trunc)}) {
      ByLength coarse = expected;
      for (auto& [length, value] : coarse) value = round(value / unit + 1e-9) * unit;
      if (same(got, coarse)) return rounded;
    }
  if (same(got, expected, 1e-5)) return {};  // expect_value() then reports "inexact"
  return {"values", "", "Compute this mean by hand, from the weights of one length."};
}

void expect_by_length(const std::string& what, const ByLength& got, const ByLength& expected,
                      const std::vector<Suspect>& suspects = {}, double bound = exercise::in_double,
                      const Mistake& otherwise = {}) {
  exercise::expect(
      text(got) == text(expected), {"lengths", "", "Return one entry for each source length in the batch."},
      what + " has entries for other lengths than those of the batch.", text(got), text(expected));
  for (const auto& [length, value] : expected)
    exercise::expect_value(what + " of the sources of length " + std::to_string(length), got.at(length),
                           value, otherwise.name.empty() ? mistake_in(got, expected, suspects) : otherwise,
                           bound);
}

void check(const std::string& what, const Measure& answer, const OfStep& of_step,
           const std::function<std::vector<Suspect>(const Case&)>& special) {
  const auto compare = [&](const Case& c, const std::string& which) {
    std::vector<Suspect> suspects = counting_suspects(c, of_step);
    for (const Suspect& suspect : special(c)) suspects.push_back(suspect);
    // Drops the suspects with the right values: they cannot explain why an answer is wrong.
    std::erase_if(suspects,
                  [&](const Suspect& suspect) { return same(suspect.values, measured(c, of_step)); });
    // The bound is tighter than for tensors, so that an answer with ln(a + 1e-9) in place of ln a fails.
    expect_by_length(what + which, answer(c.weights, tensor(c.lengths)), measured(c, of_step), suspects,
                     1e-12);
  };
  const auto results = [&](const Case& c) {
    exercise::Results all;
    for (const auto& [length, value] : answer(c.weights, tensor(c.lengths)))
      all.emplace_back(std::to_string(length), Plain(value).tensor());
    return all;
  };
  Case c = example();
  compare(c, "");
  const Case other = example({4, 1, 5, 3, 3, 2, 5, 1}, 9);
  exercise::expect_right_again([&] { compare(other, " in another batch"); }, [&] { return results(other); },
                               [&] { results({other.weights.slice(0, 2, 1), {4, 1}}); });
  compare(example({3, 5, 3, 3, 5, 3, 1, 3}, 10), " in a batch with five sources of one length");
  c.weights = 0.8 * c.weights;  // like local-p attention, whose weights sum to less than 1
  compare(c, " of weights that sum to 0.8");
}

ByLength with_small_weights_skipped(const Case& c, double least) {
  return measured(c, [=](const Step& s) {
    double H = 0;
    for (const double a : s.alpha)
      if (a > least) H -= a * std::log(a);
    return H;
  });
}

ByLength with_epsilon(const Case& c, double epsilon) {
  return measured(c, [=](const Step& s) {
    double H = 0;
    for (const double a : s.alpha) H -= a * std::log(a + epsilon);
    return H;
  });
}

void check_entropy(const AttentionByLength& answer) {
  check("the entropy", answer.entropy, entropy, [](const Case& c) -> std::vector<Suspect> {
    return {{sign, measured(c, [](const Step& s) { return -entropy(s); })},
            {bits, measured(c, [](const Step& s) { return entropy(s) / std::log(2.0); })},
            {relative, measured(c,
                                [](const Step& s) {
                                  return s.L == 1 ? 0 : entropy(s) / std::log(static_cast<double>(s.L));
                                })},
            {relative,  // divides by ln L; 0/0 for a source of one token
             measured(c, [](const Step& s) { return entropy(s) / std::log(static_cast<double>(s.L)); })},
            {perplexity, measured(c, [](const Step& s) { return std::exp(entropy(s)); })},
            {renormalised, measured(c,
                                    [](const Step& s) {
                                      double total = 0;
                                      for (const double a : s.alpha) total += a;
                                      return (entropy(s) + total * std::log(total)) / total;
                                    })},
            {small_skipped, with_small_weights_skipped(c, 1e-2)},
            {small_skipped, with_small_weights_skipped(c, 1e-3)},
            {small_skipped, with_small_weights_skipped(c, 1e-4)},
            {added_epsilon, with_epsilon(c, 1e-3)},
            {added_epsilon, with_epsilon(c, 1e-4)},
            {added_epsilon, with_epsilon(c, 1e-5)},
            {added_epsilon, with_epsilon(c, 1e-6)},
            {added_epsilon, with_epsilon(c, 1e-7)},
            {added_epsilon, with_epsilon(c, 1e-8)},
            {of_mean, entropy_of_means(c)},
            {zero_at_one, measured(c, [](const Step& s) { return s.L == 1 ? 0 : entropy(s); })},
            {stops_at_zero, measured(c, [](const Step& s) {
               return entropy_of({s.alpha.begin(), std::ranges::find(s.alpha, 0.0)});
             })}};
  });
}

void check_sharpness(const AttentionByLength& answer) {
  check("the sharpness", answer.sharpness, sharpness, [](const Case& c) -> std::vector<Suspect> {
    return {{smallest,
             measured(c, [](const Step& s) { return *std::min_element(s.alpha.begin(), s.alpha.end()); })},
            {max_over_steps, largest_of_all_steps(c)},
            {max_of_mean, largest_of_means(c)},
            {starts_high, measured(c, [](const Step& s) { return std::max(0.5, sharpness(s)); })},
            {mean_weight, measured(c,
                                   [](const Step& s) {
                                     double total = 0;
                                     for (const double a : s.alpha) total += a;
                                     return total / static_cast<double>(s.L);
                                   })},
            {first_weight,
             measured(c, [](const Step& s) { return s.alpha[static_cast<std::size_t>(s.L - 1 - s.t)]; })}};
  });
}

void check_on_target(const AttentionByLength& answer) {
  check("the fraction on target", answer.on_target, on_target, [](const Case& c) -> std::vector<Suspect> {
    return {{padded_length, measured(c, [](const Step& s) { return is_at(s, s.Tx - 1 - s.t); })},
            {diagonal, measured(c, [](const Step& s) { return is_at(s, s.t); })},
            {neighbours, measured(c,
                                  [](const Step& s) {
                                    const auto away =
                                        static_cast<std::int64_t>(largest(s.alpha)) - (s.L - 1 - s.t);
                                    return std::abs(away) <= 1 ? 1.0 : 0.0;
                                  })},
            {off_by_one, measured(c, [](const Step& s) { return is_at(s, s.L - s.t); })},
            {off_by_one, measured(c, [](const Step& s) { return is_at(s, s.L - 2 - s.t); })},
            {last_of_equal, measured(c,
                                     [](const Step& s) {
                                       std::vector<double> turned(s.alpha.rbegin(), s.alpha.rend());
                                       return static_cast<std::int64_t>(largest(turned)) == s.t ? 1.0 : 0.0;
                                     })},
            {any_of_equal, measured(c,
                                    [](const Step& s) {
                                      return s.alpha[static_cast<std::size_t>(s.L - 1 - s.t)] == sharpness(s)
                                                 ? 1.0
                                                 : 0.0;
                                    })},
            {weights_in_float, measured(c,
                                        [](const Step& s) {
                                          std::vector<double> coarse(s.alpha.begin(), s.alpha.end());
                                          for (double& a : coarse) a = static_cast<float>(a);
                                          return static_cast<std::int64_t>(largest(coarse)) == s.L - 1 - s.t
                                                     ? 1.0
                                                     : 0.0;
                                        })},
            {above_half, measured(c, [](const Step& s) { return sharpness(s) > 0.5 ? on_target(s) : 0; })},
            {weight_there,
             measured(c, [](const Step& s) { return s.alpha[static_cast<std::size_t>(s.L - 1 - s.t)]; })}};
  });
  const Case zeros{0 * example().weights, example().lengths};
  expect_by_length("the fraction on target of weights of 0",
                   answer.on_target(zeros.weights, tensor(zeros.lengths)), measured(zeros, on_target), {},
                   exercise::in_double, row_of_zeros);
}

void expect_all(const AttentionByLength& answer, const Case& c, double bound = exercise::in_double) {
  const Tensor lengths = tensor(c.lengths);
  expect_by_length("the entropy", answer.entropy(c.weights, lengths), measured(c, entropy), {}, bound);
  expect_by_length("the sharpness", answer.sharpness(c.weights, lengths), measured(c, sharpness), {}, bound);
  expect_by_length("the fraction on target", answer.on_target(c.weights, lengths), measured(c, on_target), {},
                   bound);
}

// Checks weights in f32, the dtype that a model returns, and then a batch of one sentence.
void as_a_model_gives_them(const AttentionByLength& answer) {
  const Case c = example();
  constexpr double in_float = 1e-5;
  expect_all(answer, {c.weights.to(Dtype::f32), c.lengths}, in_float);
  expect_all(answer, {c.weights.slice(1, 2, 1), {5}});
}

// --- a trained model

// The weights of a trained model with teacher forcing, padded to a batch.
Case attention_of(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs) {
  const std::vector<models::Forced> forced = models::force_decode(model, pairs);
  Case c;
  std::int64_t longest = 0;
  for (const data::Pair& pair : pairs) {
    c.lengths.push_back(std::ssize(pair.source));
    longest = std::max(longest, c.lengths.back());
  }
  Plain weights(Shape{longest + 1, std::ssize(pairs), longest});
  for (std::int64_t b = 0; b < weights.size(1); ++b) {
    const Plain own(forced[static_cast<std::size_t>(b)].weights);  // (L + 1, L)
    for (std::int64_t t = 0; t < own.size(0); ++t)
      for (std::int64_t j = 0; j < own.size(1); ++j) weights(t, b, j) = own(t, j);
  }
  c.weights = weights.tensor();
  return c;
}

void of_a_trained_model(const AttentionByLength& answer) {
  const exercise::Reversals task;
  seed(1);
  const auto model = models::make_bahdanau({.vocabulary = exercise::vocabulary_of(task)});
  exercise::train_on_reversals("Bahdanau", *model, task);

  const data::Reversal reversal(task.symbols, task.shortest, task.longest);
  const Lengths lengths = {3, 4, 5, 6, 7, 8, 9, 10, 12, 14};
  Generator generator(2);
  std::vector<data::Pair> pairs;
  for (const std::int64_t length : lengths)
    for (const data::Pair& pair :
         reversal.held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, 100))
      pairs.push_back(pair);
  const Case c = attention_of(*model, pairs);
  const tutorial::Scores scores = tutorial::measure(*model, reversal, lengths);

  const ByLength H = answer.entropy(c.weights, tensor(c.lengths)),
                 m = answer.sharpness(c.weights, tensor(c.lengths)),
                 right = answer.on_target(c.weights, tensor(c.lengths));
  expect_all(answer, c);
  tutorial::Table table{.name = "by_length",
                        .rows_are = "length",
                        .columns = {"exact match", "on target", "sharpness", "entropy", "ln L"},
                        .rows = {}};
  for (const std::int64_t length : lengths)
    table.rows.push_back({std::to_string(length),
                          {scores.at(length).exact.fraction(), right.at(length), m.at(length), H.at(length),
                           std::log(static_cast<double>(length))}});
  std::cout << "\n  trained on lengths " << task.shortest << " to " << task.longest << ", " << task.steps
            << " updates; measured on held-out sources. The weights come from\n"
               "  teacher forcing, the exact match from free decoding\n"
            << tutorial::text(table) << '\n';
}

}  // namespace

exercise::Exercise attention_by_length_exercise(const AttentionByLength& answer) {
  return {.name = "attention_by_length",
          .stages = {{"entropy", [=] { check_entropy(answer); }},
                     {"sharpness", [=] { check_sharpness(answer); }},
                     {"on target", [=] { check_on_target(answer); }},
                     {"f32, and a batch of one", [=] { as_a_model_gives_them(answer); }},
                     {"a trained model", [=] { of_a_trained_model(answer); }, true}}};
}
