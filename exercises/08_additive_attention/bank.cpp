#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer.hpp"

using namespace gradus;
using exercise::AttentionSizes;
using nn::Memory;

namespace {

// --- An attention with replaceable parts. Each attempt replaces one or two parts ---

enum class Made { right, with_biases, transposed, swapped, unregistered };

class InParts;
struct Parts {
  std::function<Tensor(const InParts&, const Tensor& values)> keys = nullptr;                    // (T, B, A)
  std::function<Tensor(const InParts&, const Tensor& query, const Memory&)> energies = nullptr;  // (B, T)
  std::function<Tensor(const Tensor& e, const Tensor& lengths)> weights = nullptr;               // (B, T)
  std::function<Tensor(const Tensor& alpha, const Memory&, const Tensor& e)> context = nullptr;  // (B, D)
  std::function<Tensor(const Tensor& alpha, const Tensor& e)> shown = nullptr;                   // (B, T)
  Made made = Made::right;
};

// e (B, T): the terms (T, B, A), summed over A.
Tensor summed(const Tensor& terms) { return transpose(sum(terms, 2), 0, 1); }
// α (B, T), transposed to (T, B, 1).
Tensor columns(const Tensor& alpha) { return unsqueeze(transpose(alpha, 0, 1), -1); }
Tensor context_of(const Tensor& alpha, const Tensor& values) { return sum(columns(alpha) * values, 0); }

class InParts : public nn::Attention {
 public:
  InParts(const AttentionSizes& n, Parts parts)
      : W_a(inputs(n, parts.made, n.query), parts.made == Made::transposed ? n.query : n.energy,
            parts.made == Made::with_biases),
        U_a(inputs(n, parts.made, n.value), parts.made == Made::transposed ? n.value : n.energy,
            parts.made == Made::with_biases),
        v_a(parts.made == Made::unregistered ? ones({n.energy}) : add_parameter("v_a", ones({n.energy}))),
        parts_(std::move(parts)) {
    add_module("W_a", W_a);
    add_module("U_a", U_a);
  }

  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {values, parts_.keys ? parts_.keys(*this, values) : U_a.forward(values), lengths};
  }

  Result attend(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    const Tensor e = parts_.energies ? parts_.energies(*this, query, memory)
                                     : summed(v_a * tanh(W_a.forward(query) + memory.keys));
    const Tensor alpha =
        parts_.weights ? parts_.weights(e, memory.lengths) : masked_softmax(e, memory.lengths);
    return {parts_.context ? parts_.context(alpha, memory, e) : context_of(alpha, memory.values),
            parts_.shown ? parts_.shown(alpha, e) : alpha};
  }

  nn::Linear W_a, U_a;
  Tensor v_a;

 private:
  static std::int64_t inputs(const AttentionSizes& n, Made made, std::int64_t right) {
    if (made == Made::transposed) return n.energy;
    return made == Made::swapped ? n.query + n.value - right : right;
  }

  Parts parts_;
};

exercise::Attempt wrong(const std::string& name, const std::string& mistake, const Parts& parts) {
  return {name, mistake, additive_attention_exercise([parts](const AttentionSizes& sizes) {
            return std::make_unique<InParts>(sizes, parts);
          })};
}

template <class Attention>
exercise::Attempt attempt(const std::string& name, const std::string& mistake) {
  return {name, mistake, additive_attention_exercise([](const AttentionSizes& n) {
            return std::make_unique<Attention>(n.query, n.value, n.energy);
          })};
}

// 1 at pads, 0 at real positions, (B, T).
Tensor pads(const Tensor& e, const Tensor& lengths) {
  const Tensor ends =
      lengths.defined() ? lengths : full({e.size(0)}, static_cast<double>(e.size(1)), Dtype::i64);
  return less_equal(unsqueeze(ends, 1), unsqueeze(arange(e.size(1)), 0));
}
Tensor reals(const Tensor& e, const Tensor& lengths) {
  return equal(pads(e, lengths), zeros({}, Dtype::i64));
}

// --- Correct solutions ---

// Holds the parameters. The base class of most solutions below, correct and wrong.
class Parameters : public nn::Attention {
 public:
  Parameters(std::int64_t Q, std::int64_t D, std::int64_t A)
      : W_a(Q, A, false), U_a(D, A, false), v_a(add_parameter("v_a", ones({A}))) {
    add_module("W_a", W_a);
    add_module("U_a", U_a);
  }

 protected:
  nn::Linear W_a, U_a;
  Tensor v_a;
};

