#include "commands/run_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands/nearest.hpp"
#include "files/output_file.hpp"
#include "settings/effects.hpp"
#include "settings/option_error.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/toml.hpp"
#include "settings/unknown_key.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

// Removes a prefix such as "read_lines: ", because names of functions mean nothing on the command line. Also
// removes the command's name, because failed() adds it.
std::string without_operation(std::string text, std::string_view command) {
  const std::size_t end = text.find(": ");
  const auto of_code = [](char c) { return c == '_' || ('A' <= c && c <= 'Z'); };
  const auto of_name = [&](char c) { return of_code(c) || ('a' <= c && c <= 'z') || c == ':'; };
  if (end == text.npos) return text;
  const std::string_view name = std::string_view(text).substr(0, end);
  const bool is_code = std::ranges::all_of(name, of_name) && std::ranges::any_of(name, of_code);
  return is_code || name == command ? text.substr(end + 2) : text;
}

// Writes "--cell {rnn,gru,lstm} [gru]" instead of CLI11's "--cell TEXT:{rnn,gru,lstm}=gru".
class Formatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_items_expected_max() == 0) {  // a flag
      return option->get_default_str() == "true" ? " [on]" : "";
    }
    const std::string type = option->get_type_name(), present = option->get_default_str();
    const std::size_t brace = type.find('{');
    std::string text = " ";
    if (brace != std::string::npos) {
      text += type.substr(brace);
    } else {
      const std::string kind = type.substr(0, type.find(':'));
      text += kind == "INT" || kind == "UINT" || kind == "FLOAT" ? "N" : kind;
    }
    return present.empty() ? text : text + " [" + present + "]";
  }
  // Writes "--[no-]lower" instead of CLI11's "--lower,--no-lower{false}".
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const std::vector<std::string>& off = option->get_fnames();
    if (off.empty() || off.front() != "no-" + option->get_lnames().front()) {
      return CLI::Formatter::make_option_name(option, positional);
    }
    return "--[no-]" + option->get_lnames().front();
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) name += ' ' + option->get_name(true);
    }
    return "usage: " + name + " [OPTIONS]\n";
  }
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& some : {option->get_lnames(), option->get_fnames()}) {
      names.insert(names.end(), some.begin(), some.end());
    }
  }
  return names;
}

// Message for an unknown option. `dashes` is "--" on the command line and empty in a configuration file.
std::string no_option(const CLI::App& app, const std::string& dashes, const std::string& name) {
  const std::string near = nearest(name, option_names(app));
  return "unknown option '" + dashes + excerpt(name) + "'" +
         (near.empty() ? "" : "; did you mean " + dashes + near + '?');
}

// The flag that precedes this argument; empty if none does.
std::string flag_before(const CommandLine& line, std::string_view argument) {
  for (int i = 2; i < line.argc; ++i) {
    const CLI::Option* const before =
        argument == line.argv[i] ? line.app.get_option_no_throw(line.argv[i - 1]) : nullptr;
    if (before != nullptr && before->get_items_expected_max() == 0) return line.argv[i - 1];
  }
  return "";
}

// The message for unparsed arguments. Names only the first one, because later ones may be its values.
std::string extra_message(const CommandLine& line) {
  const CLI::App& app = line.app;
  const std::string argument = app.remaining().front(), dashes = "--";
  if (!argument.starts_with(dashes) || argument == dashes) {
    const std::string flag = flag_before(line, argument);
    if (!flag.empty()) return flag + " takes no value, found '" + excerpt(argument) + "'; omit it";
    return "unexpected argument '" + excerpt(argument) + "'";
  }
  return no_option(app, dashes, argument.substr(2, argument.find('=') - 2));
}

// Refuses empty values on the command line: usually a script has passed an unset variable. With --config or
// --resume, an empty value is allowed, because it replaces a value of the file or the run.
void check_not_empty(const CommandLine& line) {
  const CLI::Option* const resume = line.app.get_option_no_throw("--resume");
  if (!config_path(line.app).empty() ||
      (resume != nullptr && resume->count() > 0 && !resume->results()[0].empty()))
    return;
  for (const CLI::Option* const option : line.app.get_options()) {
    if (option->count() == 0 || std::ranges::count(option->results(), "") == 0) continue;
    throw UsageError(option->get_name() + ": the value is empty; give one, or omit the option");
  }
}

