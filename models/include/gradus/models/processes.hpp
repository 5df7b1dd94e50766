#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Connects this process to the others that train the same model. By default, there is only this one process.
///
/// Every process has the whole model and reads the same batches. A batch has N shards
/// (TrainerOptions::shards). Process r of P computes the gradients of shards r·N/P … (r + 1)·N/P − 1.
struct Processes {
  std::int64_t rank = 0;   ///< of this process, counted from 0
  std::int64_t count = 1;  ///< P, a power of two
  /// Starts an all-reduce: replaces each tensor's values, x_r in process r, by their sum over all processes.
  /// The order ((x_0 + x_1) + (x_2 + x_3)) + … is fixed, so that every process gets the same bits. The
  /// function may return before the sums are complete; use the tensors again only after finish_sums(). All
  /// processes make the same calls in the same order, with tensors of the same shapes and dtypes, f32 or f64.
  /// If P = 1, `start_sum` may be empty.
  /// @param bf16 if true, the f32 values are bf16 numbers, and each addition rounds to the nearest bf16
  std::function<void(std::vector<Tensor> tensors, bool bf16)> start_sum = {};
  /// Waits until all sums are complete. May be empty if P = 1. @throws Error if a sum failed.
  std::function<void()> finish_sums = {};
};

}  // namespace gradus::models
#pragma GCC visibility pop
