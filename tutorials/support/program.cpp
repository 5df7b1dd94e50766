#include "program.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

namespace tutorial {

int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body) {
  CLI::App app(description);
  app.option_defaults()->always_capture_default();
  app.add_option("--steps", options.steps, "training steps")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the initial weights and the training data");
  app.add_option("--out", options.out, "folder for the pictures");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << error.what() << "; --help lists the options\n";
    return 2;
  }
  try {
    body(options);
  } catch (const std::exception& error) {
    std::cout << std::flush;
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace tutorial
