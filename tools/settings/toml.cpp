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
    text.append(without_comment(rest)).append("\n");
  }
  std::istringstream plain(text);
  std::vector<CLI::ConfigItem> items = ConfigBase::from_config(plain);
  for (const CLI::ConfigItem& item : items) {  // CLI11 would take "=3" for its --help
    if (item.name.empty()) throw CLI::ConfigError::Extras("");
  }
  return items;
}

}  // namespace gradus::tools
