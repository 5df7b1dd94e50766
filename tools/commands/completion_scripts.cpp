#include "commands/completion_scripts.hpp"

#include <sstream>
#include <string_view>

namespace gradus::tools {
namespace {

using Value = CompletedOption::Value;

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string names_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return joined(names);
}

// The word in single quotes. Within them, fish reads \' and \\ as escapes; bash and zsh read no escapes.
std::string quoted(std::string_view text, bool is_fish = false) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += is_fish ? "\\'" : "'\\''";
    } else {
      result.append(is_fish && c == '\\' ? "\\\\" : std::string(1, c));
    }
  }
  return result + "'";
}

// Escapes backslashes, colons and brackets. In zsh's _arguments and _describe, an unescaped colon or bracket
// would end the text.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string bash_value(Value value, const std::vector<std::string>& choices) {
  switch (value) {
    case Value::choice:
      return "_gradus_words '" + joined(choices) + "'";
    case Value::file:
      return "_gradus_files -f";
    case Value::folder:
      return "_gradus_files -d";
    default:
      return ":";
  }
}

std::string zsh_value(Value value, const std::vector<std::string>& choices) {
  switch (value) {
    case Value::choice:
      return ":value:(" + joined(choices) + ")";
    case Value::file:
      return ":file:_files";
    case Value::folder:
      return ":folder:_files -/";
    case Value::other:
      return ":value: ";
    case Value::none:
      return "";
  }
  return "";
}

std::string fish_value(Value value, const std::vector<std::string>& choices) {
  switch (value) {
    case Value::choice:
      return " -x -a " + quoted(joined(choices), true);
    case Value::file:
      return " -r -F";
    case Value::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Value::other:
      return " -x";
    case Value::none:
      return "";
  }
  return "";
}

}  // namespace

// bash splits --cell=g into three words: --cell, = and g. So the script treats = as a word.
std::string bash_script(const std::vector<CompletedCommand>& commands) {
  std::ostringstream out;
  out << R"(# bash completion of gradus, printed by `gradus completion bash`.

_gradus_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

_gradus_files() {
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_gradus() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _gradus_words ')"
      << names_of(commands) << R"( help --help --version'
    return
  fi
  case ${COMP_WORDS[1]} in
    help) ((COMP_CWORD > 2)) || _gradus_words ')"
      << names_of(commands) << "' ;;\n";
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> flags;
    out << "    " << command.name << ")\n      case $before in\n";
    for (const CompletedOption& option : command.options) {
      flags.insert(flags.end(), option.flags.begin(), option.flags.end());
      if (option.value == Value::none) continue;
      out << "        " << joined(option.flags, " | ") << ") " << bash_value(option.value, option.choices)
          << "; return ;;\n";
    }
    out << "      esac\n      options='" << joined(flags) << "'\n";
    const bool has_argument = command.argument != Value::none;
    if (has_argument)
      out << "      [[ $current == -* ]] || " << bash_value(command.argument, command.choices) << '\n';
    out << "      " << (has_argument ? "[[ $current != -* ]] || " : "") << "_gradus_words \"$options\" ;;\n";
  }
  out << "  esac\n}\n\ncomplete -F _gradus gradus\n";
  return out.str();
}

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::ostringstream out;
  out << "#compdef gradus\n# zsh completion of gradus, printed by `gradus completion zsh`.\n\n_gradus() {\n"
         "  local -a commands=(\n";
  for (const CompletedCommand& command : commands) {
    out << "    " << quoted(command.name + ':' + escaped(command.help)) << '\n';
  }
  out << "    'help:lists the options of a command'\n  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    _arguments '--help[list the commands]' '--version[print the version]'\n"
         "    return\n  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $command in\n"
         "    help) ((CURRENT > 2)) || _describe command commands ;;\n";
  for (const CompletedCommand& command : commands) {
    out << "    " << command.name << ") _arguments";
    for (const CompletedOption& option : command.options) {
      for (const std::string& flag : option.flags) {
        const bool takes_value = option.value != Value::none && flag.starts_with("--");
        out << " \\\n      "
            << quoted('*' + flag + (takes_value ? "=[" : "[") + escaped(option.help) + ']' +
                      zsh_value(option.value, option.choices));
      }
    }
    if (command.argument != Value::none) {
      out << " \\\n      " << quoted('1' + zsh_value(command.argument, command.choices));
    }
    out << " ;;\n";
  }
  out << "  esac\n}\n\n"
         "if [[ $funcstack[1] == _gradus ]]; then\n  _gradus \"$@\"\nelse\n  compdef _gradus gradus\nfi\n";
  return out.str();
}

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  std::ostringstream out;
  const auto at_first = [&](const std::string& name, const std::string& help) {
    out << "complete -c gradus -n __fish_use_subcommand -a " << name << " -d " << quoted(help, true) << '\n';
  };
  out << "# fish completion of gradus, printed by `gradus completion fish`.\n\ncomplete -c gradus -f\n";
  for (const CompletedCommand& command : commands) at_first(command.name, command.help);
  at_first("help", "lists the options of a command");
  out << "complete -c gradus -n __fish_use_subcommand -l help -d 'list the commands'\n"
         "complete -c gradus -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c gradus -n '__fish_seen_subcommand_from help' -a "
      << quoted(names_of(commands), true) << '\n';
  for (const CompletedCommand& command : commands) {
    const std::string start = "complete -c gradus -n '__fish_seen_subcommand_from " + command.name +
                              "; and not __fish_seen_subcommand_from help'";
    for (const CompletedOption& option : command.options) {
      out << start;
      for (const std::string& flag : option.flags) {
        out << (flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1));
      }
      out << fish_value(option.value, option.choices) << " -d " << quoted(option.help, true) << '\n';
    }
    if (command.argument == Value::file) out << start << " -F\n";
    if (command.argument == Value::choice)
      out << start << " -a " << quoted(joined(command.choices), true) << '\n';
  }
  return out.str();
}

}  // namespace gradus::tools
