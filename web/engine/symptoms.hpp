#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/models/seq2seq.hpp>

#include <optional>

namespace gradus::web {

/// The results of experiments on a model, explained in docs/explained/museum.md. All except `pads` need
/// attention.
struct Symptoms {
  double pads;  ///< the largest change of any p(y_t) when a longer source joins the batch; 0 is correct
  std::optional<double> steps;  ///< the largest difference of a weight α_tj between two steps
  std::optional<double> later;  ///< ‖Δh_1‖ / ‖h_1‖ when the last token changes; none if it is the only one
  std::optional<double> query;  ///< norm of W_a's gradient in the last update; none without W_a or updates
};

/// @param pair a source, and the target that the decoder reads
Symptoms symptoms_of(const models::Seq2Seq& model, const data::Pair& pair);

}  // namespace gradus::web
