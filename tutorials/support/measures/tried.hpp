#pragma once

#include "support/page/program.hpp"
#include "support/page/table.hpp"

namespace tutorial {

/// Tutorial 15: models that learn at speeds from 0.5 to 1 and are tested at speed 2. A row's name says how
/// its model differs from the tutorial's model with location features. Wrong and missing symbols are in
/// percent. The step is the mean distance between two positions of attention, divided by the mean distance
/// between two symbols. It is near 1 if no symbol is skipped.
Table tried(const Options& options);

}  // namespace tutorial
