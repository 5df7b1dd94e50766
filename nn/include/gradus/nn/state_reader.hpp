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

/// Reads a saved state entry by entry, and collects the faults that it finds. finish() throws one Error for
/// all of them. Do not use the values before finish() has returned: for an invalid entry, they are an
/// undefined tensor, 0, or a number out of range.
class StateReader {
 public:
  explicit StateReader(const NamedTensors& state);

  /// A copy of the entry `name`, which must have this shape and dtype.
  Tensor copy(const std::string& name, const Shape& shape, Dtype dtype);
  /// The number in an f64 entry.
  double number(const std::string& name);
  /// The number in an f64 entry, which must be finite and at least 0.
  double not_negative(const std::string& name);
  /// The number in an i64 entry, which must be at least 0.
  std::int64_t count(const std::string& name);
  /// A nested state: the entries whose names begin with `prefix`. The prefix is removed from the names.
  NamedTensors part(const std::string& prefix);

  /// Call after the last entry. @throws Error if any entry is missing, unexpected, duplicated or invalid. The
  /// message lists at most three entries for each reason, and ends with `advice`.
  void finish(std::string_view operation, std::string_view advice) const;

 private:
  std::map<std::string, Tensor> left_;  // entries not read so far
  std::vector<std::string> missing_, twice_, wrong_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
