#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/recurrent.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Where the reset gate acts: after the product of the state, as in PyTorch, or before it, as in the papers.
///
///     pytorch    n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn))      one product serves all three gates
///     original   n = tanh(W_in x + b_in + W_hn (r ∘ h) + b_hn)      Cho et al. 2014, eq. 8; Bahdanau et al.
///                                                                   2015, appendix A.1.1
///
/// Parameters have the same names and shapes in both: the papers' W_r, W_z and W, one below the other, are
/// weight_ih, and their U_r, U_z and U weight_hh. But the two are different functions: weights that were
/// trained in one form are of no use in the other.
///
/// In both, z is the share of the *old* state, as in PyTorch and Cho et al., eq. 7: h′ = (1 − z) ∘ n + z ∘ h.
/// In Bahdanau et al. it is the share of the new one. Since 1 − σ(a) = σ(−a), weights in their sense become
/// weights here, and the other way round, when the rows of z, [H, 2H), change sign in all four parameters.
using gradus::GRUForm;

struct GRUCellOptions {
  bool bias = true;
  GRUForm form = GRUForm::pytorch;
};

/// One step of a gated recurrent unit (Cho et al. 2014, eq. 5–8), with n by its form:
///
///     r = σ(W_ir x + b_ir + W_hr h + b_hr)
///     z = σ(W_iz x + b_iz + W_hz h + b_hz)
///     n = as GRUForm says
///     h′ = (1 − z) ∘ n + z ∘ h
///
/// Parameters as in PyTorch's GRUCell, gates in the order r, z, n: `weight_ih` (3H, I), `weight_hh` (3H, H),
/// `bias_ih` (3H), `bias_hh` (3H), from U(−1/√H, 1/√H).
class GRUCell : public RecurrentCell {
 public:
  /// @throws Error unless both sizes are at least 1.
  GRUCell(std::int64_t inputs, std::int64_t hidden, GRUCellOptions options = {});
  /// x (B, I), h (B, H) or undefined for zeros → h′ (B, H). @throws Error when the sizes do not fit.
  Tensor forward(const Tensor& x, const Tensor& h = Tensor()) const;
};

struct GRUOptions {
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  ///< between layers
  bool bias = true;
  bool batch_first = false;
  GRUForm form = GRUForm::pytorch;
};

/// A gated recurrent unit over a sequence, in one layer or more, forward or in both directions; each step is
/// GRUCell's. Layer l + 1 reads the states of layer l, both directions side by side; in training with
/// `dropout` of them set to 0 (see Dropout), but not the last layer's.
///
/// Parameters as in PyTorch's GRU: `weight_ih_l0` (3H, I), `weight_hh_l0` (3H, H), `bias_ih_l0`, `bias_hh_l0`
/// (3H), for the other direction the same with `_reverse` behind, then those of layer 1, whose weight_ih is
/// (3H, D·H), and so on. Without `bias` there are no biases.
class GRU : public Recurrent {
 public:
  /// @throws Error unless both sizes and `layers` are at least 1 and 0 ≤ dropout < 1, and for dropout with
  /// one layer, of which PyTorch only warns: there is nothing that it would act on.
  GRU(std::int64_t inputs, std::int64_t hidden, GRUOptions options = {});
  GRUForm form() const { return form_; }

  struct Output {
    Tensor output;  ///< the last layer's states, (T, B, D·H), D directions side by side; zeros beyond a
                    ///< sequence's length. (B, T, D·H) when batch_first
    Tensor h_n;  ///< the last state of each layer and direction, (layers·D, B, H): after the last token, and
                 ///< after the first one backward; layer 0 forward, layer 0 backward, layer 1 forward …
    std::vector<Tensor> tensors() const { return {output, h_n}; }
  };

  /// @param x       (T, B, I), or (B, T, I) when batch_first; beyond the lengths any finite numbers. (In
  ///                PyTorch's form, unless composed, any at all: they are not read.)
  /// @param lengths (B), i64, or undefined when all are T. A state is frozen past its length; the backward
  ///                direction starts at the last token. As PyTorch's packed sequences; but a length may be 0,
  ///                which leaves the first state
  /// @param h_0     (layers·D, B, H), in the order of h_n, or undefined for zeros
  /// @throws Error when the sizes do not fit, or a length is outside [0, T].
  Output forward(const Tensor& x, const Tensor& lengths = Tensor(), const Tensor& h_0 = Tensor()) const;

 private:
  GRUForm form_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
