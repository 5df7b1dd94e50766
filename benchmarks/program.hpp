#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// A program that measures one implementation.
struct Program {
  std::string name;         ///< "gradus", "libtorch 1.13.1": stands in the report
  std::string description;  ///< for --help
  std::function<std::unique_ptr<Contender>(const Options&)> make;
  /// The best rate of conventional matrix products at options.threads, in GFLOP/s; may be empty. It is called
  /// in a process of its own, so that its memory and threads leave no trace in what is measured.
  std::function<double(const Options&)> sgemm_peak{};
  std::vector<std::string> precisions = {"f32"};  ///< what --precision may say
};

/// Reads the command line, measures, and reports. Returns the exit code: 0, 1 with one line on stderr when
/// something is thrown, 2 when the command line is wrong.
int run(int argc, char** argv, const Program& program);

}  // namespace bench
