#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)
namespace gradus {

/// Base class of every exception that the library throws.
///
/// The message names the operation, the path of the running module (`decoder.attention.W_a`), the shapes, the
/// axis at fault and a way out. Operations throw before they change anything.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gradus
#pragma GCC visibility pop
