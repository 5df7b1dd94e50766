#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <limits>

#include "answer.hpp"

using namespace gradus;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Softmax = std::function<Tensor(const Tensor& e, const Tensor& lengths, std::int64_t k)>;

Tensor is_pad(const Tensor& e, const Tensor& lengths) {
  if (!lengths.defined()) return zeros(e.shape(), Dtype::i64);
  return expand(less_equal(unsqueeze(lengths, 1), arange(e.size(1))), e.shape());
}

Tensor without_pads(const Tensor& e, const Tensor& lengths) {
  return masked_fill(e, is_pad(e, lengths), -infinity);
}

Tensor inverted(const Tensor& mask) { return equal(mask, zeros({}, Dtype::i64)); }

// A mask: 1 at the k largest energies of each row. Of equal energies, the earlier position is chosen.
Tensor largest(Tensor left, std::int64_t k) {
  left = left.detach();
  Tensor chosen = zeros(left.shape(), Dtype::i64);
  for (std::int64_t i = 0; i < k; ++i) {
    const Tensor best = one_hot(argmax(left), left.size(1), Dtype::i64);
    chosen = where(best, best, chosen);
    left = masked_fill(left, best, -infinity);
  }
  return chosen;
}

Tensor of_chosen(const Tensor& e, const Tensor& chosen) {
  return softmax(masked_fill(e, inverted(chosen), -infinity));
}

// Sorts the energies at the real positions of each row by `before`. Returns a mask with 1 at the positions of
// the first k.
template <class Order>
Tensor chosen_by_sorting(const Tensor& e, const Tensor& lengths, std::int64_t k, const Order& before) {
  const std::int64_t B = e.size(0), T = e.size(1);
  const std::vector<double> x = e.to_vector<double>();
  std::vector<std::int64_t> mask(x.size());
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t n =
        lengths.defined() ? lengths.values<std::int64_t>()[static_cast<std::size_t>(b)] : T;
    std::vector<std::size_t> at(static_cast<std::size_t>(n));
    for (std::size_t t = 0; t < at.size(); ++t) at[t] = static_cast<std::size_t>(b * T) + t;
    std::stable_sort(at.begin(), at.end(), [&](auto i, auto j) { return before(x[i], x[j]); });
    for (std::size_t i = 0; i < at.size() && i < static_cast<std::size_t>(k); ++i) mask[at[i]] = 1;
  }
  return tensor(mask, e.shape());
}

Tensor by_sorting(const Tensor& e, const Tensor& lengths, std::int64_t k) {
  return of_chosen(e, chosen_by_sorting(e, lengths, k, std::greater<>()));
}

Tensor by_argmax(const Tensor& e, const Tensor& lengths, std::int64_t k) {
  return of_chosen(e, largest(without_pads(e, lengths), k));
}

// The softmax of all energies except those of pads. Keeps only the weights of the k largest energies, and
// divides them by their sum.
Tensor renormalised(const Tensor& e, const Tensor& lengths, std::int64_t k) {
  const Tensor chosen = largest(without_pads(e, lengths), k).to(e.dtype());
  const Tensor kept = masked_softmax(e, lengths) * chosen;
  return kept / sum(kept, 1, true);
}

// Chooses all energies ≥ the k-th largest, so ties give more than k positions.
Tensor by_threshold(const Tensor& e, const Tensor& lengths, std::int64_t k) {
  Tensor left = without_pads(e, lengths).detach(), threshold = max(left, 1, true);
  const std::int64_t T = e.size(1);
  for (std::int64_t i = 1; i < std::min(k, T); ++i) {
    left = masked_fill(left, one_hot(argmax(left), T, Dtype::i64), -infinity);
    threshold = max(left, 1, true);
  }
  return of_chosen(without_pads(e, lengths), greater_equal(without_pads(e, lengths).detach(), threshold));
}

enum class Fault {
  none,
  of_all,
  divided,
  detached_query,
  plain_additive,
  not_transposed,
  trains_on_all,
  less_previous,
  k_by_step,
  k_lowered,
  lengths_kept,
  shown_detached,
};

