#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tutorial {

/// The knobs that every tutorial has.
struct Options {
  std::int64_t steps = 0;     ///< of training; 0 where there is none, and no --steps
  std::filesystem::path out;  ///< the folder for its pictures; empty where there are none, and no --out
  std::uint64_t seed = 1;     ///< of the initial weights and the training data
};

/// A knob of one tutorial alone: its default is what it points to. Whole numbers are from 1 up, others from
/// 0 up; files must be there.
struct Knob {
  std::string flag;  ///< "--hidden"
  std::variant<std::int64_t*, double*, bool*, std::string*, std::filesystem::path*> value;
  std::string help;
};

/// Reads the command line over the defaults in `options` and `knobs`, and runs `body`. Returns the exit code:
/// 0, 1 with one line on stderr when the body throws, 2 when the command line is wrong.
int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body, const std::vector<Knob>& knobs = {});

}  // namespace tutorial
