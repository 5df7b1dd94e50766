#pragma once

#include <CLI/App.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "settings/printable.hpp"
#include "settings/shortest.hpp"

/// Validators of numbers, for CLI11's Option::transform, with messages such as "expected …, found …". They
/// replace the text by the number that they read, because CLI11 reads some numbers wrongly: 010 as octal 8,
/// 99999999999999999999 as the largest integer, and 1e-400 as 0. Where negative numbers are refused, -0 is
/// refused, too.
namespace gradus::tools {

/// Reads a decimal number; a leading + is allowed. Returns std::errc() for success, invalid_argument if the
/// text is not a number, result_out_of_range if the type cannot hold it.
template <class Value>
std::errc read_number(std::string_view text, Value& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() + text.size() ? std::errc::invalid_argument : error;
}

/// A value in a message.
inline std::string shown(std::string_view text) { return text.empty() ? "nothing" : excerpt(text); }

template <class Integer>
CLI::Validator whole(Integer least, Integer most) {
  return {[least, most](std::string& text) -> std::string {
            Integer value{};
            const bool is_minus_0 = least >= 0 && text.starts_with('-');
            if (read_number(text, value) == std::errc() && least <= value && value <= most && !is_minus_0) {
              text = std::to_string(value);
              return "";
            }
            return "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                   ", found " + shown(text);
          },
          ""};
}
inline CLI::Validator between(std::int64_t least, std::int64_t most) { return whole(least, most); }

template <class Holds>
CLI::Validator real(const std::string& words, Holds holds) {
  return {[words, holds](std::string& text) -> std::string {
            double value = 0;
            const std::errc error = read_number(text, value);
            const bool is_minus_0 = value == 0 && std::signbit(value);
            if (error == std::errc() && holds(is_minus_0 ? -std::numeric_limits<double>::min() : value)) {
              text = shortest(is_minus_0 ? 0 : value);
              return "";
            }
            return (error == std::errc::result_out_of_range ? "expected a magnitude from 4.9e-324 to 1.8e308"
                                                            : "expected " + words) +
                   ", found " + shown(text);
          },
          ""};
}

inline constexpr std::int64_t largest_whole =
    1'000'000'000'000'000;  // up to here a double represents every integer
inline const CLI::Validator from_0 = between(0, largest_whole);
inline const CLI::Validator from_1 = between(1, largest_whole);
inline const CLI::Validator odd{[](std::string& text) -> std::string {
                                  std::int64_t value = 0;
                                  const bool is_whole = read_number(text, value) == std::errc();
                                  if (!is_whole || value < 1 || value > largest_whole || value % 2 == 0) {
                                    return "expected an odd number from 1 to " +
                                           std::to_string(largest_whole) + ", found " + shown(text);
                                  }
                                  text = std::to_string(value);
                                  return "";
                                },
                                ""};
inline const CLI::Validator any_seed = whole<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
inline const CLI::Validator above_0 = real("a number above 0", [](double value) { return value > 0; });
inline const CLI::Validator finite =
    real("a finite number", [](double value) { return std::isfinite(value); });
inline const CLI::Validator finite_above_0 =
    real("a finite number above 0", [](double value) { return value > 0 && std::isfinite(value); });
inline const CLI::Validator finite_from_0 =
    real("a finite number of at least 0", [](double value) { return 0 <= value && std::isfinite(value); });
inline const CLI::Validator finite_from_1 =
    real("a finite number of at least 1", [](double value) { return 1 <= value && std::isfinite(value); });
inline const CLI::Validator fraction =
    real("a number from 0 to 1", [](double value) { return 0 <= value && value <= 1; });
inline const CLI::Validator fraction_above_0 =
    real("a number above 0 and at most 1", [](double value) { return 0 < value && value <= 1; });
inline const CLI::Validator fraction_inside =
    real("a number above 0 and below 1", [](double value) { return 0 < value && value < 1; });
inline const CLI::Validator fraction_below_1 =
    real("a number of at least 0 and below 1", [](double value) { return 0 <= value && value < 1; });

}  // namespace gradus::tools
