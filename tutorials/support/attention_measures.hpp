#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program.hpp"
#include "table.hpp"

/// Measures that compare attention scores, besides the accuracy of the model.
namespace tutorial {

/// The standard deviation of a model's energies over a source's tokens, averaged over all steps.
double energy_spread(const gradus::models::Seq2Seq& model, const std::vector<gradus::data::Pair>& pairs);

/// Table "time": the median time of a few updates on sources of 12 and 50 tokens, with and without fused
/// operations. Keep it the last table of a results.json, because it differs from run to run.
/// @param make makes a new model with this score for this task
Table update_times(const std::vector<std::string>& scores,
                   const std::function<std::unique_ptr<gradus::models::Seq2Seq>(
                       const std::string& score, const gradus::data::Reversal& task)>& make,
                   const Options& options);

}  // namespace tutorial
