#include <gradus/autograd/row_product.hpp>
#include <gradus/nn/row_products.hpp>

#include <algorithm>
#include <vector>

namespace gradus::nn {

RowProducts::RowProducts(const Module& module) {
  std::vector<Tensor> seen;
  for (const auto& [name, parameter] : module.named_parameters()) {
    const auto same = [&p = parameter](const Tensor& other) { return other.is(p); };
    const bool is_matrix = parameter.rank() == 2 && parameter.dtype() == Dtype::f32;
    if (!is_matrix || std::ranges::any_of(seen, same)) continue;
    products_.emplace_back(parameter, std::make_shared<RowProduct>(parameter));
    seen.push_back(parameter);
  }
}

}  // namespace gradus::nn
