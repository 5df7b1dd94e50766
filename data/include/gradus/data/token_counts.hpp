#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The number of occurrences of each token. The tokens are in byte order.
std::map<std::string, std::int64_t> count_tokens(std::span<const std::vector<std::string>> sentences);

}  // namespace gradus::data
#pragma GCC visibility pop
