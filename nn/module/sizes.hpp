#pragma once

#include <gradus/autograd/scope.hpp>

#include <cstdint>

namespace gradus::nn {

/// Returns `size` unchanged. A constructor calls checked_size() before it draws a parameter. @throws Error
/// for a size below 1.
inline std::int64_t checked_size(const char* module, const char* what, std::int64_t size) {
  if (size < 1) fail(module, "needs ", what, " of at least 1, and got ", size);
  return size;
}

}  // namespace gradus::nn