// Returns "FILE: " if the message is about an option that only the configuration file gives; otherwise "".
std::string where(const CommandLine& line, const std::string& text) {
  const std::string path = config_path(line.app);
  if (path.empty()) return "";
  const std::string name = text.substr(0, text.find_first_of(": ")), dashes = "--";
  const CLI::Option* const option =
      line.app.get_option_no_throw(name.starts_with(dashes) ? name : dashes + name);
  return option == nullptr || option->count() == 0 || given_name(line, *option) ? "" : path + ": ";
}

// Refuses numbers other than 0 and 1 as the value of a flag. CLI11 would only look at the number's sign.
void check_flags(const CommandLine& line) {
  for (const CLI::Option* const option : line.app.get_options()) {
    if (option->get_items_expected_max() != 0) continue;
    for (const std::string& value : option->results()) {
      std::int64_t number = 0;
      if (read_number(value, number) != std::errc() || value == "0" || value == "1") continue;
      const std::string message = option->get_name() + ": expected true or false, found " + excerpt(value);
      throw UsageError(where(line, message) + message);
    }
  }
}

// The message for an error in the --config file, with the file's path. CLI11's message has only the key.
std::string config_message(const CLI::App& app, const CLI::ConfigError& error) {
  const std::string path = config_path(app) + ": ";
  const std::string key = unknown_key(error);
  if (key.empty()) return path + clear_message(error);
  return path + no_option(app, "", key);
}

std::string usage_message(const CLI::App& app, const std::string& wrong) {
  const std::string message = app.get_name() + ": " + one_line(wrong);
  if (message.ends_with('?')) return message + '\n';  // already suggests an option
  return message + "; '" + app.get_name() + " --help' lists the options\n";
}

// Runs the body and reports its errors.
int run_body(const CLI::App& app, const std::function<int()>& body) {
  try {
    const int code = body();
    flush_standard_output();
    return code;
  } catch (const UsageError& error) {
    std::cerr << usage_message(app, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::cout << std::flush;
    return failed(app, error);
  }
}

// If not null, the next run_command() calls this function with the command's options, and does not run the
// command. See visit_options().
const std::function<void(const CLI::App&)>* visitor = nullptr;

}  // namespace

void visit_options(const Entry& entry, const models::Registry& registry,
                   const std::function<void(const CLI::App&)>& visit) {
  std::string name(entry.name);
  char* argv[] = {name.data(), nullptr};
  visitor = &visit;
  entry.run(1, argv, registry);
}

int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  if (const auto* const visit = std::exchange(visitor, nullptr)) {
    (*visit)(app);
    return 0;
  }
  app.formatter(std::make_shared<Formatter>());
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return run_body(app, [&] {
      std::cout << app.help();
      return 0;
    });
  } catch (const CLI::FileError& error) {  // the --config file
    return failed(app, unreadable_settings(app.get_config_ptr()->as<std::string>(), error));
  } catch (const CLI::ConfigError& error) {
    std::cerr << usage_message(app, config_message(app, error));
    return 2;
  } catch (const CLI::ParseError& error) {  // an unknown option may be a misspelt required one
    std::cerr << usage_message(
        app, app.remaining().empty() ? where({app, argc, argv}, clear_message(error)) + clear_message(error)
                                     : extra_message({app, argc, argv}));
    return 2;
  } catch (const std::exception& error) {
    return failed(app, error);
  }
  return run_body(app, [&] {
    check_not_empty({app, argc, argv});
    check_flags({app, argc, argv});
    return body();
  });
}

int failed(const CLI::App& app, const std::exception& error) {
  const std::string& name = app.get_name();  // "gradus train"
  const std::string command = name.substr(name.rfind(' ') + 1);
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  std::cerr << name << ": "
            << (is_memory ? "memory is exhausted; give less text, or close other programs"
                          : without_operation(one_line(error.what()), command))
            << '\n';
  return 1;
}

}  // namespace gradus::tools
