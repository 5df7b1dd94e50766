#pragma once

#include "support/page/program.hpp"
#include "support/page/table.hpp"

namespace tutorial {

/// Tutorial 15: models that learn at speeds from 0.5 to 1 and are tested at speed 2. Each differs from the tutorial's model
/// with location features in what its row names. Its columns are wrong symbols in percent; missing symbols in percent, at
/// speed 2; and the mean distance between two positions of attention at speed 2, divided by the mean distance between two
/// symbols. If no symbol is skipped, this ratio is near 1.
Table tried(const Options& options);

}  // namespace tutorial
