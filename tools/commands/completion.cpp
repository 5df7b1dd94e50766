#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "commands/completion_scripts.hpp"
#include "commands/run_command.hpp"

namespace gradus::tools {
namespace {

using Value = CompletedOption::Value;

constexpr auto footer = R"(
Installed packages of gradus contain the scripts. To use them from a build:

  bash  source <(gradus completion bash)                       in ~/.bashrc
  zsh   source <(gradus completion zsh)                        in ~/.zshrc, after compinit
  fish  gradus completion fish > ~/.config/fish/completions/gradus.fish)";

// The names in "TEXT:{rnn,gru}", without the empty name, which means "no value".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> names;
  if (begin == type.npos || end == type.npos) return names;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string name; std::getline(list, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

Value value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return Value::none;
  if (!choices_of(option).empty()) return Value::choice;
  const std::string type = option.get_type_name(), kind = type.substr(0, type.find(':'));
  if (kind == "FOLDER") return Value::folder;
  const bool is_path = kind == "FILE" || kind == "RUN" || (option.get_positional() && kind.empty());
  return is_path ? Value::file : Value::other;
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  const auto add = [&flags](const std::string& flag) {
    if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(flag);
  };
  for (const std::string& name : option.get_lnames()) add("--" + name);
  for (const std::string& name : option.get_fnames())
    // get_fnames() lists flags that set a fixed value, such as --no-lower. add() skips those that are also in
    // get_lnames().
    add("--" + name);
  for (const std::string& name : option.get_snames()) add("-" + name);
  return flags;
}

CompletedCommand described(const Entry& entry, const models::Registry& registry) {
  CompletedCommand command;
  command.name = entry.name;
  command.help = entry.help;
  visit_options(entry, registry, [&](const CLI::App& app) {
    for (const CLI::Option* const option : app.get_options()) {
      if (option->get_positional()) {
        command.argument = value_of(*option);
        command.choices = choices_of(*option);
        continue;
      }
      const std::string help = option->get_description();
      command.options.push_back(
          {flags_of(*option), value_of(*option), choices_of(*option), help.substr(0, help.find('\n'))});
    }
  });
  return command;
}

}  // namespace

int completion(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Prints a script that completes commands, options, names and files in a shell.",
               "gradus completion");
  app.footer(footer);
  std::string shell;
  app.add_option("shell", shell, "the shell")->check(CLI::IsMember({"bash", "zsh", "fish"}))->required();
  return run_command(app, argc, argv, [&] {
    std::vector<CompletedCommand> all;
    for (const Entry& entry : commands()) all.push_back(described(entry, registry));
    std::cout << (shell == "bash" ? bash_script(all) : shell == "zsh" ? zsh_script(all) : fish_script(all));
    return 0;
  });
}

}  // namespace gradus::tools
