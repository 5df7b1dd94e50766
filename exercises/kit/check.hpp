#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"

/// What the checkers of the exercises have in common. A checker is a list of stages, from the shapes to a
/// short training; it stops at the first thing that is wrong.
namespace exercise {

struct Stage {
  std::string name;             ///< "gradients"; "general: gradients" where an exercise has parts
  std::function<void()> check;  ///< throws a Finding; prints, if anything, what it measured
  bool training = false;        ///< takes many seconds: the banks of wrong solutions are found out before
};

struct Exercise {
  std::string name;  ///< of its folder, without the number
  std::vector<Stage> stages;
};

/// How a check ended.
struct Verdict {
  std::size_t passed = 0;  ///< stages
  std::string stage;       ///< that stopped it; empty when all passed
  std::optional<ToDo> to_do;
  std::optional<Finding> finding;
  bool all() const { return stage.empty(); }
};

/// Runs the stages, each from the same seed, up to the first that does not pass. An exception of the
/// learner's code becomes a finding called "error".
/// @param passed is called after each stage that passes, with the seconds that it took
Verdict check(const Exercise& exercise, bool training,
              const std::function<void(const Stage& stage, double seconds)>& passed = nullptr);

/// The program of one exercise: checks, prints, and returns 0 when all has passed, 1 after a finding, 3 when
/// there is something left to do. `--no-training` leaves those stages out; `--state FILE` keeps the
/// names of all stages and, after an empty line, of those that passed, for the list of exercises and the
/// hints.
int main(int argc, char** argv, const Exercise& exercise);

/// A solution that is wrong in one known way, or right in its own.
struct Attempt {
  std::string name;
  std::string mistake;  ///< the name of the Mistake that must be found; empty when it is right
  Exercise exercise;    ///< the checker, given this solution
};

/// The program that proves a checker: every wrong solution must be stopped before the training, with the
/// finding that names its mistake, and every right one must pass. Prints a line for each; returns 0 when all
/// is so.
int bank(const std::vector<Attempt>& attempts);

}  // namespace exercise
