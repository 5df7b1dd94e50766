#include "settings/effects.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>
#include <string_view>

#include "settings/printable.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {

std::optional<std::string> given_name(const CommandLine& line, const CLI::Option& option) {
  for (int i = 1; i < line.argc; ++i) {
    const std::string_view argument = line.argv[i];
    if (!argument.starts_with("--")) continue;
    const std::string name(argument.substr(2, argument.find('=') - 2));
    if (std::ranges::count(option.get_lnames(), name) + std::ranges::count(option.get_fnames(), name) > 0) {
      return "--" + name;
    }
  }
  return std::nullopt;
}

std::string config_path(const CLI::App& app) {
  const CLI::Option* const config = app.get_config_ptr();
  return config != nullptr && config->count() > 0 ? config->as<std::string>() : "";
}

void check_effects(const CommandLine& line, const Effects& effects) {
  std::string in_file;
  for (const auto& [name, present, otherwise] : effects) {
    const CLI::Option& option = *line.app.get_option(name);
    if (present || option.count() == 0) continue;
    if (const auto given = given_name(line, option)) {
      throw UsageError(*given + " has no effect " + otherwise + "; omit it");
    }
    if (option.results().front() == option.get_default_str()) continue;
    in_file.append(in_file.empty() ? "" : ", ").append(name + 2);
  }
  if (in_file.empty()) return;
  std::cerr << "note: " << printable(config_path(line.app)) << ": without an effect here: " << in_file
            << '\n';
}

}  // namespace gradus::tools
