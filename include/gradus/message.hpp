#pragma once

#include <cmath>
#include <concepts>
#include <locale>
#include <sstream>
#include <string>

#pragma GCC visibility push(default)
namespace gradus {

/// Concatenates the parts as `<<` prints them. The text is the same on every machine: the locale is the
/// classic one, and NaN has no sign.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  const auto put = [&text]<class Part>(const Part& part) {
    if constexpr (std::floating_point<Part>) {
      text << (std::isnan(part) ? std::abs(part) : part);
    } else {
      text << part;
    }
  };
  (put(parts), ...);
  return text.str();
}

}  // namespace gradus
#pragma GCC visibility pop
