#pragma once

#include "support/page/program.hpp"
#include "support/page/table.hpp"

namespace tutorial {

/// Tutorial 15: models that learn from utterances at speeds from 0.5 to 1. The models named "frames left out"
/// hear each utterance up to twice as fast. A row's name says how its model differs from the tutorial's model
/// with location features. The columns: wrong symbols in percent at speed 1, at speed 2, in strings of 12
/// symbols, and in one symbol said six times at speed 2; missing symbols in percent, and the step of
/// attention, at speed 2. The step is the mean distance between the positions of attention for two successive
/// outputs, divided by the mean distance between two symbols. It is near 1 if no symbol is skipped.
Table tried(const Options& options);

}  // namespace tutorial
