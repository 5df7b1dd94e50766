#pragma once

#include <gradus/error.hpp>

#include <CLI/Config.hpp>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <vector>

namespace gradus::tools {

/// CLI11's configuration format with changes. Accepts a byte order mark, and a # within quotes, which
/// CLI11 takes for a comment. Refuses lines that CLI11 would accept with another meaning, such as sections.
class Toml : public CLI::ConfigBase {
 public:
  static constexpr std::size_t most_bytes = 1'000'000;

  Toml() { commentChar = '\0'; }  // from_config() removes the comments
  /// Reads at most most_bytes + 1 bytes, because a pipe or a device may be endless.
  /// @throws CLI::FileError for a longer text, and for a text that contains NUL; CLI::ConfigError for a line
  /// other than OPTION=VALUE.
  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override;
};

/// Our message for a configuration file that CLI11 could not read.
Error unreadable_settings(const std::filesystem::path& path, const CLI::FileError& error);

}  // namespace gradus::tools
