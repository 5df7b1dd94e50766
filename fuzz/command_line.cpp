// Fuzzes the command line of `gradus train`, one argument per line.
// Nothing is trained.

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <vector>

#include "commands/run_command.hpp"
#include "fuzz.hpp"
#include "settings/options.hpp"
#include "settings/settings.hpp"

namespace {

// While a Silence exists, output to the stream is discarded.
class Silence {
 public:
  explicit Silence(std::ostream& out) : out_(out), before_(out.rdbuf(nullptr)) {}
  ~Silence() {
    out_.rdbuf(before_);
    out_.clear();
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  std::ostream& out_;
  std::streambuf* before_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace tools = gradus::tools;
  std::vector<std::string> arguments{"train"};
  std::istringstream in(std::string(fuzz::text_of(data, size)));
  for (std::string argument; std::getline(in, argument);) {
    arguments.emplace_back(argument.c_str());  // cut at a NUL, because arguments of a process end there
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());

  tools::Settings settings = tools::default_settings();
  CLI::App app("", "gradus train");
  tools::add_options(app, settings);
  const int code = [&] {
    const Silence out(std::cout), err(std::cerr);
    return tools::run_command(app, static_cast<int>(argv.size()), argv.data(), [&] {
      const std::string text = tools::to_text(settings);
      return tools::to_text(tools::settings_from_text(text)) == text ? 0 : 3;
    });
  }();
  fuzz::expect(code == 0 || code == 1 || code == 2, "settings of a command line are read as written");
  return 0;
}
