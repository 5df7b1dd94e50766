#pragma once

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Reads a saved state entry by entry and collects its errors until finish(). An invalid entry reads as
/// undefined or 0.
class StateReader {
 public:
  explicit StateReader(const NamedTensors& state);

  /// A copy of an entry, which must have this shape and dtype.
  Tensor copy(const std::string& name, const Shape& shape, Dtype dtype);
  double number(const std::string& name);
  /// A finite number of at least 0.
  double not_negative(const std::string& name);
  /// An integer of at least 0.
  std::int64_t count(const std::string& name);
  /// The entries whose names begin with `prefix`, with the prefix removed: a nested state.
  NamedTensors part(const std::string& prefix);

  /// @throws Error listing every missing, unexpected or invalid entry, if any; `advice` says what to do.
  void finish(std::string_view operation, std::string_view advice) const;

 private:
  std::map<std::string, Tensor> left_;  // not read so far
  std::vector<std::string> missing_, twice_, wrong_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
