#pragma once

#include <gradus/nn/layer.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus::models {

/// What the logits of y_t are made of.
enum class ReadoutForm {
  state,           ///< s_t
  linear,          ///< [s_t; c_t; E y_{t−1}]
  maxout,          ///< maxout of [s_t; c_t; E y_{t−1}] (Cho et al. 2014, appendix A.1)
  maxout_earlier,  ///< maxout of [s_{t−1}; c_t; E y_{t−1}] (Bahdanau et al. 2015, appendix A.2.2)
};

/// The last layer of a decoder:
///
///     logits = W_o t + b_o,    t = x,  or  max_j (W x + b)_{·,j} of two pieces,  or  W x where W_o = E
///
/// Parameters: `weight` W_o (V, ·) and `bias` b_o (V); modules: `hidden`, what makes t of x, if anything
/// does.
class Readout : public nn::Layer {
 public:
  /// @param inputs of x
  /// @param maxout the size of t where it is a maxout, else 0
  /// @param tied   E (V, ·), which is W_o too: t is then of its rows' size (Press and Wolf 2017). Undefined
  ///               for a W_o of its own
  Readout(std::int64_t inputs, std::int64_t vocabulary, std::int64_t maxout = 0,
          const Tensor& tied = Tensor());
  /// x (…, inputs) → (…, V)
  Tensor forward(const Tensor& x) const override;

  const std::unique_ptr<nn::Layer> hidden;
  const Tensor weight, bias;
};

}  // namespace gradus::models
#pragma GCC visibility pop
