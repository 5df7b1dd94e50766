#pragma once

#include "subject.hpp"

namespace museum {

constexpr int exhibits = 15;

/// The program of exhibit 1 … 15. 0 is the right program. exhibits.py generates the definition.
std::unique_ptr<Subject> exhibit(int number, const Sizes& sizes);

}  // namespace museum
