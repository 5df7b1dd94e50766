#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "museum/diagnosis.hpp"

/// The framework of all checkers. A checker runs a list of stages, and stops at the first mistake.
namespace exercise {

struct Stage {
  std::string name;             ///< "gradients", or "general: gradients" in an exercise with parts
  std::function<void()> check;  ///< throws a Finding; may print measurements
  bool training = false;        ///< true for a stage of many seconds; banks skip it
};

struct Exercise {
  std::string name;  ///< the folder's name without its number
  std::vector<Stage> stages;
  /// One function for each attention or decoder class that the learner wrote. It makes the museum's program
  /// with that class.
  std::vector<museum::Make> programs = {};
};

/// Names the exhibit of the museum that the learner's classes resemble. Skips classes that throw.
museum::Diagnosis diagnose(const Exercise& exercise);

/// How a check ended.
struct Verdict {
  std::size_t passed = 0;  ///< number of stages that passed
  std::string stage;       ///< the stage that failed; empty if all passed
  std::optional<ToDo> to_do;
  std::optional<Finding> finding;
  std::vector<std::uintptr_t> thrown_from = {};  ///< for the finding "error": the stack at the throw
  bool all() const { return stage.empty(); }
};

struct CheckOptions {
  bool training = true;  ///< true to run the training stages, too
  /// Called after each passed stage, with the duration of the stage.
  std::function<void(const Stage& stage, double seconds)> passed = nullptr;
  unsigned seconds = 0;  ///< time limit of a stage (SIGALRM), 3 times as long if it trains; 0: none
};

/// Runs the stages until one fails. Each stage starts with the same seed. An exception from the learner's
/// code becomes the finding "error".
Verdict check(const Exercise& exercise, const CheckOptions& options);

/// main() of an exercise: runs the checks and prints their results. Returns 0 if all pass, 1 after a finding,
/// 2 for an unknown option, and 3 at a ToDo. With --diagnose, returns 1 if it names an exhibit. Options:
///
///     --no-training   skips the training stages
///     --seconds N     limits a stage to N seconds, a training stage to 3 N, and the diagnosis to N
///     --parts A,B     runs only the stages of these parts
///     --diagnose      only names the exhibit of the museum that the learner's classes resemble
///     --memory MIB    limits the memory
///     --state FILE    writes a record for exercise.py: first "stage LIMIT NAME" for every stage, then
///                     "passed NAME" after each one, and at the end "verdict finding", "verdict passed" or
///                     "verdict to do". The lines of trace.hpp also go there.
int main(int argc, char** argv, Exercise exercise);

/// An attempt in a bank: a solution with one known mistake, or a correct one that differs from ours.
struct Attempt {
  std::string name;
  std::string mistake;  ///< name of the expected Mistake; empty for a correct solution
  Exercise exercise;    ///< the checker, given this solution
};

/// main() that tests a checker with a bank. A wrong solution must fail before the training stages, with a
/// finding that names its mistake. A correct solution must pass, and resemble no exhibit of the museum.
/// Prints a line for each attempt. Returns 0 if all attempts get the expected result.
int bank(const std::vector<Attempt>& attempts);

}  // namespace exercise
