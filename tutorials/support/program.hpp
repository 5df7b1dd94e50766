#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace tutorial {

/// The knobs that every tutorial has.
struct Options {
  std::int64_t steps;         ///< of training
  std::filesystem::path out;  ///< the folder for its pictures
  std::uint64_t seed = 1;     ///< of the initial weights and the training data
};

/// Reads the command line over the defaults in `options`, and runs `body`. Returns the exit code: 0, 1 with
/// one line on stderr when the body throws, 2 when the command line is wrong.
int run(int argc, char** argv, const std::string& description, Options options,
        const std::function<void(const Options&)>& body);

}  // namespace tutorial
