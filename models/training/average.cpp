#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/average.hpp>

#include <string>

namespace gradus::models {
namespace {

void check_alike(const NamedTensors& first, const NamedTensors& other, std::size_t number) {
  if (first.size() != other.size()) {
    fail("average", "state 0 has ", first.size(), " tensors, but state ", number, " has ", other.size(),
         "; give states of one model");
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto& [name, tensor] = first[i];
    const auto& [other_name, other_tensor] = other[i];
    if (name == other_name && tensor.shape() == other_tensor.shape() &&
        tensor.dtype() == other_tensor.dtype()) {
      continue;
    }
    fail("average", "state 0 has '", name, "' ", tensor.shape(), ", but state ", number, " has '", other_name,
         "' ", other_tensor.shape(), "; give states of one model");
  }
}

Tensor mean_at(std::span<const NamedTensors> states, std::size_t i) {
  const Tensor& last = states.back()[i].second;
  if (last.dtype() == Dtype::i64) return last.clone();
  Tensor sum = states.front()[i].second.to(Dtype::f64);
  for (const NamedTensors& state : states.subspan(1)) sum = sum + state[i].second.to(Dtype::f64);
  return (sum / static_cast<double>(states.size())).to(last.dtype());
}

}  // namespace

NamedTensors average(std::span<const NamedTensors> states) {
  if (states.empty()) fail("average", "needs at least one state, and got none");
  for (std::size_t n = 1; n < states.size(); ++n) check_alike(states.front(), states[n], n);
  NamedTensors mean;
  for (std::size_t i = 0; i < states.front().size(); ++i) {
    mean.emplace_back(states.front()[i].first, mean_at(states, i));
  }
  return mean;
}

}  // namespace gradus::models
