#pragma once

#include <gradus/nn/module.hpp>
#include <gradus/nn/safetensors.hpp>

#include <filesystem>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
/// Checkpoints, from which training resumes. A checkpoint is a safetensors file. Its tensors are
/// Trainer::state(), and its metadata holds the configuration.
namespace gradus::models {

struct Checkpoint {
  NamedTensors tensors;    ///< "model.…" and "trainer.…"
  nn::Metadata metadata;   ///< the caller's configuration and vocabularies; "gradus.…" is reserved
  nn::Narrow narrow = {};  ///< after load_checkpoint(): the tensors that the file stores in fewer bytes
};

/// Writes the checkpoint. Metadata under "gradus.…" holds the format, the circumstances(), and a checksum of
/// tensors and metadata. The same training writes the same bytes. Replaces the file atomically.
/// @param narrow tensors to store in fewer bytes; compress::round_to_int8() or round_to_bf16() must already
/// have rounded their values
/// @throws Error as nn::save_safetensors() does.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     const nn::Narrow& narrow = {});

/// True if the metadata belong to a checkpoint, false if they belong to any other tensor file.
bool is_checkpoint(const nn::Metadata& metadata);

/// Reads a checkpoint.
/// @throws Error as nn::load_safetensors() and check_intact() do, and for a file that is not a checkpoint or
/// has another format.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// Compares a checkpoint's tensors and metadata with the checksum in its metadata. Accepts checkpoints
/// without a checksum, which older versions of gradus wrote.
/// @throws Error naming the path if the checksum does not match.
void check_intact(const std::filesystem::path& path, const NamedTensors& tensors,
                  const nn::Metadata& metadata);

/// A checksum of the tensors' names, dtypes, shapes and values. Does not depend on the order of the tensors.
std::string fingerprint(const NamedTensors& tensors);

/// A property of the process that affects the bits of later steps and is not in a Trainer's state. These
/// properties are the version of gradus, the compiler, the instruction set, the libraries for matrix products
/// with their kernels, and the number of threads.
struct Circumstance {
  std::string key;    ///< in a checkpoint's metadata
  std::string words;  ///< its name in messages, such as "the number of threads"
  std::string now;    ///< its value in this process
};
std::vector<Circumstance> circumstances();

/// The circumstances() that differ between this process and the process that saved the checkpoint, such as
/// "the number of threads was 2 and is 1". Training resumes bit-identically only if the list is empty.
std::vector<std::string> check_reproducible(const nn::Metadata& metadata);

/// Loads a checkpoint's weights into a model, for inference or to begin a new training run. If the model has
/// a tensor under several names, the checkpoint needs only one of these names.
/// @param source the checkpoint's name in messages
/// @throws Error as Module::load_state_dict() does; the model is unchanged in that case.
void load_model(nn::Module& model, const Checkpoint& checkpoint,
                std::string_view source = "the checkpoint's model");

}  // namespace gradus::models
#pragma GCC visibility pop
