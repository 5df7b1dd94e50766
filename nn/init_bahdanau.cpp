#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/init_bahdanau.hpp>

#include <string>

namespace gradus::nn {
namespace {

// "W_a" of "decoder.attention.W_a.weight"; empty when the parameter has no owner.
std::string owner_of(const std::string& path) {
  const std::size_t end = path.rfind('.');
  if (end == std::string::npos) return "";
  const std::size_t before = path.rfind('.', end - 1);
  return path.substr(before == std::string::npos ? 0 : before + 1,
                     end - (before == std::string::npos ? 0 : before + 1));
}

// Undefined: to be left alone.
Tensor values_for(const std::string& path, const Shape& shape, Dtype dtype) {
  const std::string name = path.substr(path.rfind('.') + 1);
  if (name == "v_a" || name.starts_with("bias")) return zeros(shape, dtype);
  if (shape.rank() < 2) return {};
  if (name.starts_with("weight_hh")) return orthogonal_blocks(shape, 1, dtype);
  const std::string owner = owner_of(path);
  const double deviation = owner == "W_a" || owner == "U_a" ? 0.001 : 0.01;
  return normal(shape, 0, deviation, default_generator(), dtype);
}

}  // namespace

void init_bahdanau(Module& module) {
  for (auto& [path, parameter] : module.named_parameters()) {
    const Tensor values = values_for(path, parameter.shape(), parameter.dtype());
    if (values.defined()) Tensor(parameter).replace(values);
  }
}

}  // namespace gradus::nn
