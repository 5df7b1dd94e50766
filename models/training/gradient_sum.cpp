#include "training/gradient_sum.hpp"

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <limits>
#include <numeric>
#include <utility>

namespace gradus::models {
namespace {

constexpr std::size_t bucket_bytes = std::size_t{1} << 20;

}  // namespace

GradientSum::GradientSum(const std::vector<Tensor>& parameters, const Processes& processes,
                         std::int64_t shards, bool bf16, Order& order)
    : processes_(processes),
      shards_(shards),
      bf16_(bf16),
      order_(order),
      sums_(parameters.size(), TreeSum(bf16)),
      has_gradient_(parameters.size()),
      place_(parameters.size()) {
  if (order_.size() != parameters.size()) {  // the set of trained parameters has changed
    order_.resize(parameters.size());
    std::iota(order_.rbegin(), order_.rend(), std::size_t{0});
  }
  for (const std::size_t i : order_) parameters_.push_back(parameters[i]);
}

GradientSum::~GradientSum() {
  remove_hooks();
  if (!has_begun_) return;
  try {
    constexpr double failed = std::numeric_limits<double>::quiet_NaN();
    while (numbers_.terms() < shards_) add_shard(failed, failed);
    take();
  } catch (const std::exception&) {  // the sum failed because another process did
  }
}

void GradientSum::add_during_backward() {
  if (processes_.count == 1) return;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    hooks_.push_back(parameters_[i].add_hook([this, i](const Tensor& gradient) {
      const Tensor earlier = parameters_[i].grad();  // from the shard's sequences in earlier batches
      add(i, earlier.defined() ? earlier + gradient : gradient.clone());
      return Tensor();
    }));
  }
}

void GradientSum::add_shard(double loss, double cross_entropy) {
  remove_hooks();
  const std::int64_t shard = numbers_.terms();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (sums_[i].terms() == shard) add(i, parameters_[i].grad());
  }
  std::vector<double> numbers{loss, cross_entropy};
  numbers.insert(numbers.end(), has_gradient_.begin(), has_gradient_.end());
  numbers.insert(numbers.end(), place_.begin(), place_.end());
  numbers_.add(tensor(numbers));
}

GradientSum::Sums GradientSum::take() {
  Tensor totals = numbers_.value();
  if (processes_.count > 1) {
    bucket_.push_back(totals);
    has_begun_ = true;
    processes_.start_sum(std::exchange(bucket_, {}), bf16_);
    has_begun_ = false;
    processes_.finish_sums();
  }
  const auto numbers = totals.values<double>();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].set_grad(numbers[i + 2] > 0 ? sums_[i].value() : Tensor());
  }
  const auto places = numbers.subspan(2 + parameters_.size());
  const Order before = order_;
  for (std::size_t i = 0; i < before.size(); ++i) order_[static_cast<std::size_t>(places[i])] = before[i];
  return {numbers[0], numbers[1]};
}

void GradientSum::add(std::size_t i, Tensor gradient) {
  has_gradient_[i] = gradient.defined() ? 1 : 0;
  if (!gradient.defined()) gradient = zeros(parameters_[i].shape(), parameters_[i].dtype());
  sums_[i].add(std::move(gradient));
  if (sums_[i].terms() < shards_) return;
  if (processes_.rank == 0) place_[i] = complete_++;  // other processes contribute 0 to the sum
  if (processes_.count > 1) start_complete_buckets();
}

void GradientSum::start_complete_buckets() {
  for (; next_ < sums_.size() && sums_[next_].terms() == shards_; ++next_) {
    const Tensor& sum = sums_[next_].value();
    bucket_.push_back(sum);
    bytes_ += static_cast<std::size_t>(sum.numel()) * bytes_per_element(sum.dtype());
    if (bytes_ < bucket_bytes) continue;
    bytes_ = 0;
    has_begun_ = true;
    processes_.start_sum(std::exchange(bucket_, {}), bf16_);
  }
}

void GradientSum::remove_hooks() {
  for (std::size_t i = 0; i < hooks_.size(); ++i) parameters_[i].remove_hook(hooks_[i]);
  hooks_.clear();
}

}  // namespace gradus::models
