#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tutorial {

/// The options that every tutorial has.
struct Options {
  std::int64_t steps = 0;     ///< training updates; 0: no training and no option --steps
  std::filesystem::path out;  ///< folder for the pictures; empty: no pictures and no option --out
  std::uint64_t seed = 1;     ///< of the initial weights and the training data
};

/// An option of one tutorial; its default is the value pointed to. Integers must be at least 1, other numbers
/// at least 0; files must exist.
struct Knob {
  std::string flag;  ///< "--hidden"
  std::variant<std::int64_t*, double*, bool*, std::string*, std::filesystem::path*> value;
  std::string help;
};

/// Replaces the defaults in `options` and `knobs` by the values of the command line, and runs `body`. Returns
/// the exit code: 0, 1 with one line on stderr when the body throws, 2 when the command line is wrong.
int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body, const std::vector<Knob>& knobs = {});

}  // namespace tutorial
