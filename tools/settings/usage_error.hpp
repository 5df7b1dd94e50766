#pragma once

#include <gradus/error.hpp>

namespace gradus::tools {

/// Options that parse, but conflict or are incomplete. The exit code is 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace gradus::tools
