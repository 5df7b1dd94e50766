#pragma once

#include <gradus/error.hpp>

namespace gradus::tools {

/// Options that parse, but conflict, are incomplete, have no effect or have unusable values. The exit code
/// is 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace gradus::tools
