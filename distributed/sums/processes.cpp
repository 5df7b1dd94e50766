#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/processes.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace gradus::distributed {
namespace {

// Tensors with at least this many values are added up in place; smaller ones share a message.
constexpr std::int64_t large = 1 << 15;

// Adds up the values of all tensors of type T.
template <class T>
void sum_tensors(Communicator& communicator, std::span<Tensor> tensors, Dtype dtype,
                 std::vector<T>& message) {
  std::vector<std::span<T>> small;
  message.clear();
  for (Tensor& tensor : tensors) {
    if (tensor.dtype() != dtype) continue;
    const std::span<T> values = tensor.mutable_values<T>("the sum over processes");
    if (tensor.numel() >= large) {
      sum(communicator, values);
      continue;
    }
    small.push_back(values);
    message.insert(message.end(), values.begin(), values.end());
  }
  sum(communicator, std::span(message));
  auto from = message.begin();
  for (const std::span<T> values : small) {
    std::copy_n(from, values.size(), values.begin());
    from += static_cast<std::ptrdiff_t>(values.size());
  }
}

}  // namespace

models::Processes processes_of(Communicator& communicator) {
  struct Messages {
    std::vector<double> f64;
    std::vector<float> f32;
  };
  const auto messages = std::make_shared<Messages>();  // keeps its memory from step to step
  const auto sum = [&communicator, messages](std::span<Tensor> tensors) {
    sum_tensors(communicator, tensors, Dtype::f64, messages->f64);
    sum_tensors(communicator, tensors, Dtype::f32, messages->f32);
  };
  return {.rank = communicator.rank(), .count = communicator.size(), .sum = sum};
}

}  // namespace gradus::distributed
