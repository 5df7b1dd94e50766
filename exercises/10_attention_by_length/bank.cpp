#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "answer.hpp"

using namespace gradus;

namespace {

using ByLength = std::map<std::int64_t, double>;

Tensor lengths_as(const Tensor& x, const Tensor& lengths) { return lengths.to(x.dtype()); }

// Sets the weights of source pads to 0: (Ty, B, Tx).
Tensor real_positions(const Tensor& weights, const Tensor& lengths) {
  return masked_fill(weights, less_equal(unsqueeze(lengths, 1), arange(weights.size(2))), 0);
}

// 1 at steps t < L, 0 at later steps: (Ty, B).
Tensor real_steps(const Tensor& weights, const Tensor& lengths) {
  return less(unsqueeze(arange(weights.size(0)), 1), lengths);
}

Tensor entropies(const Tensor& weights) {
  return -sum(weights * log(masked_fill(weights, equal(weights, zeros({}, weights.dtype())), 1)), 2);
}

Tensor at_true_position(const Tensor& largest, const Tensor& lengths) {
  const Tensor t = unsqueeze(arange(largest.size(0)), 1).to(Dtype::f64);
  return equal(largest.to(Dtype::f64) + t + 1.0, lengths.to(Dtype::f64)).to(Dtype::f64);
}

// The mean of `values` (Ty, B) for each source length, over the steps where `counted` (Ty, B) is 1.
ByLength means(const Tensor& values, const Tensor& counted, const Tensor& lengths) {
  const std::vector<double> totals =
      sum(values.to(Dtype::f64) * counted.to(Dtype::f64), 0).to_vector<double>();
  const std::vector<double> steps = sum(counted.to(Dtype::f64), 0).to_vector<double>();
  ByLength total, count;
  for (std::size_t b = 0; b < totals.size(); ++b) {
    const std::int64_t L = lengths.values<std::int64_t>()[b];
    total[L] += totals[b];
    count[L] += steps[b];
  }
  for (auto& [length, value] : total) value /= count[length];
  return total;
}

// Uses tensor operations on the whole batch.
ByLength entropy(const Tensor& weights, const Tensor& lengths) {
  return means(entropies(real_positions(weights, lengths)), real_steps(weights, lengths), lengths);
}
ByLength sharpness(const Tensor& weights, const Tensor& lengths) {
  return means(max(real_positions(weights, lengths), 2), real_steps(weights, lengths), lengths);
}
ByLength on_target(const Tensor& weights, const Tensor& lengths) {
  return means(at_true_position(argmax(real_positions(weights, lengths)), lengths),
               real_steps(weights, lengths), lengths);
}

// Loops over sentences, and slices their weights.
template <class OfSentence>
ByLength by_slices(const Tensor& weights, const Tensor& lengths, const OfSentence& of_sentence) {
  std::map<std::int64_t, std::vector<double>> all;
  for (std::int64_t b = 0; b < weights.size(1); ++b) {
    const std::int64_t L = lengths.to_vector<std::int64_t>()[static_cast<std::size_t>(b)];
    const Tensor own = transpose(weights, 0, 1)[b].slice(0, L).slice(0, L, 1);  // (L, L)
    for (const double value : of_sentence(own).template to_vector<double>()) all[L].push_back(value);
  }
  ByLength result;
  for (const auto& [length, values] : all) {
    double total = 0;
    for (const double value : values) total += value;
    result[length] = total / static_cast<double>(values.size());
  }
  return result;
}

ByLength entropy_by_slices(const Tensor& weights, const Tensor& lengths) {
  return by_slices(weights, lengths, [](const Tensor& own) {
    return -sum(where(greater(own, zeros({}, own.dtype())), own * log(own), zeros(own.shape(), own.dtype())),
                1);
  });
}
ByLength sharpness_by_slices(const Tensor& weights, const Tensor& lengths) {
  return by_slices(weights, lengths, [](const Tensor& own) { return max(own, 1); });
}
ByLength on_target_by_slices(const Tensor& weights, const Tensor& lengths) {
  return by_slices(weights, lengths, [](const Tensor& own) {
    return equal(argmax(own), flip(arange(own.size(0)).to(Dtype::f64), 0).to(Dtype::i64));
  });
}

ByLength changed(ByLength values, double (*f)(std::int64_t length, double value)) {
  for (auto& [length, value] : values) value = f(length, value);
  return values;
}

exercise::Attempt entropy_is(const std::string& name, const std::string& mistake, const Measure& measure) {
  return {name, mistake, attention_by_length_exercise({measure, sharpness, on_target})};
}
exercise::Attempt sharpness_is(const std::string& name, const std::string& mistake, const Measure& measure) {
  return {name, mistake, attention_by_length_exercise({entropy, measure, on_target})};
}
exercise::Attempt on_target_is(const std::string& name, const std::string& mistake, const Measure& measure) {
  return {name, mistake, attention_by_length_exercise({entropy, sharpness, measure})};
}

// Wrong: keeps the mean entropies of all calls, and returns their means.
Measure keeping_sums() {
  return
      [kept = std::map<std::int64_t, std::vector<double>>()](const Tensor& w, const Tensor& lengths) mutable {
        ByLength result;
        for (const auto& [L, value] : entropy(w, lengths)) {
          kept[L].push_back(value);
          for (const double one : kept[L]) result[L] += one / static_cast<double>(kept[L].size());
        }
        return result;
      };
}

Tensor all_steps(const Tensor& weights) { return ones({weights.size(0), weights.size(1)}); }

}  // namespace

