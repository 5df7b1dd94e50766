#pragma once

#include <gradus/nn/init.hpp>
#include <gradus/nn/recurrent.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct RNNCellOptions {
  bool bias = true;
  Nonlinearity nonlinearity = Nonlinearity::tanh;  ///< f: tanh or relu
};

/// One step of a simple recurrent network (Elman 1990), in PyTorch's form:
///
///     h′ = f(W_ih x + b_ih + W_hh h + b_hh)
///
/// Parameters as in PyTorch's RNNCell: `weight_ih` (H, I), `weight_hh` (H, H), `bias_ih` (H), `bias_hh` (H),
/// from U(−1/√H, 1/√H).
class RNNCell : public RecurrentCell {
 public:
  /// @throws Error unless both sizes are at least 1 and f is tanh or relu.
  RNNCell(std::int64_t inputs, std::int64_t hidden, RNNCellOptions options = {});
  /// x (B, I), h (B, H) or undefined for zeros → h′ (B, H). @throws Error if the sizes do not fit.
  Tensor forward(const Tensor& x, const Tensor& h = Tensor()) const;
};

struct RNNOptions {
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  ///< dropout between layers
  bool bias = true;
  bool batch_first = false;
  Nonlinearity nonlinearity = Nonlinearity::tanh;
};

/// A simple recurrent network over a sequence. Each step computes the equation of RNNCell. Layers,
/// directions, dropout and lengths work as in GRU. Parameters as in PyTorch's RNN: each layer and direction
/// has the parameters of RNNCell, with names as in GRU.
class RNN : public Recurrent {
 public:
  /// @throws Error as GRU does, and if f is neither tanh nor relu.
  RNN(std::int64_t inputs, std::int64_t hidden, RNNOptions options = {});

  struct Output {
    Tensor output;  ///< (T, B, D·H), as in GRU
    Tensor h_n;     ///< (layers·D, B, H), as in GRU
    std::vector<Tensor> tensors() const { return {output, h_n}; }
  };

  /// x (T, B, I), lengths (B) and h_0 (layers·D, B, H), as in GRU. @throws Error as GRU::forward does.
  Output forward(const Tensor& x, const Tensor& lengths = Tensor(), const Tensor& h_0 = Tensor()) const;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