class Attention : public nn::AdditiveAttention {
 public:
  Attention(std::int64_t Q, std::int64_t D, std::int64_t A, std::int64_t k_, Softmax given, Fault what)
      : AdditiveAttention(Q, D, A), softmax_(std::move(given)), k(k_), fault(what) {}

  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    if (fault == Fault::plain_additive)
      return AdditiveAttention::attend(query, memory, step, previous_weights);
    const Tensor q = fault == Fault::detached_query ? query.detach() : query;
    Tensor e = energies(q, memory, step, previous_weights);
    if (fault == Fault::less_previous && previous_weights.defined()) e = e - previous_weights;
    if (!lengths_.defined() || lengths_.numel() != e.size(0)) lengths_ = memory.lengths;
    if (fault == Fault::k_lowered) k = std::min(k, e.size(1));
    const bool all = fault == Fault::trains_on_all && is_training();
    const Tensor weights = softmax_(e, fault == Fault::lengths_kept ? lengths_ : memory.lengths,
                                    all                         ? e.size(1)
                                    : fault == Fault::k_by_step ? k + step
                                                                : k);
    if (fault == Fault::shown_detached) return {context_of(weights, memory), weights.detach()};
    if (fault == Fault::not_transposed) return {sum(unsqueeze(weights, 2) * memory.values, 0), weights};
    const Tensor used = fault == Fault::of_all ? masked_softmax(e, memory.lengths) : weights;
    const Tensor h = transpose(memory.values, 0, 1);  // (B, T, D)
    const Tensor context = squeeze(matmul(unsqueeze(used, 1), h), 1);
    return {fault == Fault::divided ? context / static_cast<double>(h.size(1)) : context, weights};
  }

 private:
  static Tensor context_of(const Tensor& weights, const nn::Memory& memory) {
    return sum(unsqueeze(transpose(weights, 0, 1), 2) * memory.values, 0);
  }

  mutable Tensor lengths_;
  Softmax softmax_;
  mutable std::int64_t k;
  Fault fault;
};

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const Softmax& softmax,
                          Fault fault = Fault::none) {
  const auto make = [=](std::int64_t Q, std::int64_t D, std::int64_t A, std::int64_t k) {
    return std::make_unique<Attention>(Q, D, A, k, softmax, fault);
  };
  return {name, mistake, top_k_exercise({softmax, make})};
}

}  // namespace

