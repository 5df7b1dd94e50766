#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/recurrent.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Where the reset gate r acts: after the product W_hn h, as in PyTorch, or before that product, as in the
/// papers.
///
///     pytorch    n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn))      one product for all three gates
///     original   n = tanh(W_in x + b_in + W_hn (r ∘ h) + b_hn)      Cho et al. 2014, eq. 8; Bahdanau et al.
///                                                                   2015, appendix A.1.1
///
/// Parameters have the same names and shapes in both forms: weight_ih stacks the papers' W_r, W_z and W, and
/// weight_hh stacks U_r, U_z and U. The two forms compute different functions. So weights trained in one form
/// do not work in the other form.
///
/// In both forms, z is the factor of the *old* state, as in PyTorch and Cho et al., eq. 7: h′ = (1 − z) ∘ n +
/// z ∘ h. In Bahdanau et al., z is the factor of the new state n. To convert weights between the two
/// conventions, negate the rows of z, [H, 2H), in both weights and both biases, because 1 − σ(a) = σ(−a).
enum class GRUForm { pytorch, original };

struct GRUCellOptions {
  bool bias = true;
  GRUForm form = GRUForm::pytorch;
};

/// One step of a gated recurrent unit (Cho et al. 2014, eq. 5–8), with n as defined by GRUForm:
///
///     r = σ(W_ir x + b_ir + W_hr h + b_hr)
///     z = σ(W_iz x + b_iz + W_hz h + b_hz)
///     n = tanh(…), see GRUForm
///     h′ = (1 − z) ∘ n + z ∘ h
///
/// Parameters as in PyTorch's GRUCell, gates in the order r, z, n: `weight_ih` (3H, I), `weight_hh` (3H, H),
/// `bias_ih` (3H), `bias_hh` (3H), from U(−1/√H, 1/√H).
class GRUCell : public RecurrentCell {
 public:
  /// @throws Error unless both sizes are at least 1.
  GRUCell(std::int64_t inputs, std::int64_t hidden, GRUCellOptions options = {});
  /// x (B, I), h (B, H) or undefined for zeros → h′ (B, H). @throws Error if the sizes do not fit.
  Tensor forward(const Tensor& x, const Tensor& h = Tensor()) const;
};

struct GRUOptions {
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  ///< dropout between layers
  bool bias = true;
  bool batch_first = false;
  GRUForm form = GRUForm::pytorch;
};

/// A gated recurrent unit over a sequence, with one or more layers, forward only or in both directions. Each
/// step computes the equations of GRUCell. Layer l + 1 reads the states of layer l, with both directions
/// concatenated. In training, `dropout` (see Dropout) acts on the states between layers, but not on the
/// states of the last layer.
///
/// Parameters as in PyTorch's GRU. Layer 0 has `weight_ih_l0` (3H, I), `weight_hh_l0` (3H, H), `bias_ih_l0`
/// and `bias_hh_l0` (3H). For the backward direction, the names end in `_reverse`. The parameters of layers
/// 1, 2, … follow; for D directions, the weight_ih of these layers is (3H, D·H). The biases are absent if
/// `bias` is false.
class GRU : public Recurrent {
 public:
  /// @throws Error unless both sizes and `layers` are at least 1 and 0 ≤ dropout < 1. Also throws for dropout
  /// above 0 with one layer, where dropout would have no effect (PyTorch only warns).
  GRU(std::int64_t inputs, std::int64_t hidden, GRUOptions options = {});
  /// Where the reset gate acts.
  GRUForm form() const { return form_; }

  struct Output {
    /// The last layer's states, (T, B, D·H), or (B, T, D·H) if batch_first. D directions are concatenated.
    /// States beyond a sequence's length are zeros.
    Tensor output;
    /// The last state of each layer and direction, (layers·D, B, H): forward after the last token, backward
    /// after the first. The order is layer 0 forward, layer 0 backward, layer 1 forward …
    Tensor h_n;
    std::vector<Tensor> tensors() const { return {output, h_n}; }
  };

  /// @param x       (T, B, I), or (B, T, I) if batch_first. Elements beyond the lengths have no effect,
  ///                even if they are NaN
  /// @param lengths (B), i64, or undefined if all are T. The forward direction ends at a sequence's last
  ///                token, and the backward direction starts there, as for PyTorch's packed sequences. A
  ///                length of 0, which PyTorch does not allow, gives h_n = h_0
  /// @param h_0     (layers·D, B, H), in the order of h_n, or undefined for zeros
  /// @throws Error if the sizes do not fit, or a length is outside [0, T].
  Output forward(const Tensor& x, const Tensor& lengths = Tensor(), const Tensor& h_0 = Tensor()) const;

 private:
  GRUForm form_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