// Puts the batch axis first, and uses matrix products.
class BatchFirst : public Parameters {
 public:
  using Parameters::Parameters;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor h = transpose(memory.values, 0, 1);                                 // (B, T, D)
    const Tensor inside = tanh(unsqueeze(W_a.forward(query), 1) + U_a.forward(h));   // (B, T, A)
    const Tensor e = masked_fill(matmul(inside, v_a), pads(inside, memory.lengths),  // (B, T)
                                 -std::numeric_limits<double>::infinity());
    const Tensor alpha = softmax(e, 1);
    return {squeeze(matmul(unsqueeze(alpha, 1), h), 1), alpha};
  }
};

// Loops over positions, and builds the softmax from exp, max and sum.
class ByPosition : public Parameters {
 public:
  using Parameters::Parameters;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    Memory memory = nn::Attention::prepare(values, lengths);
    memory.keys = linear(values, U_a.weight);
    return memory;
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor projected = matmul(query, transpose(W_a.weight, 0, 1));  // (B, A)
    std::vector<Tensor> scores;
    for (std::int64_t j = 0; j < memory.keys.size(0); ++j)
      scores.push_back(sum(tanh(projected + memory.keys[j]) * v_a, 1));
    const Tensor e = stack(scores, 1);
    const Tensor real = masked_fill(e, pads(e, memory.lengths), -std::numeric_limits<double>::infinity());
    const Tensor powers = exp(real - max(real, 1, true));
    const Tensor alpha = powers / sum(powers, 1, true);
    Tensor context;
    for (std::int64_t j = 0; j < e.size(1); ++j) {
      const Tensor part = alpha.slice(j, j + 1, 1) * memory.values[j];  // (B, 1) · (B, D)
      context = context.defined() ? context + part : part;
    }
    return {context, alpha};
  }
};

// Computes one product of [W_a U_a] with [s; h_j]. Masks with a large negative number instead of −∞.
class OneProduct : public Parameters {
 public:
  using Parameters::Parameters;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const std::int64_t T = memory.values.size(0);
    const Tensor queries = expand(query, {T, query.size(0), query.size(1)});
    const Tensor both = concat({queries, memory.values}, 2);                        // (T, B, Q + D)
    const Tensor inside = tanh(linear(both, concat({W_a.weight, U_a.weight}, 1)));  // (T, B, A)
    const Tensor e = summed(inside * v_a);
    const Tensor alpha = softmax(e - 1e9 * pads(e, memory.lengths).to(e.dtype()));
    return {context_of(alpha, memory.values), alpha};
  }
};

// Loops over sentences, and cuts off each sentence's pads.
class BySentence : public Parameters {
 public:
  using Parameters::Parameters;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const std::int64_t T = memory.values.size(0);
    std::vector<Tensor> contexts, weights;
    for (std::int64_t b = 0; b < query.size(0); ++b) {
      const std::int64_t n =
          memory.lengths.defined() ? memory.lengths.values<std::int64_t>()[static_cast<std::size_t>(b)] : T;
      const Tensor h = squeeze(memory.values.slice(0, n).slice(b, b + 1, 1), 1);  // (n, D)
      const Tensor alpha = softmax(matmul(tanh(U_a.forward(h) + W_a.forward(query[b])), v_a));
      contexts.push_back(matmul(alpha, h));
      weights.push_back(pad(alpha, 0, 0, T - n));
    }
    return {stack(contexts), stack(weights)};
  }
};

// Stores the keys as (A, B, T): positions last.
class KeysLast : public Parameters {
 public:
  using Parameters::Parameters;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {values, transpose(U_a.forward(values), 0, 2), lengths};
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor q = unsqueeze(transpose(W_a.forward(query), 0, 1), 2);                // (A, B, 1)
    const Tensor e = sum(unsqueeze(unsqueeze(v_a, 1), 2) * tanh(memory.keys + q), 0);  // (B, T)
    const Tensor alpha = masked_softmax(e, memory.lengths);
    return {context_of(alpha, memory.values), alpha};
  }
};

// Cuts the batch to its longest sentence, then pads the weights to T again.
class CutToLongest : public Parameters {
 public:
  using Parameters::Parameters;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const std::int64_t T = memory.values.size(0);
    std::int64_t longest = T;
    if (memory.lengths.defined()) {
      const auto n = memory.lengths.to_vector<std::int64_t>();
      longest = *std::max_element(n.begin(), n.end());
    }
    const Tensor h = memory.values.slice(0, longest);
    const Tensor alpha =
        masked_softmax(summed(v_a * tanh(U_a.forward(h) + W_a.forward(query))), memory.lengths);
    return {context_of(alpha, h), pad(alpha, 1, 0, T - longest)};
  }
};

