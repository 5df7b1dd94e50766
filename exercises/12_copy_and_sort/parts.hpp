#pragma once

#include "answer.hpp"
#include "kit/finding.hpp"

/// The parts of the checker.
namespace copy_and_sort {

using Symbols = CopyAndSort::Symbols;
using Positions = CopyAndSort::Positions;

/// The right positions, computed in plain loops.
Positions copied(const Symbols& x);
Positions reversed(const Symbols& x);
Positions sorted(const Symbols& x);

inline const exercise::Mistake other_task{
    "other-task", "These are the positions of another task.",
    "Write the target below the source: where does each of its symbols come from?"};

/// The stages.
void copy_and_reverse(const CopyAndSort& answer);
void sort(const CopyAndSort& answer);
void fractions(const CopyAndSort& answer);

}  // namespace copy_and_sort
