#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "museum/diagnosis.hpp"

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
  /// The museum's program with each of the learner's attentions and decoders in turn.
  std::vector<museum::Make> programs = {};
};

/// The exhibit of the museum that the learner's classes resemble. Classes that throw are skipped.
museum::Diagnosis diagnose(const Exercise& exercise);

/// How a check ended.
struct Verdict {
  std::size_t passed = 0;  ///< number of stages
  std::string stage;       ///< the stage that failed; empty when all passed
  std::optional<ToDo> to_do;
  std::optional<Finding> finding;
  std::vector<std::uintptr_t> thrown_from =
      {};  ///< the stack where the exception of the finding "error" was thrown
  bool all() const { return stage.empty(); }
};

struct CheckOptions {
  bool training = true;  ///< runs the training stages, too
  /// Called after each stage that passes, with its duration.
  std::function<void(const Stage& stage, double seconds)> passed = nullptr;
  unsigned seconds = 0;  ///< limit of a stage, three times as long for a training, by SIGALRM; 0: no limit
};

/// Runs the stages, each with the same seed, until one fails. An exception of any type in the learner's code
/// becomes the finding "error".
Verdict check(const Exercise& exercise, const CheckOptions& options);

/// main() of an exercise: runs the checks and prints their results. Returns 0 if all pass, 1 after a finding,
/// 2 for an unknown option, 3 at a ToDo. Options:
///
///     --no-training   skips the training stages
///     --seconds N     limits a stage to N seconds, a training stage to 3 N
///     --parts A,B     runs only the stages of these parts
///     --diagnose      only names the exhibit of the museum that the learner's classes resemble
///     --memory MIB    limits the memory
///     --state FILE    writes lines for exercise.py: "stage LIMIT NAME" for all stages, "passed NAME" after
///                     each, "verdict finding" (or passed, to do), and the lines of trace.hpp
int main(int argc, char** argv, Exercise exercise);

/// A solution with one known mistake, or a correct one that differs from ours.
struct Attempt {
  std::string name;
  std::string mistake;  ///< name of the Mistake to find; empty for a correct solution
  Exercise exercise;    ///< the checker, given this solution
};

/// main() of the test of a checker: every wrong solution must fail before the training stages with a finding
/// that names its mistake, and every correct one must pass and resemble no exhibit of the museum. Prints a
/// line for each; returns 0 if all do.
int bank(const std::vector<Attempt>& attempts);

}  // namespace exercise
