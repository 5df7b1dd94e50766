#pragma once

#include <gradus/models/model.hpp>

namespace gradus::tools {

/// Lower bound on a model's size, computed from its options: its matrices, and the numbers stored per token
/// for backward. For a decoder that the library does not have, counts only the encoder. In double, since the
/// counts may overflow an integer.
struct LeastSize {
  double parameters;
  double per_source_token, per_target_token;  ///< numbers stored for backward
};
LeastSize least_size(const models::ModelOptions& model, const models::Vocabularies& vocabularies);

}  // namespace gradus::tools
