#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One operation at one size, written in up to three ways that compute the same.
struct OperationCase {
  std::string name = {};
  std::function<void()> ours = {};
  std::function<void()> composed = {};  ///< of primitive operations, or a conventional product; may be empty
  std::function<void()> loop = {};      ///< plain C++ without the engine; may be empty
  /// What bounds it: the bytes that it must read and write at least, or its floating-point operations.
  double bytes = 0, flop = 0;
};

/// Operations whose time is that of memory, at a size that leaves the caches; forward.
std::vector<OperationCase> elementwise_cases();
/// Operations along rows and columns, and those that only move; forward.
std::vector<OperationCase> row_cases();
std::vector<OperationCase> product_cases();
/// What has a fused kernel, forward and backward together.
std::vector<OperationCase> fused_cases();

}  // namespace bench
