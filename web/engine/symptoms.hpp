#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/models/seq2seq.hpp>

#include <optional>

namespace gradus::web {

/// The results of experiments on a model, see docs/explained/museum.md. All but the first need attention.
struct Symptoms {
  double pads;  ///< the largest change of a p(y_t) when a longer source is in the batch; 0 if pads have no
                ///< effect
  std::optional<double> steps;  ///< the largest difference of a weight α_tj between two steps
  std::optional<double>
      later;  ///< ‖Δh_1‖ / ‖h_1‖ after a change of the last source token; none for one token
  std::optional<double> query;  ///< the norm of the gradient of W_a in the last update; none before the first
};

/// @param pair a source, and the tokens to read
Symptoms symptoms_of(const models::Seq2Seq& model, const data::Pair& pair);

}  // namespace gradus::web
