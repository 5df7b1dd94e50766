#include <gradus/autograd/checks.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/nn/int8.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "int8/int8_product.hpp"

namespace gradus::compress {
namespace {

bool is_matrix(const Tensor& tensor) { return tensor.rank() == 2 && tensor.dtype() == Dtype::f32; }

nn::Int8Matrix quantised(const std::string& name, const Tensor& W) {
  if (W.size(1) > most_columns) {
    fail("int8", "'", name, "' is ", W.shape(), ", and at most ", most_columns,
         " columns are allowed; keep this model in f32");
  }
  return nn::quantise_rows(W);
}

}  // namespace

std::set<std::string> round_to_int8(nn::Module& model) {
  std::vector<std::pair<Tensor, Tensor>> changes;
  std::set<std::string> names;
  for (const auto& [name, tensor] : model.state_dict()) {
    if (!is_matrix(tensor)) continue;
    names.insert(name);
    changes.emplace_back(tensor, nn::dequantised(quantised(name, tensor)));
  }
  for (auto& [tensor, rounded] : changes) {
    std::ranges::copy(rounded.values<float>(), tensor.mutable_values<float>("round_to_int8").begin());
  }
  return names;
}

Int8Products::Int8Products(const nn::Module& model) {
  std::vector<Tensor> seen;
  for (const auto& [name, parameter] : model.named_parameters()) {
    const auto same = [&p = parameter](const Tensor& other) { return other.is(p); };
    if (!is_matrix(parameter) || std::ranges::any_of(seen, same)) continue;
    nn::Int8Matrix matrix = quantised(name, parameter);
    if (!std::ranges::equal(nn::dequantised(matrix).values<float>(), parameter.values<float>())) {
      fail("int8", "'", name, "' ", parameter.shape(),
           " holds values that are not int8 times a scale per row; call round_to_int8(), or write the model "
           "again with gradus compress --int8");
    }
    products_.emplace_back(parameter, std::make_shared<Int8Product>(std::move(matrix)));
    seen.push_back(parameter);
  }
}

}  // namespace gradus::compress
