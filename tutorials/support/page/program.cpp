#include "program.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

namespace tutorial {

namespace {

// CLI11's own range check would print the largest double with all its digits.
template <class Number>
CLI::Validator at_least(Number lowest, const std::string& kind) {
  const auto check = [=](const std::string& text) {
    Number value{};
    std::istringstream in(text);
    const bool fits = in >> value && in.eof() && value >= lowest;
    return fits ? std::string() : "expected a " + kind + ", found '" + text + "'";
  };
  return {check, ""};
}

const CLI::Validator counts = at_least<std::int64_t>(1, "whole number of at least 1");
const CLI::Validator amounts = at_least<double>(0, "number of at least 0");

void add(CLI::App& app, const Knob& knob) {
  if (const auto* on = std::get_if<bool*>(&knob.value)) {
    app.add_flag(knob.flag, **on, knob.help);
  } else if (const auto* number = std::get_if<double*>(&knob.value)) {
    app.add_option(knob.flag, **number, knob.help)->check(amounts);
  } else if (const auto* text = std::get_if<std::string*>(&knob.value)) {
    app.add_option(knob.flag, **text, knob.help);
  } else if (const auto* file = std::get_if<std::filesystem::path*>(&knob.value)) {
    app.add_option(knob.flag, **file, knob.help)->check(CLI::ExistingFile);
  } else {
    app.add_option(knob.flag, *std::get<std::int64_t*>(knob.value), knob.help)->check(counts);
  }
}

}  // namespace

int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body, const std::vector<Knob>& knobs) {
  CLI::App app(description, std::filesystem::path(argv[0]).filename().string());
  app.option_defaults()->always_capture_default();
  if (options.steps > 0) {
    app.add_option("--steps", options.steps, "training updates")->check(counts);
  }
  for (const Knob& knob : knobs) add(app, knob);
  app.add_option("--seed", options.seed, "seed of all random numbers");
  if (!options.out.empty()) app.add_option("--out", options.out, "folder for the pictures");
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
