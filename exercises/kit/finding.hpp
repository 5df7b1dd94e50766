#pragma once

#include <string>

namespace exercise {

/// A kind of mistake that a checker can recognise.
struct Mistake {
  std::string name = {};  ///< identifier for the banks: "no-mask"
  std::string sign = {};  ///< description: "The pads got weight."; empty if unknown
  std::string hint = {};  ///< a question or fact that leads to the error
};

/// A failed check, thrown by a stage and printed for the learner. Unused fields are empty.
struct Finding {
  Mistake mistake = {};
  std::string says = {};      ///< a sentence that says what is wrong
  std::string where = {};     ///< an element: "weights[1, 0]: row 1 of the batch, source position 0"
  std::string got = {};       ///< the value of that element
  std::string expected = {};  ///< the right value
  std::string given = {};     ///< the inputs of that element, for a calculation by hand
};

/// Thrown by a stub: the learner's code is missing.
struct ToDo {
  std::string task;  ///< a sentence: "Write energies(): e_tj = v_a · tanh(W_a s + U_a h_j), as (B, T)."
};

/// Stands for the learner's code in a stub: `exercise::to_do("Write …")`.
[[noreturn]] inline void to_do(const std::string& task) { throw ToDo{task}; }

}  // namespace exercise
