#pragma once

#include "support/page/program.hpp"
#include "support/page/table.hpp"

namespace tutorial {

/// Tutorial 15: models that learn at speeds from 0.5 to 1 and are tested at speed 2. Each differs from the tutorial's model
/// with location features in what its row names. The columns are wrong symbols in percent, at most 1 of which the trained
/// speeds need; symbols too few in percent, at speed 2; and the distance between two positions of attention at speed 2,
/// divided by the distance between two symbols: 1 if no symbol is skipped.
Table tried(const Options& options);

}  // namespace tutorial
