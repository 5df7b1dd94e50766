#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/dropout.hpp>
#include <gradus/nn/normaliser.hpp>

#include <utility>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Base class of attentions that differ only in their energies (Bahdanau et al. 2015, eq. 5 and 6):
///
///     α_tj = exp(e_tj) / Σ_k exp(e_tk)     over the positions within the length
///     c_t  = Σ_j α_tj h_j
///
/// In training, dropout acts on the weights that form the context, not on the returned weights. A row of
/// length 0 gets zero weights and a zero context. set_normaliser() replaces the softmax.
class ScoredAttention : public Attention {
 public:
  /// @throws Error unless 0 ≤ dropout < 1.
  explicit ScoredAttention(double dropout = 0);
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  double dropout() const { return dropout_.probability(); }

  /// Replaces the softmax. May also be called after training, because a normaliser has no parameters. A
  /// normaliser without `weights` stands for the softmax.
  void set_normaliser(Normaliser normaliser) { normaliser_ = std::move(normaliser); }
  bool has_softmax() const { return !normaliser_.weights; }
  Estimator estimator() const override { return normaliser_.estimator; }

 protected:
  /// The energies e, (B, T), for the arguments of attend(). Energies beyond a row's length are ignored.
  virtual Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                          const Tensor& previous_weights) const = 0;
  /// The weights α, (B, T): the softmax of the energies, or the normaliser's weights.
  Tensor normalised(const Tensor& energies, const Tensor& lengths) const;
  /// The result of attend() for the weights α, (B, T). Applies dropout.
  Result summed(const Tensor& alpha, const Memory& memory) const;
  /// True if this object's class is exactly `Class`, not a class derived from `Class`, and the weights are a
  /// softmax. Only then may attention_sequence() replace attend().
  template <class Class>
  bool can_be_fused() const {
    return is_exactly<Class>() && has_softmax();
  }

 private:
  Normaliser normaliser_;
  Dropout dropout_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
