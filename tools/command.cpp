#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "output_file.hpp"

namespace gradus::tools {
namespace {

// A message in one line.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// "--cell {rnn,gru,lstm} [gru]" where CLI11 has "--cell TEXT:{rnn,gru,lstm}=gru".
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
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "usage: " + name + " [OPTIONS]\n";
  }
};

// What is wrong with a line of the file that --config names; CLI11's message has the line's key alone.
std::string config_message(const CLI::App& app, const CLI::ConfigError& error) {
  const CLI::Option* config = app.get_config_ptr();
  const std::string text = one_line(error.what()), unknown = "INI was not able to parse ";
  const std::string path = config != nullptr && config->count() > 0 ? config->as<std::string>() + ": " : "";
  if (text.rfind(unknown, 0) != 0) return path + text;
  return path + "there is no option '" + text.substr(unknown.size()) + "'";
}

}  // namespace

int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  app.formatter(std::make_shared<Formatter>());
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::FileError& error) {  // of --config
    std::cerr << app.get_name() << ": " << one_line(error.what()) << '\n';
    return 1;
  } catch (const CLI::ConfigError& error) {
    std::cerr << app.get_name() << ": " << config_message(app, error) << "; '" << app.get_name()
              << " --help' lists the options\n";
    return 2;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << one_line(error.what()) << "; '" << app.get_name()
              << " --help' lists the options\n";
    return 2;
  }
  try {
    const int code = body();
    flush_standard_output();
    return code;
  } catch (const std::exception& error) {
    std::cout << std::flush;
    std::cerr << app.get_name() << ": " << one_line(error.what()) << '\n';
    return 1;
  }
}

}  // namespace gradus::tools
