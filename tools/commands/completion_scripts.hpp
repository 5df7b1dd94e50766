#pragma once

#include <string>
#include <vector>

namespace gradus::tools {

/// An option, with the facts that a shell needs to complete it.
struct CompletedOption {
  enum class Value { none, choice, file, folder, other };

  std::vector<std::string> flags;  ///< with dashes, the long one first: "--cell"
  Value value;
  std::vector<std::string> choices;  ///< the values, if `value` is choice
  std::string help;                  ///< first line of the help
};

/// A subcommand, with the facts that a shell needs to complete it.
struct CompletedCommand {
  std::string name, help;
  std::vector<CompletedOption> options;
  CompletedOption::Value argument = CompletedOption::Value::none;  ///< kind of the arguments without a flag
  std::vector<std::string> choices;                                ///< the values, if `argument` is choice
};

/// Scripts that complete the program `gradus`: commands, options, names and files.
std::string bash_script(const std::vector<CompletedCommand>& commands);
std::string zsh_script(const std::vector<CompletedCommand>& commands);
std::string fish_script(const std::vector<CompletedCommand>& commands);

}  // namespace gradus::tools
