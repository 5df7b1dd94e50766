#pragma once

#include <cctype>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A JSON value.
struct Json {
  std::variant<std::nullptr_t, bool, double, std::string, std::vector<Json>, std::map<std::string, Json>>
      value;

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value); }
  bool boolean() const { return std::get<bool>(value); }
  double number() const { return std::get<double>(value); }
  const std::string& text() const { return std::get<std::string>(value); }
  const std::vector<Json>& list() const { return std::get<std::vector<Json>>(value); }
  bool has(const std::string& key) const { return members().count(key) > 0; }
  const Json& operator[](const std::string& key) const { return members().at(key); }
  const std::map<std::string, Json>& members() const { return std::get<std::map<std::string, Json>>(value); }

  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const Json& entry : list()) result.push_back(entry.text());
    return result;
  }
};

/// Reads one value from the beginning of a text. Supports only the JSON that the tests need, with the
/// escapes \" and \\. @throws std::exception if the text does not begin with a value.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json read() {
    switch (peek()) {
      case '{':
        return {members()};
      case '[':
        return {list()};
      case '"':
        return {quoted()};
      case 't':
        return take("true"), Json{true};
      case 'f':
        return take("false"), Json{false};
      case 'n':
        return take("null"), Json{nullptr};
      default:
        return {number()};
    }
  }

 private:
  char peek() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front()))) text_.remove_prefix(1);
    if (text_.empty()) throw std::runtime_error("the JSON ends early");
    return text_.front();
  }

  void take(std::string_view expected) {
    peek();
    if (!text_.starts_with(expected))
      throw std::runtime_error("no " + std::string(expected) + " in the JSON");
    text_.remove_prefix(expected.size());
  }

  // True if an entry follows. Consumes the comma before an entry that is not the first. If no entry follows,
  // consumes `close`.
  bool next(bool first, std::string_view close) {
    if (peek() == close.front()) return take(close), false;
    if (!first) take(",");
    return true;
  }

  std::map<std::string, Json> members() {
    std::map<std::string, Json> result;
    take("{");
    while (next(result.empty(), "}")) {
      peek();
      const std::string key = quoted();
      take(":");
      result[key] = read();
    }
    return result;
  }

  std::vector<Json> list() {
    std::vector<Json> result;
    take("[");
    while (next(result.empty(), "]")) result.push_back(read());
    return result;
  }

  std::string quoted() {
    std::string result;
    for (take("\""); !text_.starts_with('"'); text_.remove_prefix(1)) {
      if (text_.starts_with('\\')) text_.remove_prefix(1);
      result += text_.at(0);
    }
    take("\"");
    return result;
  }

  double number() {
    std::size_t used = 0;
    const double result = std::stod(std::string(text_.substr(0, 64)), &used);
    text_.remove_prefix(used);
    return result;
  }

  std::string_view text_;
};