// α = exp(e − ln Σ_k exp(e_k))
class ByLogarithm : public Parameters {
 public:
  using Parameters::Parameters;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor e = summed(tanh(U_a.forward(memory.values) + W_a.forward(query)) * v_a);
    const Tensor real = masked_fill(e, pads(e, memory.lengths), -std::numeric_limits<double>::infinity());
    const Tensor alpha = exp(real - logsumexp(real, 1, true));
    return {context_of(alpha, memory.values), alpha};
  }
};

// --- Other wrong solutions ---

// A correct attention. Each subclass makes one mistake.
class Usual : public Parameters {
 public:
  using Parameters::Parameters;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {values, U_a.forward(values), lengths};
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    return from(query, memory.keys, memory, v_a);
  }

 protected:
  Result from(const Tensor& query, const Tensor& keys, const Memory& memory, const Tensor& v) const {
    const Tensor alpha = masked_softmax(summed(v * tanh(W_a.forward(query) + keys)), memory.lengths);
    return {context_of(alpha, memory.values), alpha};
  }
};

class FirstKeys : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    if (!keys_.defined()) keys_ = U_a.forward(values);
    return {values, keys_, lengths};
  }

 private:
  mutable Tensor keys_;
};

class LastKeys : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    keys_ = U_a.forward(values);
    return {values, Tensor(), lengths};
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    return from(query, keys_, memory, v_a);
  }

 private:
  mutable Tensor keys_;
};

class QueryBefore : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor before = before_.defined() ? before_ : query;
    before_ = query;
    return from(before, memory.keys, memory, v_a);
  }

 private:
  mutable Tensor before_;
};

class FirstQuery : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step, const Tensor&) const override {
    if (step == 0) first_ = query;
    const bool fits = first_.defined() && first_.shape() == query.shape();
    return from(fits ? first_ : query, memory.keys, memory, v_a);
  }

 private:
  mutable Tensor first_;
};

class FirstV : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    if (!v_.defined()) v_ = v_a.clone();
    return from(query, memory.keys, memory, v_);
  }

 private:
  mutable Tensor v_;
};

class LooksElsewhere : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t,
                const Tensor& before) const override {
    Tensor e = summed(v_a * tanh(W_a.forward(query) + memory.keys));
    if (before.defined()) e = e - before;
    const Tensor alpha = masked_softmax(e, memory.lengths);
    return {context_of(alpha, memory.values), alpha};
  }
};

class ValuesBatchFirst : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {transpose(values, 0, 1), U_a.forward(values), lengths};
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    return from(query, memory.keys, {transpose(memory.values, 0, 1), memory.keys, memory.lengths}, v_a);
  }
};

class ClearsPads : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    const std::int64_t T = values.size(0), B = values.size(1), D = values.size(2);
    const auto numbers = Tensor(values).mutable_values<double>();
    for (std::int64_t t = 0; t < T; ++t) {
      for (std::int64_t b = 0; b < B; ++b) {
        const bool real = !lengths.defined() || t < lengths[b].reshape({1}).values<std::int64_t>()[0];
        for (std::int64_t d = 0; d < D && !real; ++d)
          numbers[static_cast<std::size_t>((t * B + b) * D + d)] = 0;
      }
    }
    return Usual::prepare(values, lengths);
  }
};

class ChangesLengths : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& before) const override {
    Result result = Usual::attend(query, memory, step, before);
    if (memory.lengths.defined()) {
      Tensor lengths = memory.lengths;
      for (std::int64_t& length : lengths.mutable_values<std::int64_t>()) length = 1;
    }
    return result;
  }
};

class AddsToKeys : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    const NoGrad no_grad;
    return Usual::prepare(values, lengths);
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor added = W_a.forward(query) + memory.keys;
    const auto from = added.values<double>();
    std::copy(from.begin(), from.end(), Tensor(memory.keys).mutable_values<double>().begin());
    const Tensor alpha = masked_softmax(summed(v_a * tanh(added)), memory.lengths);
    return {context_of(alpha, memory.values), alpha};
  }
};

// Caches the lengths until the batch size changes.
class FirstLengths : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    if (!lengths_.defined() || lengths_.numel() != values.size(1)) lengths_ = lengths;
    return {values, U_a.forward(values), lengths_};
  }

 private:
  mutable Tensor lengths_;
};

// Uses the lengths of the last call of prepare(), even for a memory that an earlier call has made.
class LastLengths : public Usual {
 public:
  using Usual::Usual;
  Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    lengths_ = lengths;
    return Usual::prepare(values, lengths);
  }
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    const bool fits = lengths_.defined() && lengths_.numel() == query.size(0);
    return from(query, memory.keys, {memory.values, memory.keys, fits ? lengths_ : memory.lengths}, v_a);
  }

 private:
  mutable Tensor lengths_;
};

