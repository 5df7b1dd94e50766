#pragma once

#include <gradus/models/model.hpp>

namespace gradus::tools {

/// What a model takes at the least, counted by its options and without making it: the matrices, and what
/// backward needs of every token. Of a decoder that the library does not have, nothing is known but the
/// encoder before it. In double, which counts what no integer could.
struct LeastSize {
  double parameters;
  double per_source_token, per_target_token;  ///< numbers that are kept for backward
};
LeastSize least_size(const models::ModelOptions& model, const models::Vocabularies& vocabularies);

}  // namespace gradus::tools
