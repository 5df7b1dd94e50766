#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program.hpp"
#include "table.hpp"

/// What tells scores of attention apart, beside how well the model does.
namespace tutorial {

/// How far apart the energies of a model are: their standard deviation over a source's tokens, in the mean of
/// all steps.
double energy_spread(const gradus::models::Seq2Seq& model, const std::vector<gradus::data::Pair>& pairs);

/// "time": the median of a few updates on sources of 12 and of 50 tokens, with the library's fused operations
/// and operation by operation. Keep it the last table of a results.json: it differs from run to run.
/// @param make the model of a score for a task, anew at each call
Table update_times(const std::vector<std::string>& scores,
                   const std::function<std::unique_ptr<gradus::models::Seq2Seq>(
                       const std::string& score, const gradus::data::Reversal& task)>& make,
                   const Options& options);

}  // namespace tutorial