int main() {
  return exercise::bank({
      attempt("k times argmax", "", by_argmax),
      attempt("sorting", "", by_sorting),
      attempt("softmax of all, renormalised", "", renormalised),
      attempt(
          "softmax of all", "all-take-part",
          [](const Tensor& e, const Tensor& lengths, std::int64_t) { return masked_softmax(e, lengths); }),
      attempt("masked after the softmax", "not-renormalised",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return masked_softmax(e, lengths) * largest(without_pads(e, lengths), k).to(e.dtype());
              }),
      attempt("other energies 0", "zero-energy",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return softmax(e * largest(without_pads(e, lengths), k).to(e.dtype()));
              }),
      attempt("smallest", "smallest",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return of_chosen(e, chosen_by_sorting(e, lengths, k, std::less<>()));
              }),
      attempt("largest absolute values", "by-size",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return of_chosen(e, largest(without_pads(gradus::abs(e), lengths), k));
              }),
      attempt("k + 1", "one-more",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return by_argmax(e, lengths, k + 1);
              }),
      attempt("k − 1", "one-less",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return by_argmax(e, lengths, k - 1);
              }),
      attempt("first k", "first-k",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor first =
                    expand(less(arange(e.size(1)), full({}, static_cast<double>(k), Dtype::i64)), e.shape());
                return of_chosen(without_pads(e, lengths), first);
              }),
      attempt("over the batch", "batch-axis",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor columns = largest(transpose(without_pads(e, lengths), 0, 1), k);
                const Tensor mask = transpose(columns.to(Dtype::f64), 0, 1);
                const Tensor kept = masked_softmax(e, lengths) * mask;
                return kept / maximum(sum(kept, 1, true), full({}, 1e-300, e.dtype()));
              }),
      attempt("no mask", "pads-chosen",
              [](const Tensor& e, const Tensor&, std::int64_t k) { return of_chosen(e, largest(e, k)); }),
      attempt("masked after the choice", "pads-chosen",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor kept = masked_fill(exp(e) * largest(e, k).to(e.dtype()), is_pad(e, lengths), 0);
                return kept / maximum(sum(kept, 1, true), full({}, 1e-300, e.dtype()));
              }),
      attempt("equal weights", "uniform",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor chosen = largest(without_pads(e, lengths), k).to(e.dtype());
                return chosen / sum(chosen, 1, true);
              }),
      attempt("threshold", "ties", by_threshold),
      attempt("later positions of equal energies", "ties-last",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor turned = largest(flip(without_pads(e, lengths), 1), k);
                return of_chosen(without_pads(e, lengths), flip(turned.to(Dtype::f64), 1).to(Dtype::i64));
              }),
      attempt("error for k > T", "error",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                e.slice(0, k, 1);
                return by_argmax(e, lengths, k);
              }),
      attempt("lengths always read", "undefined-lengths",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor pads = less_equal(unsqueeze(lengths, 1), arange(e.size(1)));
                return of_chosen(e, largest(masked_fill(e, pads, -infinity), k));
              }),
      attempt(
          "one row of weights", "shape",
          [](const Tensor& e, const Tensor& lengths, std::int64_t k) { return by_argmax(e, lengths, k)[0]; }),
      attempt("changes the energies", "changes-its-input",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor weights = by_argmax(e, lengths, k);
                Tensor(e).mutable_values<double>()[0] = 9;
                return weights;
              }),
      attempt("denominator detached", "gradient",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor chosen = largest(without_pads(e, lengths), k).to(e.dtype());
                const Tensor kept =
                    exp(where(chosen.to(Dtype::i64), e - max(without_pads(e, lengths), 1, true), 0.0 * e)) *
                    chosen;
                return kept / sum(kept, 1, true).detach();
              }),
      attempt("context of all positions", "context-of-all", by_argmax, Fault::of_all),
      attempt("context divided by T", "context-divided", by_argmax, Fault::divided),
      attempt("additive attention's attend", "all-take-part", by_argmax, Fault::plain_additive),
      attempt("weights not transposed", "error", by_argmax, Fault::not_transposed),
      attempt("query detached", "detached-query", by_argmax, Fault::detached_query),
      attempt("all positions in training", "training-differs", by_argmax, Fault::trains_on_all),
      attempt("minus the previous weights", "depends-on-step", by_argmax, Fault::less_previous),
      attempt("k + step", "depends-on-step", by_argmax, Fault::k_by_step),
      attempt("k lowered for good by a short batch", "remembers", by_argmax, Fault::k_lowered),
      attempt("lengths of the first call", "remembers", by_argmax, Fault::lengths_kept),
      attempt("returned weights detached", "returned-weights-detached", by_argmax, Fault::shown_detached),
      attempt("energies above the k-th largest", "one-less",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return by_argmax(e, lengths, std::max<std::int64_t>(k - 1, 1));
              }),
      attempt("k = 2", "k-fixed",
              [](const Tensor& e, const Tensor& lengths, std::int64_t) { return by_argmax(e, lengths, 2); }),
      attempt("k at most the first length", "values",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const std::int64_t first = lengths.defined() ? lengths.values<std::int64_t>()[0] : k;
                return by_argmax(e, lengths, std::min(first, k));
              }),
      attempt("exponent without the maximum", "overflow",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor kept = exp(e) * largest(without_pads(e, lengths), k).to(e.dtype());
                return kept / sum(kept, 1, true);
              }),
      attempt("maximum over the pads too", "max-over-pads",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor kept =
                    exp(e - max(e, 1, true)) * largest(without_pads(e, lengths), k).to(e.dtype());
                return kept / sum(kept, 1, true);
              }),
      attempt("gradient of the whole softmax", "others-learn",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor soft = masked_softmax(e, lengths);
                return soft + (by_argmax(e, lengths, k) - soft).detach();
              }),
      attempt("the positions of the first row", "first-row",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor first = largest(without_pads(e, lengths), k).slice(0, 1);
                return of_chosen(without_pads(e, lengths), expand(first, e.shape()).clone());
              }),
      attempt("k limited to the shortest length", "shortest",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                if (!lengths.defined()) return by_argmax(e, lengths, k);
                const auto n = lengths.to_vector<std::int64_t>();
                return by_argmax(e, lengths, std::min(k, *std::min_element(n.begin(), n.end())));
              }),
      attempt("logarithms", "log-softmax",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor chosen = largest(without_pads(e, lengths), k);
                return masked_fill(log_softmax(masked_fill(e, inverted(chosen), -1e9)), inverted(chosen), 0);
              }),
      attempt("dropout", "not-deterministic",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return dropout(by_argmax(e, lengths, k), 0.1, default_generator());
              }),
      attempt("ε in the denominator", "inexact",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor chosen = largest(without_pads(e, lengths), k).to(e.dtype());
                const Tensor kept = masked_softmax(e, lengths) * chosen;
                return kept / (sum(kept, 1, true) + 1e-9);
              }),
      attempt("the first length for all", "one-length",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                if (!lengths.defined()) return by_argmax(e, lengths, k);
                return by_sorting(e, expand(lengths.slice(0, 1), lengths.shape()).clone(), k);
              }),
      attempt("compared in f32", "in-float",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return of_chosen(e, largest(without_pads(e, lengths).to(Dtype::f32), k));
              }),
      attempt("at most 5", "k-limited",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                return by_argmax(e, lengths, std::min<std::int64_t>(k, 5));
              }),
      attempt("chosen energies set to 0", "zero-taken",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                Tensor left = without_pads(e, lengths).detach(), chosen = zeros(e.shape(), Dtype::i64);
                for (std::int64_t i = 0; i < k; ++i) {
                  const Tensor best = one_hot(argmax(left), left.size(1), Dtype::i64);
                  chosen = where(best, best, chosen);
                  left = masked_fill(left, best, 0);
                }
                return of_chosen(e, chosen);
              }),
      attempt("k = 1 with the gradient of a sum", "others-learn",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor alpha = by_argmax(e, lengths, k);
                return k == 1 ? alpha + 0.5 * (e - e.detach()) : alpha;
              }),
      attempt("an unstable order of equal energies", "ties-last",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                const Tensor low = without_pads(e, lengths);
                std::vector<std::int64_t> chosen(static_cast<std::size_t>(e.numel()));
                const std::vector<double> values = low.to_vector<double>();
                for (std::int64_t b = 0; b < e.size(0); ++b) {
                  std::vector<std::int64_t> at;
                  for (std::int64_t t = 0; t < e.size(1); ++t)
                    at.push_back(b * e.size(1) + (t + 2) % e.size(1));
                  std::ranges::stable_sort(at, std::greater{}, [&](std::int64_t i) {
                    return values[static_cast<std::size_t>(i)];
                  });
                  for (std::int64_t i = 0; i < std::min(k, e.size(1)); ++i)
                    chosen[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])] = 1;
                }
                return of_chosen(low, tensor(chosen, e.shape()));
              }),
      attempt("pads count as energy 0", "pads-chosen",
              [](const Tensor& e, const Tensor& lengths, std::int64_t k) {
                if (!lengths.defined()) return by_argmax(e, lengths, k);
                const Tensor pads = less_equal(unsqueeze(lengths, 1), arange(e.size(1)));
                return of_chosen(without_pads(e, lengths), largest(masked_fill(e, pads, 0), k));
              }),
  });
}
