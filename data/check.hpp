#pragma once

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <cstdint>
#include <string_view>

namespace gradus::data {

// Throws an Error whose message is the concatenation of the parts.
template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(message(parts...));
}

// The largest accepted number of symbols, steps or pairs. Products of two such numbers do not overflow.
inline constexpr std::int64_t largest = 1'000'000;

// Throws unless low <= got <= largest.
inline void check_range(std::string_view operation, std::string_view name, std::int64_t got, std::int64_t low,
                        std::string_view advice) {
  if (got >= low && got <= largest) return;
  fail(operation, ": ", name, " is ", got, ", but must be ", low, " to ", largest, "; ", advice);
}

}  // namespace gradus::data
