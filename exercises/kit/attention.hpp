#pragma once

#include <gradus/nn/attention.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect.hpp"
#include "invariants.hpp"

/// Checks for attentions whose weights are a softmax over the real source positions.
namespace exercise {

struct AttentionSizes {
  std::int64_t query;   ///< Q
  std::int64_t value;   ///< D
  std::int64_t energy;  ///< A
};

/// The energies (B, T), computed in plain loops from the module's parameters, the query (B, Q) and the values
/// (T, B, D).
using PlainEnergies =
    std::function<Plain(const gradus::nn::Module&, const Plain& query, const Plain& values)>;

struct AttentionTask {
  std::function<std::unique_ptr<gradus::nn::Attention>(const AttentionSizes&)> make;
  AttentionSizes sizes;  ///< all different, unless the score needs equal sizes
  std::function<std::vector<Parameter>(const AttentionSizes&)> parameters;
  PlainEnergies energies;
  struct EnergySuspect {
    Mistake mistake;
    PlainEnergies energies;
  };
  std::vector<EnergySuspect> suspects = {};  ///< known mistakes in the energies
};

/// The inputs of an attention, in double.
struct AttentionCase {
  gradus::Tensor query, values;       ///< (B, Q), (T, B, D)
  std::vector<std::int64_t> lengths;  ///< all equal T if there is no padding
  bool masked;                        ///< true if prepare() gets the lengths; if false, told() is Tensor()

  std::int64_t B() const { return query.size(0); }
  std::int64_t T() const { return values.size(0); }
  gradus::Tensor told() const { return masked ? gradus::tensor(lengths) : gradus::Tensor(); }
};

AttentionCase attention_case(const AttentionSizes& n, std::int64_t T,
                             const std::vector<std::int64_t>& lengths, bool masked = true,
                             std::uint64_t seed = 3);

/// An attention, with the right energies and weights to compare with.
struct AnyAttention {
  std::function<std::unique_ptr<gradus::nn::Attention>()> make;  ///< in double, with fill()ed parameters
  AttentionSizes sizes;
  PlainEnergies energies;
  /// The right weights, (B, T).
  std::function<Plain(const gradus::nn::Attention&, const AttentionCase&)> weights;
  std::optional<std::int64_t> step = {};  ///< the step argument of attend(), if the weights depend on it
};

/// Expects results to depend only on the quantities in the equations. Varies the earlier calls, batch sizes,
/// the step, the previous weights and the training mode. Also selects rows as beam search does. Reports
/// "changes-its-input", "remembers", "by-size", "memory-layout", "depends-on-step" and "training-differs".
void expect_only_its_arguments(const AnyAttention& any);

/// Expects the right weights and context in these cases: a batch of one padded sentence; sentences of equal
/// length, shorter than T; a real position whose value is 0; two positions with equal values; 40 positions.
/// Reports "batch-of-one-padded", "equal-lengths", "zero-value", "equal-values" and "long-sentence".
void expect_any_sentences(const AnyAttention& any);

/// Expects the right weights and context even for extreme energies and large values at the pads.
/// Reports "pads-leak", "overflow", "max-over-pads", "large-energies" and "small-weights".
void expect_any_energies(const AnyAttention& any);

/// Expects weights of exactly 0 where `expected` is 0. Reports "pads-leak".
void expect_exact_zeros(const gradus::Tensor& weights, const Plain& expected);

/// Reports tensors that were detached from the tape. Then checks the gradients of context and weights in
/// training mode.
void expect_attention_gradients(const AnyAttention& any, const Mistake& mistake = {});

/// Stages for any attention: shapes, values without and with padding, invariants, extreme energies,
/// gradients. An exercise adds stages for its own score.
std::vector<Stage> attention_stages(const AttentionTask& task);

/// One term of an additive energy: term(v_i, q_i, k_i), where v, q and k are v_a, W_a s and U_a h_j.
using AdditiveTerm = std::function<double(double v, double query, double key)>;
double additive_term(double v, double query, double key);  ///< v · tanh(query + key)
/// Additive energies (B, T): e_j = Σ_i term(v_i, q_i, k_i) as above, with the module's parameters W_a, U_a
/// and v_a. Terms other than v_i tanh(q_i + k_i) give wrong variants.
Plain additive_energies(const gradus::nn::Module& attention, const Plain& query, const Plain& values,
                        const AdditiveTerm& term = additive_term);

/// α = softmax(e) of each row over its first lengths[b] positions, 0 at the others; (B, T).
Plain plain_weights(const Plain& energies, const std::vector<std::int64_t>& lengths);

/// c = Σ_j α_j h_j, (B, D), from weights (B, T) and values (T, B, D).
Plain plain_context(const Plain& weights, const Plain& values);

}  // namespace exercise
