#pragma once

#include <gradus/error.hpp>

namespace gradus::tools {

/// Options that could be read each, but do not go together or leave something out: the exit code is 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace gradus::tools
