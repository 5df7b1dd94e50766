#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <cmath>

#include "answer.hpp"

using namespace gradus;

namespace {

enum class Fault {
  none,
  unscaled,
  by_d,
  by_root_of_values,
  by_root_of_positions,
  multiplied,
  mean,
  cosine,
  limited,
  tanh,
  query_ignored,
  keys_of_one_sentence,
  not_transposed,
  softmax_twice,
  context_of_keys,
  query_detached,
  keys_detached,
  unprepared,
  swapped,
  by_root_of_queries,
  by_root_of_batch,
  whole_root,
  reshaped,
  squared,
  absolute,
  times_step,
  less_previous,
  first_keys,
  trains_unscaled,
  drops_query,
  tanh_of_sum,
  tanh_of_keys,
  keys_by_shape,
  full_if_first_is,
};

class Faulty : public nn::ScoredAttention {
 public:
  Faulty(std::int64_t query_size, std::int64_t value_size, std::int64_t d, Fault given)
      : W_q(query_size, d, false), W_k(value_size, d, false), fault(given) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }

  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = Attention::prepare(values, lengths);
    if (fault == Fault::unprepared) return memory;
    memory.keys = fault == Fault::swapped ? W_q.forward(values) : W_k.forward(values);
    if (fault == Fault::keys_by_shape && W_q.weight.shape() == W_k.weight.shape())
      memory.keys = W_q.forward(values);
    if (fault == Fault::full_if_first_is && lengths.defined() &&
        lengths.to_vector<std::int64_t>()[0] == values.size(0))
      memory.lengths = Tensor();
    if (fault == Fault::keys_detached) memory.keys = memory.keys.detach();
    if (fault == Fault::context_of_keys) memory.values = memory.keys;
    if (fault == Fault::first_keys) {
      if (!first_.defined() || first_.shape() != memory.keys.shape()) first_ = memory.keys;
      memory.keys = first_;
    }
    return memory;
  }

  nn::Linear W_q, W_k;
  const Fault fault;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override {
    Tensor q = fault == Fault::swapped ? W_k.forward(query) : W_q.forward(query);
    Tensor k = memory.keys;
    if (fault == Fault::query_detached) q = q.detach();
    if (fault == Fault::drops_query && is_training()) q = gradus::dropout(q, 0.3, default_generator());
    if (fault == Fault::query_ignored) q = ones(q.shape(), q.dtype());
    if (fault == Fault::keys_of_one_sentence) k = k.slice(0, 1, 1);
    if (fault == Fault::cosine) {
      q = q / sqrt(sum(q * q, 1, true));
      k = k / sqrt(sum(k * k, 2, true));
    }
    if (fault == Fault::tanh_of_keys) k = gradus::tanh(k);
    Tensor e = sum(k * q, 2);
    if (fault == Fault::tanh_of_sum) e = sum(gradus::tanh(k + q), 2);
    if (fault == Fault::mean) e = mean(k * q, 2);
    if (fault == Fault::squared) e = e * e;
    if (fault == Fault::absolute) e = abs(e);
    if (fault == Fault::times_step) e = e * static_cast<double>(step + 1);
    if (fault == Fault::reshaped) return e.reshape({e.size(1), e.size(0)}) / divisor(memory);
    if (fault == Fault::less_previous && previous_weights.defined())
      return transpose(e, 0, 1) / divisor(memory) - previous_weights;
    if (fault == Fault::tanh) e = gradus::tanh(e);
    if (fault == Fault::limited) e = clamp(e, -5 * divisor(memory), 5 * divisor(memory));
    if (fault != Fault::not_transposed) e = transpose(e, 0, 1);
    if (fault == Fault::softmax_twice) return softmax(e / divisor(memory));
    return e / divisor(memory);
  }

 private:
  double divisor(const nn::Memory& memory) const {
    const double d = static_cast<double>(W_q.weight.size(0)), D = static_cast<double>(memory.values.size(2)),
                 T = static_cast<double>(memory.values.size(0));
    switch (fault) {
      case Fault::unscaled:
      case Fault::cosine:
        return 1;
      case Fault::by_d:
        return d;
      case Fault::by_root_of_values:
        return std::sqrt(D);
      case Fault::by_root_of_positions:
        return std::sqrt(T);
      case Fault::by_root_of_queries:
        return std::sqrt(static_cast<double>(W_q.weight.size(1)));
      case Fault::by_root_of_batch:
        return std::sqrt(static_cast<double>(memory.values.size(1)));
      case Fault::whole_root:
        return std::floor(std::sqrt(d));
      case Fault::trains_unscaled:
        return is_training() ? 1 : std::sqrt(d);
      case Fault::multiplied:
        return 1 / std::sqrt(d);
      default:
        return std::sqrt(d);
    }
  }

  mutable Tensor first_;
};

