#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "support/page/table.hpp"

namespace tutorial {

/// Table "exhaustive": beam search compared with scoring every output. The sources have the task's longest
/// length; outputs have up to one symbol more. For each width: how often the beam finds the best output, and
/// the mean score of its outputs. Only feasible for very few symbols.
Table beside_all_outputs(const gradus::models::Seq2Seq& model, const gradus::data::Reversal& task,
                         const std::function<double(const gradus::models::Decoded&)>& score,
                         const std::vector<std::int64_t>& widths,
                         const std::function<gradus::models::Search(std::int64_t width)>& beam_of);

}  // namespace tutorial
