#pragma once

#include <CLI/Config.hpp>
#include <istream>
#include <vector>

namespace gradus::tools {

/// CLI11's format of configuration files, which also accepts a byte order mark, and # in quotes: CLI11 takes
/// everything after a # for a comment.
class Toml : public CLI::ConfigBase {
 public:
  Toml() { commentChar = '\0'; }  // from_config() removes the comments
  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override;
};

}  // namespace gradus::tools
