#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One operation at one size, in up to three equivalent implementations.
struct OperationCase {
  std::string name = {};
  std::function<void()> ours = {};
  std::function<void()> composed = {};  ///< composed of simpler operations; may be empty
  std::function<void()> loop = {};      ///< plain C++ without the engine; may be empty
  /// Counts of work that bound the time from below: bytes read and written, or floating-point operations.
  double bytes = 0, flop = 0;
};

/// Elementwise operations, bound by memory: the tensors exceed the caches. Measures only the forward pass.
std::vector<OperationCase> elementwise_cases();
/// Reductions along rows and columns, softmax, and operations that only move data. Measures only the forward
/// pass.
std::vector<OperationCase> row_cases();
std::vector<OperationCase> product_cases();
/// Operations with a fused kernel. Measures only the forward pass of "GRU cell", "GRU update" and "additive
/// energy", one update of "Adam", and the forward and the backward pass of all others.
std::vector<OperationCase> fused_cases();

}  // namespace bench
