#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>

namespace gradus::tools {
namespace {

// A message in one line.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::FileError& error) {  // of --config
    std::cerr << app.get_name() << ": " << one_line(error.what()) << '\n';
    return 1;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << one_line(error.what()) << "; '" << app.get_name()
              << " --help' lists the options\n";
    return 2;
  }
  try {
    return body();
  } catch (const std::exception& error) {
    std::cout << std::flush;
    std::cerr << app.get_name() << ": " << one_line(error.what()) << '\n';
    return 1;
  }
}

}  // namespace gradus::tools
