#pragma once

#include <gradus/autograd/runtime.hpp>

#include <cstdint>

namespace gradus::nn {

/// `size`, for a constructor that must not draw a parameter before it has looked. @throws Error below 1.
inline std::int64_t checked_size(const char* module, const char* what, std::int64_t size) {
  if (size < 1) fail(module, "needs ", what, " of at least 1, and got ", size);
  return size;
}

}  // namespace gradus::nn
