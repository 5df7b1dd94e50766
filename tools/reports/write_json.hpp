#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// JSON writer. Each function returns the text of one value.
namespace gradus::tools::json {

/// A string. @param utf8 valid UTF-8
std::string text(std::string_view utf8);

/// The shortest digits that round-trip; null if not finite, since JSON has no such numbers.
std::string number(double value);
std::string number(float value);

/// Values on one line: `[a, b]`.
std::string list(const std::vector<std::string>& values);

/// Values on one line each; may be lists or objects.
std::string lines(const std::vector<std::string>& values);

/// An object with one member per line.
std::string object(const std::vector<std::pair<std::string, std::string>>& members);

/// Applies `value` to each element.
template <class Range, class Value>
std::vector<std::string> each(const Range& range, Value value) {
  std::vector<std::string> values;
  for (const auto& element : range) values.push_back(value(element));
  return values;
}

}  // namespace gradus::tools::json
