#pragma once

#include <gradus/autograd/dtype.hpp>

#include <cfenv>

#include "memory/pool.hpp"

/// Fills all new buffers with signalling NaNs during its lifetime. If this thread computes with an
/// uninitialised element, FE_INVALID is raised, even if the result is not used.
class Unwritten {
 public:
  explicit Unwritten(gradus::Dtype dtype) {
    gradus::pool::fill = dtype == gradus::Dtype::f32 ? 0x7FA0'0000'7FA0'0000 : 0x7FF4'0000'0000'0000;
  }
  ~Unwritten() { gradus::pool::fill = 0; }
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;
};

/// True if `work` raises FE_INVALID on this thread.
template <class Work>
bool is_invalid(const Work& work) {
  std::feclearexcept(FE_INVALID);
  work();
  return std::fetestexcept(FE_INVALID) != 0;
}
