#pragma once

#include <CLI/App.hpp>
#include <string>

#include "settings/shortest.hpp"

namespace gradus::tools {

/// Adds an option. The help shows its default with the fewest digits that round-trip.
inline CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value,
                               const std::string& help) {
  return app.add_option(flag, value, help)->default_str(shortest(value));
}

/// Adds a flag. The help shows its default, which CLI11 would omit.
inline CLI::Option* add_switch(CLI::App& app, const std::string& flags, bool& value,
                               const std::string& help) {
  return app.add_flag(flags, value, help)->default_str(value ? "true" : "false");
}

}  // namespace gradus::tools
