#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/init_bahdanau.hpp>

#include <string>
#include <vector>

namespace gradus::nn {
namespace {

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// The path without its last name: "decoder.attention.W_a" for "decoder.attention.W_a.weight". Empty if
// the path has no dot.
std::string owner_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

// New values for a parameter. Undefined if the parameter keeps its values.
Tensor values_for(const std::string& path, const Shape& shape, Dtype dtype) {
  const std::string name = last_name(path), owner = last_name(owner_of(path));
  if (name == "v_a" || name.starts_with("bias")) return zeros(shape, dtype);
  if (shape.rank() < 2) return {};
  if (name.starts_with("weight_hh")) return orthogonal_blocks(shape, 1, dtype);
  const double deviation = owner == "W_a" || owner == "U_a" ? 0.001 : 0.01;
  return normal(shape, 0, deviation, default_generator(), dtype);
}

}  // namespace

void init_bahdanau(Module& module) {
  NamedTensors parameters = module.named_parameters();
  std::vector<Tensor> values;
  for (const auto& [path, parameter] : parameters) {
    values.push_back(values_for(path, parameter.shape(), parameter.dtype()));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k].defined()) parameters[k].second.replace(values[k]);
  }
}

}  // namespace gradus::nn
