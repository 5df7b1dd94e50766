#pragma once

#include <string>

namespace exercise {

/// A way to be wrong that a checker can tell from others.
struct Mistake {
  std::string name = {};  ///< "no-mask": the banks of wrong solutions know it by this
  std::string sign = {};  ///< which mistake it looks like, in a sentence: "The pads got weight."; empty when
                          ///< nothing is known
  std::string hint = {};  ///< one thing to think about
};

/// Why a check stopped: thrown by a stage, printed for the learner. What does not apply is left empty.
struct Finding {
  Mistake mistake = {};
  std::string says = {};      ///< what is not as it should be, in a sentence
  std::string where = {};     ///< "weights[1, 0]: row 1 of the batch, source position 0"
  std::string got = {};       ///< there
  std::string expected = {};  ///< there
};

/// What an exercise's stub throws in place of the code that is to be written.
struct ToDo {
  std::string task;  ///< in a sentence: "Write energies(): e_tj = v_a · tanh(W_a s + U_a h_j), as (B, T)."
};

/// Stands in the stub where the learner's code is to stand, of any type: `exercise::to_do("Write …")`.
[[noreturn]] inline void to_do(const std::string& task) { throw ToDo{task}; }

}  // namespace exercise
