#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// A program that measures one implementation.
struct Program {
  std::string name;         ///< "gradus" or "libtorch 1.13.1", for the report
  std::string description;  ///< for --help
  std::function<std::unique_ptr<Contender>(const Options&)> make;
  /// The best rate of matrix products with options.threads, in GFLOP/s; may be empty. Runs in its own
  /// process, so that its memory and threads do not affect the measurement.
  std::function<double(const Options&)> sgemm_peak{};
  std::vector<std::string> precisions = {"f32"};  ///< values of --precision
};

/// Reads the command line, measures and reports. Returns the exit code: 0; 1 after an exception, with one
/// line on stderr; 2 for a wrong command line.
int run(int argc, char** argv, const Program& program);

}  // namespace bench
