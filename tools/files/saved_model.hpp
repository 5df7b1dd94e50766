#pragma once

#include <gradus/compress/int8.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>

#include <filesystem>
#include <memory>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The contents of a checkpoint of `gradus train`: a model with its settings and vocabularies.
struct SavedModel {
  std::filesystem::path path;  ///< path of the checkpoint
  Settings settings;
  Sides sides;
  std::unique_ptr<models::Seq2Seq> model;  ///< in eval mode
  models::Checkpoint checkpoint;
  std::unique_ptr<const compress::Int8Products> int8 = nullptr;  ///< null unless compressed to int8
};

/// A checkpoint's metadata: "settings" as TOML, "source.vocabulary" and "target.vocabulary". With byte-pair
/// encoding also "source.bpe" and "target.bpe"; with SentencePiece models "source.sentencepiece" and
/// "target.sentencepiece" in base64; with frames "source.frames", see Frames::to_text().
nn::Metadata metadata_of(const Settings& settings, const Sides& sides);

/// The contents of a checkpoint's metadata.
struct Origin {
  Settings settings;
  /// Vocabularies, byte-pair encodings, SentencePiece models and frame settings are as stored. The other
  /// options of the tokenisers are from `settings`.
  Sides sides;
};

/// Reads the metadata of a checkpoint with these tensors. Does not build the model, because a damaged file
/// may state any size.
/// @param path the checkpoint's path, for messages
/// @throws Error if settings or vocabularies are missing or damaged, or if the settings describe a model
/// larger than the stored tensors.
Origin origin_of(const std::filesystem::path& path, const NamedTensors& tensors, const nn::Metadata& metadata,
                 const models::Registry& registry);

/// A model with these settings and random parameters.
std::unique_ptr<models::Seq2Seq> make_model(const Settings& settings, const Sides& sides,
                                            const models::Registry& registry);

/// Lets the encoder read ids of these frames.
void read_frames(models::Encoder& encoder, const std::shared_ptr<const Frames>& frames);

/// Lets the model read these frames, which are null for a text. Returns false, and changes nothing, if the
/// model was trained on other frames.
bool share_frames(SavedModel& model, const std::shared_ptr<Frames>& frames);

/// Checks all parameters, because some searches would not detect a NaN.
/// @param path the file with the parameters, for messages
/// @throws Error naming the first parameter with a NaN or an infinity.
void check_finite(const std::filesystem::path& path, const models::Seq2Seq& model);

/// The metadata key under which gradus compress records how it rounded the weights.
inline constexpr const char* compressed_key = "compressed";
inline constexpr const char* compressed_int8 = "int8";
inline constexpr const char* compressed_bf16 = "bf16";

/// The metadata key under which gradus compress records that the model was pruned.
inline constexpr const char* pruned_key = "pruned";

/// The metadata key under which gradus compress and gradus convert record themselves, as in "gradus convert".
/// The files that they write have no training state.
inline constexpr const char* writer_key = "writer";

/// @throws Error unless the checkpoint has a trainer's state. The message names the command that wrote the
/// file, if it is known.
void check_resumable(const std::filesystem::path& path, const models::Checkpoint& checkpoint);

/// @throws Error if the checkpoint is compressed: training cannot start from rounded weights.
void check_not_compressed(const char* operation, const std::filesystem::path& path,
                          const nn::Metadata& metadata);

/// A checkpoint with only the model's weights. The training state is left out, because its shapes may differ
/// from those of the model. A tensor that the model has under several names is stored once, under its first
/// name.
/// @param writer the command that writes it, such as "gradus convert"
models::Checkpoint weights_alone(const SavedModel& saved, const char* writer);

/// Loads a model for inference. A model compressed to int8 multiplies in int8.
/// @param path a checkpoint or folder, see checkpoint_of()
/// @throws Error naming the path if it is not a checkpoint of gradus, or if check_finite() throws.
SavedModel load_saved_model(const std::filesystem::path& path, const models::Registry& registry);

/// load_saved_model() for a checkpoint that was already read from this path. Makes the same checks.
SavedModel saved_model_of(const std::filesystem::path& path, models::Checkpoint checkpoint,
                          const models::Registry& registry);

}  // namespace gradus::tools
