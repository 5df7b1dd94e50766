#pragma once

#include <gradus/nn/recurrent.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct LSTMCellOptions {
  bool bias = true;
};

/// One step of a long short-term memory in PyTorch's form (Hochreiter and Schmidhuber 1997, with the forget
/// gate of Gers et al. 2000 and no peepholes):
///
///     i = σ(W_ii x + b_ii + W_hi h + b_hi)
///     f = σ(W_if x + b_if + W_hf h + b_hf)
///     g = tanh(W_ig x + b_ig + W_hg h + b_hg)
///     o = σ(W_io x + b_io + W_ho h + b_ho)
///     c′ = f ∘ c + i ∘ g
///     h′ = o ∘ tanh(c′)
///
/// Parameters as in PyTorch's LSTMCell, gates in the order i, f, g, o: `weight_ih` (4H, I), `weight_hh`
/// (4H, H), `bias_ih` (4H), `bias_hh` (4H), from U(−1/√H, 1/√H).
class LSTMCell : public RecurrentCell {
 public:
  /// @throws Error unless both sizes are at least 1.
  LSTMCell(std::int64_t inputs, std::int64_t hidden, LSTMCellOptions options = {});

  struct Output {
    Tensor h, c;  ///< h′ and c′, (B, H)
    std::vector<Tensor> tensors() const { return {h, c}; }
  };

  /// x (B, I); h and c (B, H), each undefined for zeros. @throws Error if the sizes do not fit.
  Output forward(const Tensor& x, const Tensor& h = Tensor(), const Tensor& c = Tensor()) const;
};

struct LSTMOptions {
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  ///< dropout between layers
  bool bias = true;
  bool batch_first = false;
};

/// A long short-term memory over a sequence. Each step computes the equations of LSTMCell. Layers,
/// directions, dropout and lengths work as in GRU. Parameters as in PyTorch's LSTM: each layer and direction
/// has the parameters of LSTMCell, with names as in GRU.
class LSTM : public Recurrent {
 public:
  /// @throws Error as GRU does.
  LSTM(std::int64_t inputs, std::int64_t hidden, LSTMOptions options = {});

  struct Output {
    Tensor output;    ///< the last layer's h, (T, B, D·H), as in GRU
    Tensor h_n, c_n;  ///< (layers·D, B, H), as in GRU
    std::vector<Tensor> tensors() const { return {output, h_n, c_n}; }
  };

  /// x (T, B, I), lengths (B), h_0 and c_0 (layers·D, B, H), as in GRU. @throws Error as GRU::forward does.
  Output forward(const Tensor& x, const Tensor& lengths = Tensor(), const Tensor& h_0 = Tensor(),
                 const Tensor& c_0 = Tensor()) const;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
