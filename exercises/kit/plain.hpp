#pragma once

#include <gradus/autograd/tensor.hpp>

#include <concepts>
#include <vector>

namespace exercise {

/// An array of doubles. Checkers use it to compute expected values in plain loops, independently of the
/// library's operations.
class Plain {
 public:
  Plain() = default;
  explicit Plain(const gradus::Shape& shape)
      : shape_(shape), values_(static_cast<std::size_t>(shape.numel())) {}
  explicit Plain(double value) : values_{value} {}  // a scalar
  explicit Plain(const gradus::Tensor& tensor)
      : shape_(tensor.shape()), values_(tensor.to_vector<double>()) {}

  const gradus::Shape& shape() const { return shape_; }
  std::int64_t size(int axis) const { return shape_[axis]; }
  const std::vector<double>& values() const { return values_; }
  gradus::Tensor tensor() const { return gradus::tensor(values_, shape_); }

  double& operator()(std::integral auto... index) { return values_[offset(index...)]; }
  double operator()(std::integral auto... index) const { return values_[offset(index...)]; }

 private:
  std::size_t offset(std::integral auto... index) const {
    std::int64_t at = 0;
    int axis = 0;
    ((at = at * shape_[axis++] + static_cast<std::int64_t>(index)), ...);
    return static_cast<std::size_t>(at);
  }

  gradus::Shape shape_;
  std::vector<double> values_;
};

}  // namespace exercise
