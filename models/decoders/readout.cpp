#include <gradus/autograd/ops.hpp>
#include <gradus/models/readout.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/maxout.hpp>

namespace gradus::models {
namespace {

std::unique_ptr<nn::Layer> make_hidden(std::int64_t inputs, std::int64_t maxout, const Tensor& tied) {
  if (maxout > 0) return std::make_unique<nn::Maxout>(inputs, tied.defined() ? tied.size(1) : maxout);
  if (tied.defined()) return std::make_unique<nn::Linear>(inputs, tied.size(1), false);
  return nullptr;
}

}  // namespace

Readout::Readout(std::int64_t inputs, std::int64_t vocabulary, std::int64_t maxout, const Tensor& tied)
    : hidden(make_hidden(inputs, maxout, tied)),
      weight(add_parameter("weight", tied.defined()
                                         ? tied
                                         : nn::uniform_fan_in({vocabulary, hidden ? maxout : inputs},
                                                              hidden ? maxout : inputs))),
      bias(add_parameter("bias", nn::uniform_fan_in({vocabulary}, weight.size(1)))) {
  if (hidden) add_module("hidden", *hidden);
}

Tensor Readout::forward(const Tensor& x) const {
  const Scope scope = enter();
  return linear(hidden ? hidden->forward(x) : x, weight, bias);
}

}  // namespace gradus::models
