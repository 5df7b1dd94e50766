#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)
namespace gradus {

/// Base class of the library's own exceptions.
///
/// The message names the operation and a way out. Where they apply, it also names the path of the running
/// module (`decoder.attention.W_a`), the shapes and the axis at fault. Operations throw before they change
/// anything.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gradus
#pragma GCC visibility pop
