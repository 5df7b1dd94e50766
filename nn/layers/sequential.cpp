#include <gradus/nn/sequential.hpp>

#include <cstddef>
#include <string>

namespace gradus::nn {

Sequential::Sequential(std::vector<std::unique_ptr<Layer>> layers) : layers_(std::move(layers)) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!layers_[i]) fail("Sequential", "layer ", i, " is null");
    add_module(std::to_string(i), *layers_[i]);
  }
}

Tensor Sequential::forward(const Tensor& x) const {
  const Scope scope = enter();
  Tensor y = x;
  for (const auto& layer : layers_) y = layer->forward(y);
  return y;
}

}  // namespace gradus::nn
