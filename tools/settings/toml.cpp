#include "settings/toml.hpp"

#include <gradus/data/utf8.hpp>
#include <gradus/files/input.hpp>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

// The part of the line before the first `mark` outside quotes; the whole line if there is none.
std::string_view without_comment(std::string_view line, char mark = '#') {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == mark) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Refuses lines that CLI11 would accept with another meaning: a section, a name with a dot (a section for
// CLI11), a name without a value ("true" for CLI11), a line without a name (ignored by CLI11), and a ;
// outside quotes (CLI11 ignores the rest of the line).
void check_line(std::string_view line, std::size_t number) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == line.npos || line[first] == ';') return;  // CLI11 takes ; at the start for a comment
  const std::string_view text = line.substr(first, line.find_last_not_of(blanks) + 1 - first);
  const auto refuse = [&](const std::string& what) {
    throw CLI::ConfigError("line " + std::to_string(number) + ": " + what);
  };
  if (text.starts_with('['))
    refuse("unknown section " + excerpt(text) + "; write all options without sections");
  const std::size_t equals = text.find('=');
  if (equals == 0) refuse("found no option before the '='; write OPTION=VALUE");
  if (equals == text.npos) refuse("found no '=' in '" + excerpt(text) + "'; write OPTION=VALUE");
  if (without_comment(text, ';') != text)
    refuse("found ';' outside quotes; write one OPTION=VALUE per line");  // CLI11 ignores the rest
  const std::string_view name = text.substr(0, text.find_last_not_of(blanks, equals - 1) + 1);
  if (name.find('.') != name.npos) throw CLI::ConfigError::Extras(std::string(name));
}

constexpr const char* way_out = "; give a file of settings, one OPTION=VALUE per line";

std::string text_of(std::istream& in) {
  std::string text(Toml::most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  const auto refuse = [](const std::string& what) {
    throw CLI::FileError("is " + what + way_out, CLI::ExitCodes::ConfigError);
  };
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    refuse("not text: byte " + std::to_string(nul + 1) + " is 0");
  }
  if (text.size() > Toml::most_bytes) refuse("longer than " + std::to_string(Toml::most_bytes) + " bytes");
  return text;
}

}  // namespace

Error unreadable_settings(const std::filesystem::path& path, const CLI::FileError& error) {
  const bool was_read = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConfigError);
  if (was_read)
    // The file was read, and `error` names the fault. The file may be a pipe, so it is not opened again.
    return Error("'" + path.string() + "' " + error.what());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error("'" + path.string() + "' is a folder" + way_out);
  try {
    if (!std::ifstream(path)) files::refuse_to_open("read_settings", path, errno);
  } catch (const Error& not_opened) {
    return not_opened;
  }
  return Error("'" + path.string() + "' " + error.what());
}

std::vector<CLI::ConfigItem> Toml::from_config(std::istream& in) const {
  std::string text, line;
  std::size_t number = 0;
  std::istringstream lines(text_of(in));
  while (std::getline(lines, line)) {
    std::string_view rest = line;
    if (text.empty() && rest.starts_with(data::byte_order_mark))
      rest.remove_prefix(data::byte_order_mark.size());
    rest = without_comment(rest);
    check_line(rest, ++number);
    text.append(rest).append("\n");
  }
  std::istringstream plain(text);
  return ConfigBase::from_config(plain);
}

}  // namespace gradus::tools