// Caches T at the first call, and builds every later mask for this T.
class FirstT : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    if (T_ == 0) T_ = memory.values.size(0);
    Tensor e = summed(v_a * tanh(W_a.forward(query) + memory.keys));
    if (memory.lengths.defined())
      e = masked_fill(e, less_equal(unsqueeze(memory.lengths, 1), arange(T_)),
                      -std::numeric_limits<double>::infinity());
    const Tensor alpha = softmax(e);
    return {context_of(alpha, memory.values), alpha};
  }

 private:
  mutable std::int64_t T_ = 0;
};

class OwnPreviousWeights : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step, const Tensor&) const override {
    const Tensor e = summed(v_a * tanh(W_a.forward(query) + memory.keys));
    const Tensor before = step > 0 && last_.defined() && last_.shape() == e.shape() ? last_ : 0.0 * e;
    const Tensor alpha = masked_softmax(e - before, memory.lengths);
    last_ = alpha.detach();
    return {context_of(alpha, memory.values), alpha};
  }

 private:
  mutable Tensor last_;
};

class CachesSteps : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& before) const override {
    if (step != step_ || !last_.weights.defined() || last_.weights.size(0) != query.size(0) ||
        last_.weights.size(1) != memory.values.size(0))
      last_ = Usual::attend(query, memory, step, before);
    step_ = step;
    return last_;
  }

 private:
  mutable Result last_;
  mutable std::int64_t step_ = -1;
};

class CoolsDown : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step, const Tensor&) const override {
    const Tensor e = summed(v_a * tanh(W_a.forward(query) + memory.keys));
    const Tensor alpha = masked_softmax(e * static_cast<double>(step + 1), memory.lengths);
    return {context_of(alpha, memory.values), alpha};
  }
};

// Mistakes that do not show at step 0: mixes_previous begins at step 8, `cools` at 21, detaches_query at 1.
enum class Late { mixes_previous, cools, detaches_query };

template <Late what>
class ChangesLate : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Tensor q = what == Late::detaches_query && step > 0 ? query.detach() : query;
    Tensor e = summed(v_a * tanh(W_a.forward(q) + memory.keys));
    if (what == Late::cools && step > 20) e = e / 2.0;
    Tensor alpha = masked_softmax(e, memory.lengths);
    if (what == Late::mixes_previous && step >= 8 && previous_weights.defined())
      alpha = (alpha + previous_weights) / 2.0;
    return {context_of(alpha, memory.values), alpha};
  }
};

enum class InTraining { drops_weights, noise, detaches_keys, unmasked };

template <InTraining what>
class TrainsOtherwise : public Usual {
 public:
  using Usual::Usual;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& before) const override {
    if (!is_training()) return Usual::attend(query, memory, step, before);
    if (what == InTraining::detaches_keys) return from(query, memory.keys.detach(), memory, v_a);
    if (what == InTraining::unmasked) return from(query, memory.keys, {memory.values, {}, {}}, v_a);
    if (what == InTraining::noise) return from(query, noisy(memory.keys), memory, v_a);
    const Tensor alpha =
        dropout(Usual::attend(query, memory, step, before).weights, 0.2, default_generator());
    return {context_of(alpha, memory.values), alpha};
  }

 protected:
  static Tensor noisy(const Tensor& x) {
    return x + normal(x.shape(), 0, 1e-2, default_generator(), x.dtype());
  }
};

class Noisy : public TrainsOtherwise<InTraining::noise> {
 public:
  using TrainsOtherwise::TrainsOtherwise;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t, const Tensor&) const override {
    return from(query, noisy(memory.keys), memory, v_a);
  }
};

// Exchanges the context and the weights in the result.
class Exchanged : public nn::AdditiveAttention {
 public:
  using AdditiveAttention::AdditiveAttention;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const auto [context, weights] = AdditiveAttention::attend(query, memory, step, previous_weights);
    return {weights, context};
  }
};

std::vector<exercise::Attempt> right_ones() {
  return {
      attempt<nn::AdditiveAttention>("the library's", ""),
      attempt<BatchFirst>("batch first, -inf", ""),
      attempt<ByPosition>("position by position, softmax by hand", ""),
      attempt<OneProduct>("one product, -1e9", ""),
      attempt<BySentence>("sentence by sentence", ""),
      attempt<KeysLast>("keys (A, B, T)", ""),
      attempt<ByLogarithm>("by logsumexp", ""),
      attempt<CutToLongest>("cut to the longest sentence", ""),
  };
}