// Right, but prepares no keys: computes e_j = s · (W_qᵀ W_k h_j) / √d from the annotations at every step.
class ByMatrixProducts : public nn::Attention {
 public:
  ByMatrixProducts(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d, false), W_k(value_size, d, false) {
    add_module("W_k", W_k);
    add_module("W_q", W_q);
  }
  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor h = transpose(memory.values, 0, 1);                           // (B, T, D)
    const Tensor to_values = matmul(transpose(W_q.weight, 0, 1), W_k.weight);  // (Q, D)
    const Tensor q = unsqueeze(matmul(query, to_values), 2);                   // (B, D, 1)
    const double d = static_cast<double>(W_q.weight.size(0));
    const Tensor e = squeeze(matmul(h, q), 2) * (1 / std::sqrt(d));  // (B, T)
    const Tensor weights = masked_softmax(e, memory.lengths);
    return {squeeze(matmul(unsqueeze(weights, 1), h), 1), weights};
  }

  nn::Linear W_q, W_k;
};

// Divides the query by √d before the product.
class QueryScaled : public nn::ScoredAttention {
 public:
  QueryScaled(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d, false), W_k(value_size, d, false) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {.values = values, .keys = linear(values, W_k.weight), .lengths = lengths};
  }

  nn::Linear W_q, W_k;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor q = W_q.forward(query) / std::sqrt(static_cast<double>(W_q.weight.size(0)));
    return squeeze(matmul(transpose(memory.keys, 0, 1), unsqueeze(q, 2)), 2);  // (B, T, d) · (B, d, 1)
  }
};

// Stores the keys as (d, B, T). Divides the queries by the fourth root of d, and the keys as well.
class KeysLast : public nn::ScoredAttention {
 public:
  KeysLast(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d, false), W_k(value_size, d, false), root(std::pow(static_cast<double>(d), 0.25)) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {values, transpose(W_k.forward(values), 0, 2) / root, lengths};
  }

  nn::Linear W_q, W_k;
  double root;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor q = transpose(W_q.forward(query), 0, 1) / root;  // (d, B)
    return sum(memory.keys * unsqueeze(q, 2), 0);                 // (B, T)
  }
};

class WithBias : public nn::ScoredAttention {
 public:
  WithBias(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d), W_k(value_size, d) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }

  nn::Linear W_q, W_k;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(W_k.forward(memory.values) * W_q.forward(query), 2), 0, 1);
  }
};

template <class Attention>
exercise::Attempt attempt(const std::string& name, const std::string& mistake) {
  return {name, mistake, scaled_dot_exercise([](std::int64_t Q, std::int64_t D, std::int64_t d) {
            return std::make_unique<Attention>(Q, D, d);
          })};
}

exercise::Attempt attempt(const std::string& name, const std::string& mistake, Fault fault) {
  return {name, mistake, scaled_dot_exercise([fault](std::int64_t Q, std::int64_t D, std::int64_t d) {
            return std::make_unique<Faulty>(Q, D, d, fault);
          })};
}

}  // namespace

int main() {
  return exercise::bank({
      attempt("as in the statement", "", Fault::none),
      attempt<ByMatrixProducts>("by matrix products, projected at every step", ""),
      attempt<QueryScaled>("scaled query", ""),
      attempt<KeysLast>("keys (d, B, T)", ""),
      attempt("divided by √Q", "other-size", Fault::by_root_of_queries),
      attempt("divided by √B", "other-size", Fault::by_root_of_batch),
      attempt("√d as an integer", "rounded-root", Fault::whole_root),
      attempt("reshaped in place of transposed", "reshaped", Fault::reshaped),
      attempt("squared", "squared", Fault::squared),
      attempt("absolute", "absolute", Fault::absolute),
      attempt("times step + 1", "depends-on-step", Fault::times_step),
      attempt("minus the previous weights", "depends-on-step", Fault::less_previous),
      attempt("the first keys for all", "remembers", Fault::first_keys),
      attempt("not scaled in training", "training-differs", Fault::trains_unscaled),
      attempt("dropout of the query", "training-differs", Fault::drops_query),
      attempt("tanh(q + k)", "additive", Fault::tanh_of_sum),
      attempt("tanh of the keys", "tanh", Fault::tanh_of_keys),
      attempt("not scaled", "unscaled", Fault::unscaled),
      attempt("divided by d", "divided-by-d", Fault::by_d),
      attempt("divided by √D", "other-size", Fault::by_root_of_values),
      attempt("divided by √T", "other-size", Fault::by_root_of_positions),
      attempt("multiplied by √d", "multiplied", Fault::multiplied),
      attempt("the mean of the products", "mean", Fault::mean),
      attempt("cosine", "cosine", Fault::cosine),
      attempt("with tanh", "tanh", Fault::tanh),
      attempt("energies limited to ±5", "large-energies", Fault::limited),
      attempt("query ignored", "query-ignored", Fault::query_ignored),
      attempt("keys of the first sentence for all", "keys-of-one-sentence", Fault::keys_of_one_sentence),
      attempt("not transposed", "time-first", Fault::not_transposed),
      attempt("two softmaxes", "softmax-twice", Fault::softmax_twice),
      attempt("context of keys", "context-of-keys", Fault::context_of_keys),
      attempt("query detached", "detached-query", Fault::query_detached),
      attempt("keys detached", "detached-keys", Fault::keys_detached),
      attempt("no keys", "error", Fault::unprepared),
      attempt("projections swapped", "equal-sizes", Fault::swapped),
      attempt("W_q for the keys where the shapes agree", "by-shape", Fault::keys_by_shape),
      attempt("lengths ignored if the first sentence has no pads", "no-mask", Fault::full_if_first_is),
      attempt<WithBias>("with a bias", "parameters"),
  });
}