int main() {
  return exercise::bank({
      {"tensor operations", "", attention_by_length_exercise({entropy, sharpness, on_target})},
      {"sentence by sentence", "",
       attention_by_length_exercise({entropy_by_slices, sharpness_by_slices, on_target_by_slices})},
      entropy_is("all steps", "all-steps",
                 [](const Tensor& w, const Tensor& lengths) {
                   return means(entropies(real_positions(w, lengths)), all_steps(w), lengths);
                 }),
      entropy_is("<eos> counted", "eos-counted",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor counted = less_equal(unsqueeze(arange(w.size(0)), 1), lengths);
                   return means(entropies(real_positions(w, lengths)), counted, lengths);
                 }),
      entropy_is("pads read", "pads-read",
                 [](const Tensor& w, const Tensor& lengths) {
                   return means(entropies(w), real_steps(w, lengths), lengths);
                 }),
      entropy_is("0 times −∞", "not-a-number",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor real = real_positions(w, lengths);
                   return means(-sum(real * log(real), 2), real_steps(w, lengths), lengths);
                 }),
      entropy_is("negative", "sign",
                 [](const Tensor& w, const Tensor& lengths) {
                   return changed(entropy(w, lengths), [](auto, double H) { return -H; });
                 }),
      entropy_is("in bits", "bits",
                 [](const Tensor& w, const Tensor& lengths) {
                   return changed(entropy(w, lengths), [](auto, double H) { return H / std::log(2.0); });
                 }),
      entropy_is("divided by ln L", "relative",
                 [](const Tensor& w, const Tensor& lengths) {
                   return changed(entropy(w, lengths), [](std::int64_t L, double H) {
                     return L == 1 ? 0 : H / std::log(static_cast<double>(L));
                   });
                 }),
      entropy_is("divided by the number of sentences", "by-sentences",
                 [](const Tensor& w, const Tensor& lengths) {
                   return changed(entropy(w, lengths),
                                  [](std::int64_t L, double H) { return H * static_cast<double>(L); });
                 }),
      entropy_is("one entry, for Tx", "lengths",
                 [](const Tensor& w, const Tensor& lengths) {
                   return ByLength{{w.size(2), entropy(w, lengths).begin()->second}};
                 }),
      entropy_is("1e-6 in the logarithm", "epsilon",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor real = real_positions(w, lengths);
                   return means(-sum(real * log(real + 1e-6), 2), real_steps(w, lengths), lengths);
                 }),
      entropy_is("weights renormalised", "renormalised",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor real = real_positions(w, lengths);
                   const Tensor totals = sum(real, 2, true);
                   const Tensor none = equal(totals, zeros({}, w.dtype()));
                   return entropy(real / masked_fill(totals, none, 1), lengths);
                 }),
      entropy_is("averages over all batches", "remembers", keeping_sums()),
      entropy_is("an entry for every length", "lengths",
                 [](const Tensor& w, const Tensor& lengths) {
                   ByLength all = entropy(w, lengths);
                   for (std::int64_t L = 1; L <= w.size(2); ++L) all.try_emplace(L, 0);
                   return all;
                 }),
      entropy_is("weights read as f32", "error",
                 [](const Tensor& w, const Tensor& lengths) {
                   const auto numbers = w.values<float>();
                   return numbers.empty() ? ByLength{} : entropy(w, lengths);
                 }),
      sharpness_is("maximum over the steps", "max-over-steps",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength most;
                     by_slices(w, lengths, [&](const Tensor& own) {
                       double& here = most[own.size(0)];
                       here = std::max(here, max(own).item());
                       return own;
                     });
                     return most;
                   }),
      sharpness_is("only the last neighbours of equal length", "last-sentence",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength last;
                     const auto n = lengths.to_vector<std::int64_t>();
                     for (std::size_t b = 0, end = 0; b < n.size(); b = end) {
                       for (end = b; end < n.size() && n[end] == n[b];) ++end;
                       const auto from = static_cast<std::int64_t>(b), to = static_cast<std::int64_t>(end);
                       last[n[b]] = sharpness(w.slice(from, to, 1), lengths.slice(from, to)).begin()->second;
                     }
                     return last;
                   }),
      sharpness_is("mean weight", "mean-weight",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) { return mean(own, 1); });
                   }),
      on_target_is("any of several maxima", "any-of-equal",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       const Tensor there = equal(own, max(own, 1, true)).to(Dtype::f64);
                       std::vector<double> right;
                       for (std::int64_t t = 0, L = own.size(0); t < L; ++t)
                         right.push_back(there[t][L - 1 - t].item());
                       return tensor(right);
                     });
                   }),
      sharpness_is(
          "all steps and pads", "all-steps",
          [](const Tensor& w, const Tensor& lengths) { return means(max(w, 2), all_steps(w), lengths); }),
      sharpness_is("pads read", "pads-read",
                   [](const Tensor& w, const Tensor& lengths) {
                     return means(max(w, 2), real_steps(w, lengths), lengths);
                   }),
      sharpness_is("only the last sentence", "last-sentence",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength last;
                     for (std::int64_t b = 0; b < w.size(1); ++b) {
                       const auto [L, value] =
                           *sharpness(w.slice(b, b + 1, 1), lengths.slice(b, b + 1)).begin();
                       last[L] = value;
                     }
                     return last;
                   }),
      sharpness_is("(B, Ty, Tx)", "layout",
                   [](const Tensor& w, const Tensor& lengths) {
                     const Tensor read = w.reshape({w.size(1), w.size(0), w.size(2)});
                     return sharpness(transpose(read, 0, 1), lengths);
                   }),
      sharpness_is("smallest weight", "smallest",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) { return min(own, 1); });
                   }),
      sharpness_is("weight at the target position", "first-weight",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       const std::int64_t L = own.size(0);
                       std::vector<double> there;
                       for (std::int64_t t = 0; t < L; ++t) there.push_back(own[t][L - 1 - t].item());
                       return tensor(there);
                     });
                   }),
      on_target_is("counted from the padded end", "padded-length",
                   [](const Tensor& w, const Tensor& lengths) {
                     const Tensor padded = full(lengths.shape(), static_cast<double>(w.size(2)), Dtype::i64);
                     return means(at_true_position(argmax(real_positions(w, lengths)), padded),
                                  real_steps(w, lengths), lengths);
                   }),
      on_target_is("a row of zeros misses", "row-of-zeros",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       const Tensor target = flip(arange(own.size(0)).to(Dtype::f64), 0).to(Dtype::i64);
                       const Tensor has_weight = greater(max(own, 1), zeros({}, own.dtype()));
                       return equal(argmax(own), target).to(Dtype::f64) * has_weight.to(Dtype::f64);
                     });
                   }),
      on_target_is("diagonal", "diagonal",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       return equal(argmax(own), arange(own.size(0)));
                     });
                   }),
      on_target_is("L − t", "off-by-one",
                   [](const Tensor& w, const Tensor& lengths) {
                     const Tensor longer = (lengths.to(Dtype::f64) + 1.0).to(Dtype::i64);
                     return means(at_true_position(argmax(real_positions(w, lengths)), longer),
                                  real_steps(w, lengths), lengths);
                   }),
      on_target_is("last of several maxima", "last-of-equal",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       return equal(argmax(flip(own, 1)), arange(own.size(0)));
                     });
                   }),
      on_target_is("only weights above 1/2", "above-half",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       const Tensor at = equal(argmax(own), flip(arange(own.size(0)), 0)).to(Dtype::f64);
                       return at * less(full({}, 0.5, own.dtype()), max(own, 1)).to(Dtype::f64);
                     });
                   }),
      on_target_is("not divided", "not-averaged",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength total;
                     for (const auto& [L, value] : on_target(w, lengths)) {
                       double steps = 0;
                       for (const double length : lengths_as(w, lengths).to_vector<double>())
                         steps += length == static_cast<double>(L) ? length : 0;
                       total[L] = value * steps;
                     }
                     return total;
                   }),
      on_target_is("pads read", "pads-read",
                   [](const Tensor& w, const Tensor& lengths) {
                     return means(at_true_position(argmax(w), lengths), real_steps(w, lengths), lengths);
                   }),
      entropy_is("mean with the mean so far", "running-mean",
                 [](const Tensor& w, const Tensor& lengths) {
                   ByLength of;
                   for (std::int64_t b = 0; b < w.size(1); ++b) {
                     const auto one = entropy(w.slice(b, b + 1, 1), lengths.slice(b, b + 1));
                     const auto [L, value] = *one.begin();
                     const auto [at, is_new] = of.emplace(L, value);
                     if (!is_new) at->second = (at->second + value) / 2;
                   }
                   return of;
                 }),
      on_target_is(
          "weights rounded to float", "in-float",
          [](const Tensor& w, const Tensor& lengths) { return on_target(w.to(Dtype::f32), lengths); }),
      sharpness_is("largest minus smallest", "values",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths,
                                      [](const Tensor& own) { return max(own, 1) - min(own, 1); });
                   }),
      entropy_is("weights below 0.001 left out", "small-skipped",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor small = less(w, full({}, 1e-3, w.dtype()));
                   return entropy(masked_fill(w, small, 0), lengths);
                 }),
      entropy_is("divided by ln L, 0/0 for one token", "relative",
                 [](const Tensor& w, const Tensor& lengths) {
                   return changed(entropy(w, lengths), [](std::int64_t L, double H) {
                     return H / std::log(static_cast<double>(L));
                   });
                 }),
      entropy_is("1e-9 in the logarithm", "inexact",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor own = real_positions(w, lengths);
                   return means(-sum(own * log(own + 1e-9), 2), real_steps(w, lengths), lengths);
                 }),
      entropy_is("1e-3 in the logarithm", "epsilon",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor own = real_positions(w, lengths);
                   return means(-sum(own * log(own + 1e-3), 2), real_steps(w, lengths), lengths);
                 }),
      entropy_is("perplexity", "perplexity",
                 [](const Tensor& w, const Tensor& lengths) {
                   return means(exp(entropies(real_positions(w, lengths))), real_steps(w, lengths), lengths);
                 }),
      sharpness_is("only the first sentence of each length", "first-sentence",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength first;
                     for (std::int64_t b = 0; b < w.size(1); ++b)
                       first.merge(sharpness(w.slice(b, b + 1, 1), lengths.slice(b, b + 1)));
                     return first;
                   }),
      sharpness_is("lengths sorted", "sorted-lengths",
                   [](const Tensor& w, const Tensor& lengths) {
                     std::vector<std::int64_t> sorted = lengths.to_vector<std::int64_t>();
                     std::sort(sorted.begin(), sorted.end());
                     return sharpness(w, tensor(sorted));
                   }),
      on_target_is("neighbours count", "neighbours",
                   [](const Tensor& w, const Tensor& lengths) {
                     return by_slices(w, lengths, [](const Tensor& own) {
                       const Tensor at = argmax(own).to(Dtype::f64),
                                    to = flip(arange(own.size(0)).to(Dtype::f64), 0);
                       return less(abs(at - to), full({}, 1.5, Dtype::f64));
                     });
                   }),
      entropy_is("0 for one token", "zero-at-one",
                 [](const Tensor& w, const Tensor& lengths) {
                   ByLength of =
                       means(entropies(real_positions(w, lengths)), real_steps(w, lengths), lengths);
                   if (of.contains(1)) of[1] = 0;
                   return of;
                 }),
      entropy_is("ends at the first 0", "stops-at-zero",
                 [](const Tensor& w, const Tensor& lengths) {
                   const Tensor own = real_positions(w, lengths).to(Dtype::f64);
                   const Tensor zero = equal(own, zeros({}, Dtype::f64)).to(Dtype::f64);
                   return means(entropies(masked_fill(own, cumsum(zero, 2).to(Dtype::i64), 0)),
                                real_steps(w, lengths), lengths);
                 }),
      sharpness_is("the maximum of the mean weights", "max-of-mean",
                   [](const Tensor& w, const Tensor& lengths) {
                     ByLength of;
                     for (const auto& [L, value] : sharpness(w, lengths)) {
                       const Tensor here = equal(lengths, full({}, static_cast<double>(L), Dtype::i64));
                       const Tensor m = unsqueeze(here, 1).to(w.dtype());
                       const Tensor means = sum(w * m, 1) / sum(m);  // (Ty, Tx)
                       of[L] = mean(max(means.slice(0, L).slice(0, L, 1), 1)).item();
                     }
                     return of;
                   }),
  });
}
