#pragma once

#include <string>

namespace exercise {

/// A kind of mistake that a checker can recognise.
struct Mistake {
  std::string name = {};  ///< identifies it in the banks: "no-mask"
  std::string sign = {};  ///< describes the mistake: "The pads got weight."; empty if unknown
  std::string hint = {};  ///< a question or fact that leads to the error
};

/// A failed check, thrown by a stage and printed for the learner. Unused fields are empty.
struct Finding {
  Mistake mistake = {};
  std::string says = {};      ///< what is wrong, in a sentence
  std::string where = {};     ///< "weights[1, 0]: row 1 of the batch, source position 0"
  std::string got = {};       ///< there
  std::string expected = {};  ///< there
  std::string given = {};     ///< the inputs of that element, to compute it by hand
};

/// Thrown by a stub in place of the missing code.
struct ToDo {
  std::string task;  ///< a sentence: "Write energies(): e_tj = v_a · tanh(W_a s + U_a h_j), as (B, T)."
};

/// Placeholder for the learner's code in a stub: `exercise::to_do("Write …")`.
[[noreturn]] inline void to_do(const std::string& task) { throw ToDo{task}; }

}  // namespace exercise
