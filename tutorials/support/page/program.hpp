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
  std::uint64_t seed = 1;     ///< seed of the initial weights and of the training data
};

/// An option of one tutorial. `value` points to its default, which the command line overwrites. Integers must
/// be at least 1, other numbers at least 0. Files must exist.
struct Knob {
  std::string flag;  ///< "--hidden"
  std::variant<std::int64_t*, double*, bool*, std::string*, std::filesystem::path*> value;
  std::string help;
};

/// Overwrites `options` and `knobs` with the values of the command line, then runs `body`. Returns the exit
/// code: 0; 1 with one line on stderr if `body` throws; 2 for a wrong command line.
int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body, const std::vector<Knob>& knobs = {});

}  // namespace tutorial