std::vector<exercise::Attempt> wrong_parameters() {
  return {
      wrong("biases", "parameters", {.made = Made::with_biases}),
      wrong("v_a not registered", "parameters", {.made = Made::unregistered}),
      wrong("transposed weights", "parameter-shape", {.made = Made::transposed}),
      wrong("sizes of W_a and U_a swapped", "parameter-shape", {.made = Made::swapped}),
  };
}

std::vector<exercise::Attempt> wrong_keys() {
  return {
      wrong("batch-first keys", "memory-layout",
            {.keys = [](auto& a, auto& h) { return transpose(a.U_a.forward(h), 0, 1); },
             .energies =
                 [](auto& a, auto& s, auto& memory) {
                   return summed(a.v_a * tanh(a.W_a.forward(s) + transpose(memory.keys, 0, 1)));
                 }}),
      wrong("keys (B, T, A), energies by position", "memory-layout",
            {.keys = [](auto& a, auto& h) { return transpose(a.U_a.forward(h), 0, 1).clone(); },
             .energies =
                 [](auto& a, auto& s, auto& memory) {
                   return matmul(tanh(unsqueeze(a.W_a.forward(s), 1) + memory.keys), a.v_a);
                 }}),
      wrong("W_a for the values, U_a for the query", "equal-sizes",
            {.keys = [](auto& a, auto& h) { return a.W_a.forward(h); },
             .energies = [](auto& a, auto& s,
                            auto& memory) { return summed(a.v_a * tanh(a.U_a.forward(s) + memory.keys)); }}),
      wrong("keys from the query's projection", "equal-sizes",
            {.energies =
                 [](auto& a, auto& s, auto& memory) {
                   return summed(a.v_a * tanh(a.W_a.forward(s) + a.U_a.forward(s) + 0 * memory.values));
                 }}),
      wrong("weights not transposed", "equal-sizes",
            {.keys = [](auto& a, auto& h) { return matmul(h, a.U_a.weight); },
             .energies =
                 [](auto& a, auto& s, auto& memory) {
                   return summed(a.v_a * tanh(matmul(s, a.W_a.weight) + memory.keys));
                 }}),
      wrong("keys detached", "detached-keys",
            {.keys = [](auto& a, auto& h) { return a.U_a.forward(h.detach()); }}),
      wrong("keys without gradients", "detached-keys",
            {.keys =
                 [](auto& a, auto& h) {
                   const NoGrad no_grad;
                   return a.U_a.forward(h);
                 }}),
  };
}

Parts energies(const std::function<Tensor(const InParts& a, const Tensor& x, const Tensor& y)>& e) {
  return {.energies = [e](const InParts& a, const Tensor& s, const Memory& memory) {
    return e(a, a.W_a.forward(s), memory.keys);
  }};
}

