#pragma once

#include <gradus/models/model.hpp>

namespace gradus::tools {

/// Lower bound on a model's size, computed from its options without building the model. Counts only matrices.
/// The counts are doubles because integers might overflow.
struct LeastSize {
  double parameters;
  double per_source_token, per_target_token;  ///< numbers stored for backward
};
/// Computes the bound. Always counts the encoder. Counts the decoder if the registry states which context the
/// decoder reads. Counts the attention if, in addition, the decoder attends and the registry states the
/// number of the attention's weights.
LeastSize least_size(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                     const models::Registry& registry);

}  // namespace gradus::tools
