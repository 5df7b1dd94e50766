#pragma once

#include <gradus/nn/layer.hpp>

#include <concepts>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// A chain of layers. The output of each layer is the input of the next. The layers are children "0", "1", …
///
///     nn::Sequential readout(std::make_unique<nn::Linear>(64, 32), std::make_unique<nn::Tanh>(),
///                            std::make_unique<nn::Linear>(32, 10));
class Sequential : public Layer {
 public:
  /// @throws Error naming the first layer that is null.
  explicit Sequential(std::vector<std::unique_ptr<Layer>> layers);
  template <std::derived_from<Layer>... L>
  explicit Sequential(std::unique_ptr<L>... layers) : Sequential(listed(std::move(layers)...)) {}

  /// Applies the layers to x, in order. Without layers, returns x itself.
  Tensor forward(const Tensor& x) const override;

 private:
  template <class... L>
  static std::vector<std::unique_ptr<Layer>> listed(std::unique_ptr<L>... layers) {
    std::vector<std::unique_ptr<Layer>> list;
    (list.push_back(std::move(layers)), ...);
    return list;
  }

  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
