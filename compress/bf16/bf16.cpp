#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/checks.hpp>
#include <gradus/compress/bf16.hpp>

#include <algorithm>
#include <cmath>

namespace gradus::compress {
namespace {

float rounded(float x) { return bf16::to_float(bf16::rounded(x)); }

}  // namespace

std::set<std::string> round_to_bf16(nn::Module& model, const std::set<std::string>& except) {
  NamedTensors state = model.state_dict();
  std::erase_if(state, [&](const auto& entry) {
    return entry.second.dtype() != Dtype::f32 || except.contains(entry.first);
  });
  std::set<std::string> names;
  for (const auto& [name, tensor] : state) {
    for (const float x : tensor.values<float>()) {
      if (!std::isfinite(rounded(x))) {
        fail("round_to_bf16", "'", name, "' has the value ", x, "; bf16 needs finite values");
      }
    }
    names.insert(name);
  }
  for (auto& [name, tensor] : state) {
    const auto values = tensor.mutable_values<float>("round_to_bf16");
    std::ranges::transform(values, values.begin(), rounded);
  }
  return names;
}

}  // namespace gradus::compress
