#pragma once

#include "subject.hpp"

namespace museum {

constexpr int exhibits = 15;

/// The program with the change of exhibit 1 … 15; 0: without a change. Defined in a file that exhibits.py
/// writes.
std::unique_ptr<Subject> exhibit(int number, const Sizes& sizes);

}  // namespace museum
