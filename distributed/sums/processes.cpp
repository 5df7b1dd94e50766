#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/processes.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "sums/background.hpp"

namespace gradus::distributed {
namespace {

// A tensor with at least this many values is sent in a separate message. Smaller tensors share one message.
constexpr std::int64_t large = 1 << 15;

// Adds up a matrix over all processes. Sends only the rows that are nonzero in at least one process, or all
// rows if more than three quarters are nonzero. In the gradient of an embedding, only the rows of the batch's
// tokens are nonzero.
template <class T>
class Rows {
 public:
  explicit Rows(Tensor& matrix)
      : values_(matrix.mutable_values<T>("the sum over processes")),
        width_(static_cast<std::size_t>(matrix.size(1))),
        flags_(static_cast<std::size_t>(matrix.size(0))) {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      flags_[i] = std::ranges::any_of(row(i), [](T value) { return value != 0; }) ? 1 : 0;
    }
  }
  // One flag per row: 1 if the row is nonzero in this process, else 0. Once the flags are summed over the
  // processes, a flag is above 0 if its row is nonzero in at least one process.
  std::span<float> flags() { return flags_; }

  // Adds up the rows over all processes. Call this once the flags are summed over the processes.
  template <class Sum>
  void add_up(const Sum& sum) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count_if(flags_, [](float flag) { return flag > 0; }));
    if (4 * count > 3 * flags_.size()) return sum(values_);
    std::vector<T> packed;
    packed.reserve(count * width_);
    for_each_row([&](std::span<T> row) { packed.insert(packed.end(), row.begin(), row.end()); });
    sum(std::span(packed));
    auto from = packed.begin();
    for_each_row([&](std::span<T> row) {
      std::copy_n(from, width_, row.begin());
      from += static_cast<std::ptrdiff_t>(width_);
    });
  }

 private:
  std::span<T> row(std::size_t i) const { return values_.subspan(i * width_, width_); }
  template <class F>
  void for_each_row(const F& f) const {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      if (flags_[i] > 0) f(row(i));
    }
  }

  std::span<T> values_;
  std::size_t width_;
  std::vector<float> flags_;
};

// Adds up each tensor of type T over all processes, element by element, by calls of sum(span).
template <class T, class Sum>
void sum_tensors(std::span<Tensor> tensors, Dtype dtype, std::vector<T>& message, const Sum& sum) {
  std::vector<std::span<T>> small;
  std::vector<Rows<T>> matrices;
  message.clear();
  for (Tensor& tensor : tensors) {
    if (tensor.dtype() != dtype) continue;
    if (tensor.rank() == 2 && tensor.numel() >= large) {
      matrices.emplace_back(tensor);
      continue;
    }
    const std::span<T> values = tensor.mutable_values<T>("the sum over processes");
    if (tensor.numel() >= large) {
      sum(values);
      continue;
    }
    small.push_back(values);
    message.insert(message.end(), values.begin(), values.end());
  }
  for (Rows<T>& matrix : matrices)
    message.insert(message.end(), matrix.flags().begin(), matrix.flags().end());
  sum(std::span(message));
  auto from = message.begin();
  const auto take = [&from](auto values) {
    for (auto& value : values) value = static_cast<std::remove_reference_t<decltype(value)>>(*from++);
  };
  for (const std::span<T> values : small) take(values);
  for (Rows<T>& matrix : matrices) {
    take(matrix.flags());
    matrix.add_up(sum);
  }
}

}  // namespace

models::Processes processes_of(Communicator& communicator, SumTimes* times) {
  if (communicator.size() == 1) return {};
  struct Sums {
    std::vector<double> f64;  // values of messages; the memory is reused in the next step
    std::vector<float> f32;
    std::unique_ptr<Background> background;     // runs the sums if there is a network
    std::vector<std::function<void()>> queued;  // on one host: the sums that finish_sums() will run
  };
  const auto sums = std::make_shared<Sums>();
  if (communicator.has_network()) sums->background = std::make_unique<Background>();
  const auto start_sum = [&communicator, sums](std::vector<Tensor> tensors, bool bf16) {
    auto call = [&communicator, all = sums.get(), bf16, tensors = std::move(tensors)]() mutable {
      sum_tensors(tensors, Dtype::f64, all->f64,
                  [&](std::span<double> values) { distributed::sum(communicator, values); });
      sum_tensors(tensors, Dtype::f32, all->f32, [&](std::span<float> values) {
        bf16 ? sum_bf16(communicator, values) : distributed::sum(communicator, values);
      });
    };
    if (sums->background) {
      sums->background->start(std::move(call));
    } else {
      sums->queued.emplace_back(std::move(call));
    }
  };
  const auto finish_sums = [sums, times] {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& call : std::exchange(sums->queued, {})) call();
    if (sums->background) sums->background->finish();
    if (times == nullptr) return;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    times->waiting += waited.count();
    times->summing = sums->background ? sums->background->busy() : times->waiting;
  };
  return {.rank = communicator.rank(),
          .count = communicator.size(),
          .start_sum = start_sum,
          .finish_sums = finish_sums};
}

}  // namespace gradus::distributed
