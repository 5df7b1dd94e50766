#pragma once

#include <gradus/nn/module.hpp>

#include <optional>

namespace gradus::nn {

/// One step of a gated recurrent unit (Cho et al. 2014), in PyTorch's form:
///
///     r = σ(W_ir x + b_ir + W_hr h + b_hr)
///     z = σ(W_iz x + b_iz + W_hz h + b_hz)
///     n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn))
///     h′ = (1 − z) ∘ n + z ∘ h
///
/// Two things differ from the papers. In Bahdanau et al. 2015, A.1.1, z is the share of the *new* state:
/// their z is 1 − z here. And there, as in Cho et al., eq. 8, the reset gate acts before the product, U(r ∘
/// h); here it acts after it, r ∘ (U h), so that one product serves all three gates.
///
/// Parameters as in PyTorch's GRUCell, gates in the order r, z, n: `weight_ih` (3H, I), `weight_hh` (3H, H),
/// `bias_ih` (3H), `bias_hh` (3H), from U(−1/√H, 1/√H).
class GRUCell : public Module {
 public:
  GRUCell(std::int64_t inputs, std::int64_t hidden);
  /// x (B, I), h (B, H) → h′ (B, H). @throws Error when the sizes do not fit.
  Tensor forward(const Tensor& x, const Tensor& h) const;

  const Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

struct GRUOptions {
  bool bidirectional = false;
};

/// A gated recurrent unit over a sequence, forward or in both directions; each step is GRUCell's.
///
/// Parameters as in PyTorch's GRU: `weight_ih_l0` (3H, I), `weight_hh_l0` (3H, H), `bias_ih_l0`, `bias_hh_l0`
/// (3H), and for the other direction the same with `_reverse` behind.
class GRU : public Module {
 public:
  GRU(std::int64_t inputs, std::int64_t hidden, GRUOptions options = {});

  struct Output {
    Tensor output;  ///< the states, (T, B, D·H), D directions side by side; zeros beyond a sequence's length
    Tensor h_n;  ///< the last state of each direction, (D, B, H): after the last token, and after the first
    std::vector<Tensor> tensors() const { return {output, h_n}; }
  };

  /// @param x       (T, B, I)
  /// @param lengths (B), i64, or undefined when all are T. A state is frozen past its length; the backward
  /// direction
  ///                starts at the last token. As PyTorch's packed sequences.
  /// @param h_0     (D, B, H), or undefined for zeros
  /// @throws Error when the sizes do not fit, or a length is outside [0, T].
  Output forward(const Tensor& x, const Tensor& lengths = Tensor(), const Tensor& h_0 = Tensor()) const;

  std::int64_t hidden() const { return hidden_; }
  int directions() const { return backward_ ? 2 : 1; }

 private:
  struct Direction {
    Tensor weight_ih, weight_hh, bias_ih, bias_hh;
  };
  Direction make_direction(const std::string& suffix);

  std::int64_t inputs_, hidden_;
  Direction forward_;
  std::optional<Direction> backward_;
};

}  // namespace gradus::nn
