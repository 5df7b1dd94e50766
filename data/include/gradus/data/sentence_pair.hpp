#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A sentence and its translation.
struct SentencePair {
  std::string source, target;

  bool operator==(const SentencePair&) const = default;
};

}  // namespace gradus::data
#pragma GCC visibility pop