std::vector<exercise::Attempt> wrong_energies() {
  return {
      wrong("no tanh", "no-tanh",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * (x + y)); })),
      wrong("separate tanh for query and values", "no-query",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * (tanh(x) + tanh(y))); })),
      wrong("tanh outside", "tanh-outside",
            energies([](auto& a, auto& x, auto& y) { return tanh(summed(a.v_a * (x + y))); })),
      wrong("v_a before tanh", "v-inside",
            energies([](auto& a, auto& x, auto& y) { return summed(tanh(a.v_a * (x + y))); })),
      wrong("without v_a", "no-v", energies([](auto&, auto& x, auto& y) { return summed(tanh(x + y)); })),
      wrong("values ignored", "no-keys",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * tanh(x + 0 * y)); })),
      wrong("query ignored", "no-query",
            energies([](auto& a, auto&, auto& y) { return summed(a.v_a * tanh(y)); })),
      wrong("sigmoid", "sigmoid",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * sigmoid(x + y)); })),
      wrong("W_a s times U_a h", "product",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * tanh(x * y)); })),
      wrong("mean over A", "mean-over-energies", energies([](auto& a, auto& x, auto& y) {
              return transpose(mean(a.v_a * tanh(x + y), 2), 0, 1);
            })),
      wrong("divided by the root of A", "scaled", energies([](auto& a, auto& x, auto& y) {
              return summed(a.v_a * tanh(x + y)) / std::sqrt(static_cast<double>(a.v_a.size(0)));
            })),
      wrong("relu", "relu", energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * relu(x + y)); })),
      wrong("squared", "squared", energies([](auto& a, auto& x, auto& y) {
              const Tensor inside = tanh(x + y);
              return summed(a.v_a * inside * inside);
            })),
      wrong("doubled", "factor",
            energies([](auto& a, auto& x, auto& y) { return 2.0 * summed(a.v_a * tanh(x + y)); })),
      wrong("reshaped in place of transposed", "reshaped", energies([](auto& a, auto& x, auto& y) {
              return sum(a.v_a * tanh(x + y), 2).reshape({x.size(0), -1});
            })),
      wrong("energies clipped", "large-energies",
            {.weights = [](auto& e, auto& n) { return masked_softmax(clamp(e, -50, 50), n); }}),
      wrong("energies in f32", "inexact", energies([](auto& a, auto& x, auto& y) {
              return summed(a.v_a * tanh(x + y)).to(Dtype::f32).to(Dtype::f64);
            })),
      wrong("exponent without the maximum", "overflow",
            {.weights =
                 [](auto& e, auto& n) {
                   const Tensor powers = exp(e) * reals(e, n).to(e.dtype());
                   return powers / sum(powers, 1, true);
                 }}),
      wrong("maximum over the pads too", "max-over-pads",
            {.weights =
                 [](auto& e, auto& n) {
                   const Tensor powers = exp(e - max(e, 1, true)) * reals(e, n).to(e.dtype());
                   return powers / sum(powers, 1, true);
                 }}),
      wrong("query detached", "detached-query",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a * tanh(x.detach() + y)); })),
      wrong("v_a detached", "gradient",
            energies([](auto& a, auto& x, auto& y) { return summed(a.v_a.detach() * tanh(x + y)); })),
      wrong("(T, B)", "shape", {.shown = [](auto& alpha, auto&) { return transpose(alpha, 0, 1); }}),
  };
}

std::vector<exercise::Attempt> wrong_weights() {
  const auto weights = [](const std::function<Tensor(const Tensor& e, const Tensor& lengths)>& f) {
    return Parts{.weights = f};
  };
  return {
      wrong("softmax over the batch", "batch-axis", weights([](auto& e, auto&) { return softmax(e, 0); })),
      wrong("softmax over everything", "batch-axis",
            weights([](auto& e, auto&) { return softmax(e.reshape({-1})).reshape(e.shape()); })),
      wrong("no softmax", "no-softmax", weights([](auto& e, auto&) { return e; })),
      wrong("not normalised", "not-normalised", weights([](auto& e, auto&) { return exp(e); })),
      wrong("softmax of -e", "sign", weights([](auto& e, auto& n) { return masked_softmax(-e, n); })),
      wrong("softmax twice", "softmax-twice",
            weights([](auto& e, auto& n) { return masked_softmax(masked_softmax(e, n), n); })),
      wrong("no mask", "no-mask", weights([](auto& e, auto&) { return softmax(e); })),
      wrong("pads' energies set to 0", "zero-score",
            weights([](auto& e, auto& n) { return softmax(masked_fill(e, pads(e, n), 0)); })),
      wrong("masked after the softmax", "mask-after-softmax",
            weights([](auto& e, auto& n) { return masked_fill(softmax(e), pads(e, n), 0); })),
      wrong("real positions masked", "mask-inverted", weights([](auto& e, auto& n) {
              return n.defined() ? softmax(masked_fill(e, reals(e, n), -1e9)) * pads(e, n).to(e.dtype())
                                 : softmax(e);
            })),
      wrong("one pad not masked", "mask-too-long", weights([](auto& e, auto& n) {
              if (!n.defined()) return softmax(e);
              return softmax(masked_fill(e, less(unsqueeze(n, 1), unsqueeze(arange(e.size(1)), 0)), -1e9));
            })),
      wrong("last token masked", "mask-too-short", weights([](auto& e, auto& n) {
              if (!n.defined()) return softmax(e);
              const Tensor from_one = arange(e.size(1) + 1).slice(1, e.size(1) + 1);
              return softmax(masked_fill(e, less_equal(unsqueeze(n, 1), unsqueeze(from_one, 0)), -1e9));
            })),
      wrong("the first length for all", "one-length",
            weights([](auto& e, auto& n) { return softmax(masked_fill(e, pads(e, n).slice(0, 1), -1e9)); })),
      wrong("the longest length for all", "one-length", weights([](auto& e, auto& n) {
              if (!n.defined()) return softmax(e);
              const auto all = n.template values<std::int64_t>();
              const auto longest = static_cast<double>(*std::max_element(all.begin(), all.end()));
              return masked_softmax(e, full({e.size(0)}, longest, Dtype::i64));
            })),
      wrong("-25 for -inf", "pads-leak",
            weights([](auto& e, auto& n) { return softmax(masked_fill(e, pads(e, n), -25)); })),
      wrong("-1e4 added at the pads", "pads-leak",
            weights([](auto& e, auto& n) { return softmax(e - 1e4 * pads(e, n).to(e.dtype())); })),
      wrong("logarithms of the weights", "log-softmax", weights([](auto& e, auto& n) {
              return n.defined() ? log(masked_softmax(e, n) + 1e-300) : log_softmax(e);
            })),
      wrong("at least 1e-6", "inexact", weights([](auto& e, auto& n) {
              return maximum(masked_softmax(e, n), full({}, 1e-6, e.dtype()));
            })),
      wrong("uniform", "no-keys", weights([](auto& e, auto& n) { return masked_softmax(0.0 * e, n); })),
      wrong("returned weights detached", "returned-weights-detached",
            {.shown = [](auto& alpha, auto&) { return alpha.detach(); }}),
      wrong("lengths always read", "needs-lengths", weights([](auto& e, auto& n) {
              return softmax(
                  masked_fill(e, less_equal(unsqueeze(n, 1), unsqueeze(arange(e.size(1)), 0)), -1e9));
            })),
      wrong("unmasked weights returned", "other-weights",
            {.shown = [](auto&, auto& e) { return softmax(e); }}),
  };
}

