#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// How often each token occurs, in the order of their bytes: what byte-pair encoding and vocabularies are
/// made from.
std::map<std::string, std::int64_t> count_tokens(std::span<const std::vector<std::string>> sentences);

}  // namespace gradus::data
#pragma GCC visibility pop
