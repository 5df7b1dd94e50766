#pragma once

#include <gradus/autograd/dtype.hpp>

#include <cfenv>

#include "memory/pool.hpp"

/// While it lives, buffers come filled with signalling NaNs, so that this thread's arithmetic on an element
/// that was never written raises FE_INVALID, whatever becomes of the result.
class Unwritten {
 public:
  explicit Unwritten(gradus::Dtype dtype) {
    gradus::pool::fill = dtype == gradus::Dtype::f32 ? 0x7FA0'0000'7FA0'0000 : 0x7FF4'0000'0000'0000;
  }
  ~Unwritten() { gradus::pool::fill = 0; }
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;
};

/// Whether `work` raises FE_INVALID on this thread.
template <class Work>
bool is_invalid(const Work& work) {
  std::feclearexcept(FE_INVALID);
  work();
  return std::fetestexcept(FE_INVALID) != 0;
}
