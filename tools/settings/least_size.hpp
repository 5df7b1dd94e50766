#pragma once

#include <gradus/models/model.hpp>

namespace gradus::tools {

/// Lower bound on a model's size, computed from its options without making it: its matrices, and the numbers
/// stored per token for backward. In double, since the counts may overflow an integer.
struct LeastSize {
  double parameters;
  double per_source_token, per_target_token;  ///< numbers stored for backward
};
/// Counts the encoder, which is always the library's; the decoder and the attention only if the registry's
/// entries are the library's, since another class may have no parameters.
LeastSize least_size(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                     const models::Registry& registry);

}  // namespace gradus::tools
