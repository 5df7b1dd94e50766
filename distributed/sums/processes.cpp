#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/processes.hpp>

#include <algorithm>

namespace gradus::distributed {
namespace {

// Adds up the values of all tensors of type T as one message.
template <class T>
void sum_tensors(Communicator& communicator, std::span<Tensor> tensors, Dtype dtype) {
  std::vector<T> values;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() != dtype) continue;
    const auto some = tensor.values<T>();
    values.insert(values.end(), some.begin(), some.end());
  }
  sum(communicator, std::span(values));
  auto from = values.begin();
  for (Tensor& tensor : tensors) {
    if (tensor.dtype() != dtype) continue;
    const auto some = tensor.mutable_values<T>("the sum over processes");
    std::copy_n(from, some.size(), some.begin());
    from += static_cast<std::ptrdiff_t>(some.size());
  }
}

}  // namespace

models::Processes processes_of(Communicator& communicator) {
  const auto sum = [&communicator](std::span<Tensor> tensors) {
    sum_tensors<double>(communicator, tensors, Dtype::f64);
    sum_tensors<float>(communicator, tensors, Dtype::f32);
  };
  return {.rank = communicator.rank(), .count = communicator.size(), .sum = sum};
}

}  // namespace gradus::distributed
