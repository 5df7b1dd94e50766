#pragma once

#include "subject.hpp"

namespace museum {

constexpr int exhibits = 15;

/// The program of exhibit `number`, 1 … 15; for `number` = 0, the right program. exhibits.py generates the
/// definition.
std::unique_ptr<Subject> exhibit(int number, const Sizes& sizes);

}  // namespace museum
