#include "reports/write_json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace gradus::tools::json {
namespace {

template <class Real>
std::string shortest(Real value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string joined(const std::vector<std::string>& values, std::string_view between) {
  std::string all;
  for (const std::string& value : values) {
    if (!all.empty()) all += between;
    all += value;
  }
  return all;
}

// Indents every line by two spaces. JSON strings contain no line breaks.
std::string indented(std::string_view lines) {
  std::string all = "  ";
  for (const char c : lines) {
    all += c;
    if (c == '\n') all += "  ";
  }
  return all;
}

std::string block(char open, const std::vector<std::string>& values, char close) {
  if (values.empty()) return {open, close};
  return std::string(1, open) + '\n' + indented(joined(values, ",\n")) + '\n' + close;
}

}  // namespace

std::string text(std::string_view utf8) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : utf8) {
    if (const auto code = static_cast<unsigned char>(c); code < 0x20) {
      quoted.append("\\u00").append({hex[code / 16], hex[code % 16]});
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string number(double value) { return shortest(value); }
std::string number(float value) { return shortest(value); }

std::string list(const std::vector<std::string>& values) { return '[' + joined(values, ", ") + ']'; }

std::string lines(const std::vector<std::string>& values) { return block('[', values, ']'); }

std::string object(const std::vector<std::pair<std::string, std::string>>& members) {
  return block(
      '{', each(members, [](const auto& member) { return text(member.first) + ": " + member.second; }), '}');
}

}  // namespace gradus::tools::json
