#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)
namespace gradus {

/// The base of every exception that the library throws.
///
/// The message names the operation, the path of the module that was running (`decoder.attention.W_a`), the
/// shapes involved, the axis at fault and a way out. It is thrown before anything is changed.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gradus
#pragma GCC visibility pop
