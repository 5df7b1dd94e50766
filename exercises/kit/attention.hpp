#pragma once

#include <gradus/nn/attention.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect.hpp"

/// Checks for any attention whose weights are a softmax over the real source positions.
namespace exercise {

struct AttentionSizes {
  std::int64_t query;   ///< Q
  std::int64_t value;   ///< D
  std::int64_t energy;  ///< A
};

/// Computes energies (B, T) in plain loops from the module's parameters, the query (B, Q) and the values (T,
/// B, D).
using PlainEnergies =
    std::function<Plain(const gradus::nn::Module&, const Plain& query, const Plain& values)>;

struct AttentionTask {
  std::function<std::unique_ptr<gradus::nn::Attention>(const AttentionSizes&)> make;
  AttentionSizes sizes;  ///< all different, unless the score needs equal ones
  std::function<std::vector<Parameter>(const AttentionSizes&)> parameters;
  PlainEnergies energies;
  struct EnergySuspect {
    Mistake mistake;
    PlainEnergies energies;
  };
  std::vector<EnergySuspect> suspects = {};  ///< known wrong energies
};

/// One stage each for shapes, values without and with padding, invariants and gradients. Checks specific to
/// one score are stages of its exercise.
std::vector<Stage> attention_stages(const AttentionTask& task);

/// e_j = Σ_a term(v_a, (W_a s)_a, (U_a h_j)_a), (B, T), with the parameters W_a, U_a and v_a: the energies of
/// additive attention and its variants.
using AdditiveTerm = std::function<double(double v, double query, double key)>;
double additive_term(double v, double query, double key);  ///< v · tanh(query + key)
Plain additive_energies(const gradus::nn::Module& attention, const Plain& query, const Plain& values,
                        const AdditiveTerm& term = additive_term);

/// α = softmax(e) of each row over its first `lengths[b]` positions, 0 beyond; (B, T).
Plain plain_weights(const Plain& energies, const std::vector<std::int64_t>& lengths);

/// c = Σ_j α_j h_j, (B, D), of weights (B, T) and values (T, B, D).
Plain plain_context(const Plain& weights, const Plain& values);

}  // namespace exercise
