#include "settings/toml.hpp"

#include <gradus/data/utf8.hpp>

#include <sstream>
#include <string>
#include <string_view>

namespace gradus::tools {
namespace {

// The line up to a # that is not in quotes.
std::string_view without_comment(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

}  // namespace

std::vector<CLI::ConfigItem> Toml::from_config(std::istream& in) const {
  std::string text, line;
  while (std::getline(in, line)) {
    std::string_view rest = line;
    if (text.empty() && rest.starts_with(data::byte_order_mark))
      rest.remove_prefix(data::byte_order_mark.size());
    rest = without_comment(rest);
    const std::size_t first = rest.find_first_not_of(" \t");
    if (first != rest.npos && rest[first] == '=')
      throw CLI::ConfigError::Extras("");  // CLI11 ignores the line
    text.append(rest).append("\n");
  }
  std::istringstream plain(text);
  return ConfigBase::from_config(plain);
}

}  // namespace gradus::tools
