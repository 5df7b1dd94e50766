#pragma once

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/tensor.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

/// Checks that the expression throws gradus::Error with exactly this message.
#define CHECK_ERROR(expression, message) \
  CHECK_THROWS_MATCHES(expression, gradus::Error, Catch::Matchers::Message(message))

/// Sets the number of threads; the destructor restores it.
class Threads {
 public:
  explicit Threads(int count) : before_(gradus::threads()) { gradus::set_threads(count); }
  ~Threads() { gradus::set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// True if the numbers are equal, or if `expected` is finite and |actual − expected| ≤ allowed.
inline bool is_close(double actual, double expected, double allowed) {
  return actual == expected || (std::isfinite(expected) && std::abs(actual - expected) <= allowed);
}

/// Compares elements: |actual − expected| ≤ tolerance · (1 + |expected|). An infinite element must be equal,
/// and a NaN always counts as different. Returns a description of the first difference, or an empty text.
inline std::string difference(const std::vector<double>& actual, const std::vector<double>& expected,
                              double tolerance) {
  std::ostringstream text;
  text.precision(17);
  if (actual.size() != expected.size()) text << actual.size() << " elements, expected " << expected.size();
  for (std::size_t i = 0; i < actual.size() && text.str().empty(); ++i) {
    if (is_close(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))) continue;
    text << "element " << i << " is " << actual[i] << ", expected " << expected[i];
  }
  return text.str();
}

inline std::string difference(const gradus::Tensor& actual, const gradus::Tensor& expected,
                              double tolerance) {
  return difference(actual.to_vector<double>(), expected.to_vector<double>(), tolerance);
}

/// A leaf that has these values and requires a gradient.
inline gradus::Tensor leaf(const gradus::Tensor& values) {
  gradus::Tensor result = values.clone();
  return result.set_requires_grad();
}

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
