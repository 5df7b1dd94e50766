#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;  // forward declarations: the header is slow to compile
class Option;
}  // namespace CLI

/// Options that have an effect only with, or only without, other options.
namespace gradus::tools {

/// One row of a command's table: an option, and whether it has an effect.
struct Effect {
  const char* option;     ///< "--energy"
  bool present;           ///< whether it has an effect with the other options
  std::string otherwise;  ///< why it has none: "without --task", "with --attention dot"
};
using Effects = std::vector<Effect>;

/// A parsed command line.
struct CommandLine {
  const CLI::App& app;
  int argc;
  char** argv;
};

/// The name by which the command line gives an option, such as "--no-lower" for "--lower".
std::optional<std::string> given_name(const CommandLine& line, const CLI::Option& option);
/// The path of --config; empty if the command has no such option, or it is not given.
std::string config_path(const CLI::App& app);

/// Refuses the first option on the command line that has no effect, whatever its value. A
/// configuration file may serve several models: one line on standard error names its options without an
/// effect whose values are not the defaults.
/// @throws UsageError "--energy has no effect with --attention dot; omit it"
void check_effects(const CommandLine& line, const Effects& effects);

}  // namespace gradus::tools
