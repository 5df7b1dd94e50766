#pragma once

#include <gradus/nn/layer.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The vector from which the readout computes the logits of y_t.
enum class ReadoutForm {
  state,           ///< s_t
  linear,          ///< [s_t; c_t; E y_{t−1}]
  maxout,          ///< maxout of [s_t; c_t; E y_{t−1}] (Cho et al. 2014, appendix A.1)
  maxout_earlier,  ///< maxout of [s_{t−1}; c_t; E y_{t−1}] (Bahdanau et al. 2015, appendix A.2.2)
};

/// The last layer of a decoder, logits = W_o t + b_o. The vector t is computed from the input x:
///
///     t_i = max_j (W x + b)_{i,j}    with a maxout of two pieces, j = 1, 2
///     t = W x                        without a maxout, if W_o is the tied embedding E
///     t = x                          otherwise
///
/// Parameters: `weight` W_o (V, ·) and `bias` b_o (V). Modules: `hidden` computes t from x; null if t = x.
class Readout : public nn::Layer {
 public:
  /// @param inputs the size of x
  /// @param maxout the size of t for a maxout; 0 for none
  /// @param tied   E (V, ·), used as W_o; t then has the size of E's rows (Press and Wolf 2017). Undefined
  ///               for a separate W_o
  Readout(std::int64_t inputs, std::int64_t vocabulary, std::int64_t maxout = 0,
          const Tensor& tied = Tensor());
  /// x (…, inputs) → (…, V)
  Tensor forward(const Tensor& x) const override;

  const std::unique_ptr<nn::Layer> hidden;
  const Tensor weight, bias;
};

}  // namespace gradus::models
#pragma GCC visibility pop
