#pragma once

#include <gradus/models/model.hpp>

#include "files/saved_model.hpp"

namespace gradus::tools {

/// The zeros in the matrices of a model's parameters.
struct Zeros {
  double fraction = 0;      ///< zeros divided by weights, of all matrices together
  bool per_matrix = false;  ///< each matrix has this fraction, up to 1 % of its weights
};
Zeros zeros_of(const models::Seq2Seq& model);

/// True if the model is from a run of `gradus train --prune`, complete or not, or from `gradus compress
/// --prune`.
bool is_pruned(const SavedModel& saved);

}  // namespace gradus::tools
