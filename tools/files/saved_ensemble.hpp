#pragma once

#include <gradus/autograd/precision.hpp>
#include <gradus/models/ensemble.hpp>
#include <gradus/nn/row_products.hpp>

#include <list>
#include <span>
#include <string>
#include <vector>

#include "files/saved_model.hpp"

namespace gradus::tools {

/// One or more saved models that decode together.
struct SavedEnsemble {
  std::vector<SavedModel> members;  ///< in eval mode, all with the same vocabularies

  models::Ensemble model() const;
  const Sides& sides() const { return members.front().sides; }
};

/// While a SameBits exists, an f32 model's outputs for a sentence have the same bits, whatever other
/// sentences are in the batch. The outputs of int8 models never depend on the other sentences.
class SameBits {
 public:
  explicit SameBits(const SavedEnsemble& saved);

 private:
  std::list<nn::RowProducts> products_;
};

/// Loads the models of one or more checkpoints or folders, see checkpoint_of().
/// @throws Error if load_saved_model(), share_frames() or check_same_sides() throws.
SavedEnsemble load_ensemble(std::span<const std::string> paths, const models::Registry& registry);

/// Checks that all models have the same tokens. @throws Error naming the paths of two models that differ in a
/// vocabulary or in how they split text.
void check_same_sides(std::span<const std::string> paths, const SavedEnsemble& ensemble);

/// Makes all members of an ensemble for sound share the frames that were read. @throws Error if
/// Frames::settings() of a member differ from those of the first member. The message names both members.
void share_frames(std::span<const std::string> paths, SavedEnsemble& ensemble);

/// Limits each attention softmax to its k largest energies (nn::top_k_softmax). Does nothing if k is 0.
/// @throws Error naming a member that has no attention, or whose attention is not a softmax of scores.
void use_top_k_attention(std::span<const SavedModel> members, std::int64_t k);

/// @throws UsageError if the precision is not f32 and every member is an int8 model, which multiplies in
/// int8.
void check_precision(std::span<const SavedModel> members, Precision precision);

/// True if the model, or a member of the ensemble, has attention weights.
bool attends(const models::Ensemble& model);
/// @throws Error if no member has attention.
void check_attends(std::string_view who, const SavedEnsemble& saved);

/// Checks that a run can use this model. @throws Error unless both have the same vocabularies and tokens.
void check_same_tokens(const char* operation, const SavedModel& model, const Sides& run);

}  // namespace gradus::tools
