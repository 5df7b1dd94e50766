#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;  // forward declarations: CLI11's header is slow to compile
class Option;
}  // namespace CLI

/// Refuses options that have no effect because of the other options.
namespace gradus::tools {

/// A row of a command's table of effects: an option, and whether it has an effect.
struct Effect {
  const char* option;     ///< "--energy"
  bool present;           ///< true if the option has an effect
  std::string otherwise;  ///< why the option has no effect: "without --task", "with --attention dot"
};
using Effects = std::vector<Effect>;

/// A parsed command line.
struct CommandLine {
  const CLI::App& app;
  int argc;
  char** argv;
};

/// The name that the command line uses for an option, such as "--no-lower" for "--lower"; std::nullopt if the
/// command line does not have the option.
std::optional<std::string> given_name(const CommandLine& line, const CLI::Option& option);
/// The path of --config; empty if the command has no such option, or the option is not given.
std::string config_path(const CLI::App& app);

/// Refuses an option on the command line that has no effect, even if it has its default value. Does not
/// refuse such options in a configuration file, because the file may serve several models. Names those that
/// differ from their defaults in one line on standard error.
/// @throws UsageError such as "--energy has no effect with --attention dot; omit it"
void check_effects(const CommandLine& line, const Effects& effects);

}  // namespace gradus::tools
