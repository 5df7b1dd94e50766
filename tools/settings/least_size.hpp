#pragma once

#include <gradus/models/model.hpp>

namespace gradus::tools {

/// Lower bound on a model's size, computed from its options without building the model. Only matrices are
/// counted. The counts are in double, since they may overflow an integer.
struct LeastSize {
  double parameters;
  double per_source_token, per_target_token;  ///< numbers stored for backward
};
/// Always counts the encoder. Counts the decoder and the attention if the registry states the decoder's
/// context and the attention's weights.
LeastSize least_size(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                     const models::Registry& registry);

}  // namespace gradus::tools
