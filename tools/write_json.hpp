#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// JSON, written. Each function gives the text of one value.
namespace gradus::tools::json {

/// A string. @param utf8 valid UTF-8
std::string text(std::string_view utf8);

/// The shortest digits that give the number back; null where it is not finite, for which JSON has no word.
std::string number(double value);
std::string number(float value);

/// Values on one line: `[a, b]`.
std::string list(const std::vector<std::string>& values);

/// Values a line each, which may be lists and objects.
std::string lines(const std::vector<std::string>& values);

/// Names with their values, a line each.
std::string object(const std::vector<std::pair<std::string, std::string>>& members);

/// value of each element.
template <class Range, class Value>
std::vector<std::string> each(const Range& range, Value value) {
  std::vector<std::string> values;
  for (const auto& element : range) values.push_back(value(element));
  return values;
}

}  // namespace gradus::tools::json
