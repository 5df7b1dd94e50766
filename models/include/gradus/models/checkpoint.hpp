#pragma once

#include <gradus/nn/module.hpp>
#include <gradus/nn/safetensors.hpp>

#include <filesystem>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
/// Files that training goes on from: safetensors, with what Trainer::state() says, and in the metadata what
/// made them.
namespace gradus::models {

struct Checkpoint {
  NamedTensors tensors;   ///< "model.…" and "trainer.…"
  nn::Metadata metadata;  ///< the caller's configuration and vocabularies; "gradus.…" is the library's
};

/// Writes the checkpoint and, under "gradus.…", its format, the version and compiler of this library, the
/// threads, and the kernels. The same training makes the same bytes. The file is whole or as it was before.
/// @throws Error as nn::save_safetensors.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Of a checkpoint, as against a file of tensors alone.
bool is_checkpoint(const nn::Metadata& metadata);

/// @throws Error as nn::load_safetensors, and for a file that is no checkpoint, or one of another format.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// What keeps this process from giving the bits that training would have given where the checkpoint was
/// saved, each as "the number of threads was 2 and is 1"; nothing when all is the same.
std::vector<std::string> check_reproducible(const nn::Metadata& metadata);

/// Gives a model the weights of a checkpoint, whose training does not go on.
/// @throws Error as Module::load_state_dict; the model is as it was then.
void load_model(nn::Module& model, const Checkpoint& checkpoint);

}  // namespace gradus::models
#pragma GCC visibility pop