std::vector<exercise::Attempt> wrong_contexts() {
  const auto context = [](const std::function<Tensor(const Tensor&, const Memory&, const Tensor&)>& f) {
    return Parts{.context = f};
  };
  return {
      wrong("context of the keys", "context-of-keys",
            context([](auto& alpha, auto& memory, auto&) { return context_of(alpha, memory.keys); })),
      wrong("mean of the values", "context-mean",
            context([](auto&, auto& memory, auto&) { return mean(memory.values, 0); })),
      wrong("sum of the values", "context-sum",
            context([](auto&, auto& memory, auto&) { return sum(memory.values, 0); })),
      wrong("weighted mean", "context-divided", context([](auto& alpha, auto& memory, auto&) {
              return mean(columns(alpha) * memory.values, 0);
            })),
      wrong("weighted by the energies", "context-of-energies",
            context([](auto&, auto& memory, auto& e) { return context_of(e, memory.values); })),
      wrong("context without the mask", "context-unmasked",
            context([](auto&, auto& memory, auto& e) { return context_of(softmax(e), memory.values); })),
      wrong("the first sentence's values", "context-one-sentence",
            context([](auto& alpha, auto& memory, auto&) {
              return context_of(alpha, memory.values.slice(0, 1, 1));
            })),
      wrong("values reshaped as for one sentence", "batch-of-one",
            context([](auto& alpha, auto& memory, auto&) {
              return matmul(alpha, memory.values.reshape({memory.values.size(0), -1}));
            })),
      wrong("summed over the batch", "shape",
            context([](auto& alpha, auto& memory, auto&) { return sum(columns(alpha) * memory.values, 1); })),
      wrong("values reshaped to (B, T, D)", "reshaped", context([](auto& alpha, auto& memory, auto&) {
              const Tensor& h = memory.values;
              return squeeze(matmul(unsqueeze(alpha, 1), h.reshape({h.size(1), h.size(0), h.size(2)})), 1);
            })),
      wrong("values of the reversed positions", "context-reversed",
            context(
                [](auto& alpha, auto& memory, auto&) { return context_of(alpha, flip(memory.values, 0)); })),
      wrong("values detached", "detached-values", context([](auto& alpha, auto& memory, auto&) {
              return context_of(alpha, memory.values.detach());
            })),
      wrong("weights detached", "detached-weights", context([](auto& alpha, auto& memory, auto&) {
              return context_of(alpha.detach(), memory.values);
            })),
  };
}

