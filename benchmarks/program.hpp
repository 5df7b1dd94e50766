#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// The main program of a benchmark that measures one implementation.
struct Program {
  std::string name;         ///< "gradus" or "libtorch 1.13.1", for the report
  std::string description;  ///< text for --help
  std::function<std::unique_ptr<Contender>(const Options&)> make;
  /// Measures the highest rate of matrix products with options.threads, in GFLOP/s. Runs in a child process,
  /// so that its memory and threads do not affect the measurement of the contender. Empty if this rate is not
  /// needed.
  std::function<double(const Options&)> sgemm_peak{};
  std::vector<std::string> precisions = {"f32"};  ///< allowed values of --precision
};

/// Reads the command line, measures, and prints a report. Returns the exit code: 0; 1 after an exception,
/// with one line on stderr; 2 for a wrong command line.
int run(int argc, char** argv, const Program& program);

}  // namespace bench
