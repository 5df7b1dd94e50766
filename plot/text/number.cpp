#include "text/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace gradus::plot {
namespace {

std::string print(double number, std::chars_format format, int precision) {
  std::array<char, 400> buffer;  // a double has up to 309 digits before the point
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, precision);
  std::string text(buffer.data(), result.ec == std::errc{} ? result.ptr : buffer.data());
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

// Removes trailing zeros. The text must have a decimal point.
std::string without_zeros(const std::string& text) {
  const std::size_t last = text.find_last_not_of('0');
  return text.substr(0, text[last] == '.' ? last : last + 1);
}

}  // namespace

std::string fixed(double number, int decimals) { return print(number, std::chars_format::fixed, decimals); }

std::string brief(double number) {
  const double size = std::abs(number);
  if (size >= 1e-4 && size < 1e7) {
    const int decimals = 3 - static_cast<int>(std::floor(std::log10(size)));
    return decimals <= 0 ? fixed(number, 0) : without_zeros(fixed(number, decimals));
  }
  std::string text = print(number, std::chars_format::general, 4);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  const std::size_t sign = exponent + 1, digits = text.find_first_not_of("+-0", sign);
  return text.substr(0, sign) + (text[sign] == '-' ? "-" : "") + text.substr(digits);
}

std::string pixels(double number) { return without_zeros(fixed(number, 1)); }

}  // namespace gradus::plot
