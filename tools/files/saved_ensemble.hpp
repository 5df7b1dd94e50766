#pragma once

#include <gradus/models/ensemble.hpp>
#include <gradus/nn/row_products.hpp>

#include <list>
#include <span>
#include <string>
#include <vector>

#include "files/saved_model.hpp"

namespace gradus::tools {

/// Saved models that decode together; often only one.
struct SavedEnsemble {
  std::vector<SavedModel> members;  ///< in eval mode, all with the same vocabularies

  models::Ensemble model() const;
  const Sides& sides() const { return members.front().sides; }
};

/// While a SameBits exists, an f32 model's translation of a sentence has the same bits, whatever other
/// sentences are in the batch. For int8 models this is always true.
class SameBits {
 public:
  explicit SameBits(const SavedEnsemble& saved);

 private:
  std::list<nn::RowProducts> products_;
};

/// Loads the models of one or more checkpoints or folders, see checkpoint_of().
/// @throws Error as load_saved_model(), and naming both paths if two models differ in how they split text, or
/// in a vocabulary.
SavedEnsemble load_ensemble(std::span<const std::string> paths, const models::Registry& registry);

/// @throws Error naming the first and the differing model, as load_ensemble().
void check_same_sides(std::span<const std::string> paths, const SavedEnsemble& ensemble);

/// Lets all members of an ensemble that reads sound read the same files. @throws Error naming the first and
/// the differing model, if one normalises its frames differently.
void share_frames(std::span<const std::string> paths, SavedEnsemble& ensemble);

/// Gives weight only to the k largest energies of each step's softmax (nn::top_k_softmax). Does nothing if k
/// is 0.
/// @throws Error naming a member whose attention is not a softmax of scores, or that has none.
void use_top_k_attention(std::span<const SavedModel> members, std::int64_t k);

/// Whether the model has attention weights; of an ensemble, whether a member has.
bool attends(const models::Ensemble& model);
/// @throws Error if no member has attention.
void check_attends(std::string_view who, const SavedEnsemble& saved);

/// Checks a model that another run uses. @throws Error unless both have the same vocabularies and tokens.
void check_same_tokens(const char* operation, const SavedModel& model, const Sides& run);

}  // namespace gradus::tools