std::vector<exercise::Attempt> wrong_memories() {
  return {
      attempt<ValuesBatchFirst>("batch-first values", "memory-layout"),
      attempt<Exchanged>("weights before context", "exchanged"),
      attempt<FirstKeys>("the first batch's keys for all", "remembers"),
      attempt<LastKeys>("keys in a member", "remembers"),
      attempt<FirstQuery>("the first query at all steps", "remembers"),
      attempt<QueryBefore>("query of the previous call", "remembers"),
      attempt<FirstV>("a copy of v_a", "v-zero"),
      attempt<LooksElsewhere>("depends on the previous weights", "depends-on-step"),
      attempt<ClearsPads>("sets pads to 0 in place", "changes-its-input"),
      attempt<FirstLengths>("the first lengths for all", "remembers"),
      attempt<LastLengths>("lengths in a member", "remembers"),
      attempt<FirstT>("the first T for all", "remembers"),
      attempt<OwnPreviousWeights>("previous weights in a member", "depends-on-step"),
      attempt<CachesSteps>("caches the result of a step", "remembers"),
      attempt<CoolsDown>("energies times step + 1", "depends-on-step"),
      attempt<ChangesLate<Late::mixes_previous>>("previous weights from step 8 on", "depends-on-step"),
      attempt<ChangesLate<Late::cools>>("energies halved from step 21 on", "depends-on-step"),
      attempt<ChangesLate<Late::detaches_query>>("query detached after step 0", "gradient"),
      attempt<Noisy>("noise", "not-deterministic"),
      attempt<TrainsOtherwise<InTraining::noise>>("noise in training", "training-differs"),
      attempt<TrainsOtherwise<InTraining::drops_weights>>("dropout of the weights", "training-differs"),
      attempt<TrainsOtherwise<InTraining::detaches_keys>>("keys detached in training", "gradient"),
      attempt<TrainsOtherwise<InTraining::unmasked>>("no mask in training", "training-differs"),
      wrong("the keys as values where the sizes agree", "by-shape",
            {.context =
                 [](auto& alpha, auto& memory, auto&) {
                   const bool same = memory.keys.shape() == memory.values.shape();
                   return context_of(alpha, same ? memory.keys : memory.values);
                 }}),
      wrong("weights below 1e-4 set to 0", "small-weights",
            {.weights =
                 [](auto& e, auto& lengths) {
                   const Tensor alpha = masked_softmax(e, lengths);
                   return masked_fill(alpha, less(alpha, full({}, 1e-4, e.dtype())), 0);
                 }}),
      wrong("lengths ignored if the first sentence has no pads", "no-mask",
            {.weights =
                 [](auto& e, auto& lengths) {
                   const bool full =
                       lengths.defined() && lengths.template to_vector<std::int64_t>()[0] == e.size(1);
                   return full ? softmax(e) : masked_softmax(e, lengths);
                 }}),
      wrong("energies of 0 stand for pads", "nan-of-zeros",
            {.weights =
                 [](auto& e, auto& lengths) {
                   const Tensor real =
                       masked_softmax(e, lengths) * (1.0 - equal(e, zeros({}, e.dtype())).to(e.dtype()));
                   return real / sum(real, 1, true);
                 }}),
      wrong("transposed only if T is not B", "by-size",
            {.energies =
                 [](auto& self, auto& query, auto& memory) {
                   const Tensor e = sum(self.v_a * tanh(self.W_a.forward(query) + memory.keys), 2);
                   return e.size(0) == e.size(1) ? e : transpose(e, 0, 1);
                 }}),
      wrong("no mask if all lengths are equal", "no-mask",
            {.weights =
                 [](auto& e, auto& lengths) {
                   if (!lengths.defined()) return softmax(e);
                   const auto all = lengths.template to_vector<std::int64_t>();
                   return std::ranges::count(all, all[0]) == std::ssize(all) ? softmax(e)
                                                                             : masked_softmax(e, lengths);
                 }}),
      wrong("tanh of the keys", "tanh-twice",
            {.energies =
                 [](auto& self, auto& query, auto& memory) {
                   return summed(self.v_a * tanh(self.W_a.forward(query) + tanh(memory.keys)));
                 }}),
      wrong("values of zeros masked", "zero-value",
            {.energies =
                 [](auto& self, auto& query, auto& memory) {
                   const Tensor size = transpose(sum(abs(memory.values.detach()), 2), 0, 1);
                   return masked_fill(summed(self.v_a * tanh(self.W_a.forward(query) + memory.keys)),
                                      equal(size, zeros({}, size.dtype())),
                                      -std::numeric_limits<double>::infinity());
                 }}),
      wrong("energies of 0 masked", "zeros-masked",
            {.weights =
                 [](auto& e, auto& lengths) {
                   return masked_fill(masked_softmax(e, lengths), equal(e, zeros({}, e.dtype())), 0);
                 }}),
      attempt<ChangesLengths>("changes the lengths", "changes-its-input"),
      attempt<AddsToKeys>("adds the query to the keys in place", "changes-its-input"),
  };
}

}  // namespace

int main() {
  std::vector<exercise::Attempt> attempts;
  for (const auto& some : {right_ones(), wrong_parameters(), wrong_keys(), wrong_energies(), wrong_weights(),
                           wrong_contexts(), wrong_memories()})
    attempts.insert(attempts.end(), some.begin(), some.end());
  return exercise::bank(attempts);
}
