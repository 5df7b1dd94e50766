#pragma once

#include <CLI/App.hpp>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

namespace gradus::tools {

/// A validator whose message is "… is not `words`". Unlike CLI::Range, rejects NaN.
template <class Holds>
CLI::Validator number(const std::string& words, Holds holds) {
  return {[words, holds](const std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && holds(value) ? "" : text + " is not " + words;
          },
          ""};
}
inline CLI::Validator between(double least, double most) {
  std::ostringstream words;
  words << std::setprecision(15) << "a number from " << least << " to " << most;
  return number(words.str(), [=](double value) { return least <= value && value <= most; });
}

inline constexpr double longest = 1e15;  // a double represents every integer up to here
inline const CLI::Validator from_0 =
    number("a number of at least 0", [](double value) { return 0 <= value && value <= longest; });
inline const CLI::Validator from_1 =
    number("a number of at least 1", [](double value) { return 1 <= value && value <= longest; });
inline const CLI::Validator above_0 = number("a number above 0", [](double value) { return value > 0; });
inline const CLI::Validator finite =
    number("a finite number", [](double value) { return std::isfinite(value); });
inline const CLI::Validator finite_above_0 =
    number("a finite number above 0", [](double value) { return value > 0 && std::isfinite(value); });
inline const CLI::Validator finite_from_0 =
    number("a finite number of at least 0", [](double value) { return 0 <= value && std::isfinite(value); });
inline const CLI::Validator share = between(0, 1);
inline const CLI::Validator share_above_0 =
    number("a number above 0 and at most 1", [](double value) { return 0 < value && value <= 1; });
inline const CLI::Validator share_below_1 =
    number("a number of at least 0 and below 1", [](double value) { return 0 <= value && value < 1; });

}  // namespace gradus::tools
