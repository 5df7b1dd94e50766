#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"

/// Shared by all checkers. A checker runs a list of stages, from shapes to a short training, and stops at the
/// first mistake.
namespace exercise {

struct Stage {
  std::string name;             ///< "gradients", or "general: gradients" in an exercise with parts
  std::function<void()> check;  ///< throws a Finding; may print measurements
  bool training = false;        ///< takes many seconds; banks skip these stages
};

struct Exercise {
  std::string name;  ///< the folder's name without its number
  std::vector<Stage> stages;
};

/// How a check ended.
struct Verdict {
  std::size_t passed = 0;  ///< number of stages
  std::string stage;       ///< the stage that failed; empty when all passed
  std::optional<ToDo> to_do;
  std::optional<Finding> finding;
  std::vector<std::uintptr_t> thrown_from =
      {};  ///< the stack of the exception that became the finding "error"
  bool all() const { return stage.empty(); }
};

struct CheckOptions {
  bool training = true;  ///< runs the training stages, too
  /// Called after each stage that passes, with its duration.
  std::function<void(const Stage& stage, double seconds)> passed = nullptr;
  unsigned seconds =
      0;  ///< for a stage, three times as long for a training; then SIGALRM ends the program; 0: no limit
};

/// Runs the stages, each with the same seed, until one fails. An exception in the learner's code, of any
/// type, becomes the finding "error".
Verdict check(const Exercise& exercise, const CheckOptions& options);

/// main() of an exercise: runs and prints the checks. Returns 0 when all pass, 1 after a finding, 3 at a
/// ToDo. Options:
///
///     --no-training   skips the training stages
///     --seconds N     limits a stage to N seconds, a training stage to 3 N
///     --memory MIB    limits the memory
///     --state FILE    writes what exercise.py reads, a line each: "stage LIMIT NAME" for all stages; "passed
///     NAME"
///                     after each; "verdict finding" (or passed, to do); and what trace.hpp writes
int main(int argc, char** argv, const Exercise& exercise);

/// A solution with one known mistake, or a correct one that differs from ours.
struct Attempt {
  std::string name;
  std::string mistake;  ///< name of the Mistake to find; empty for a correct solution
  Exercise exercise;    ///< the checker, given this solution
};

/// main() of the test of a checker: every wrong solution must fail before the training, with the finding that
/// names its mistake; every correct one must pass. Prints a line for each; returns 0 if all are judged so.
int bank(const std::vector<Attempt>& attempts);

}  // namespace exercise
