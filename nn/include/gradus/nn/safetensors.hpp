#pragma once

#include <gradus/nn/module.hpp>

#include <filesystem>
#include <map>
#include <string>

#pragma GCC visibility push(default)
/// Tensors by name in safetensors files, which PyTorch's users write with `safetensors.torch.save_file` and
/// read with `load_file`: f32 is F32, f64 F64 and i64 I64.
namespace gradus::nn {

/// What a file says beside its tensors, in any words.
using Metadata = std::map<std::string, std::string>;

struct Safetensors {
  NamedTensors tensors;  ///< in the order of their values in the file
  Metadata metadata;
};

/// Writes the values of `tensors`: the same tensors, in any order, make the same bytes. Values stand as the
/// safetensors library lays them out, wide types first, so that each is aligned, then by name. The file is
/// whole or as it was before: it is replaced only once all is on the disk. Takes memory for the whole file
/// meanwhile.
/// @throws Error for a name that is given twice, is "__metadata__" or, as any text here, no UTF-8; for a
/// tensor without a value; for names and metadata beyond 100,000,000 bytes; with the path and the system's
/// reason when it cannot write.
void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                      const Metadata& metadata = {});

/// Reads a file of F32, F64 and I64. Nothing in it is trusted: each byte must belong to one tensor, as the
/// format demands, and no memory is taken for values that are not there. Padding after the header is
/// optional, as it is for the safetensors library.
/// @throws Error with the path, the tensor, what is wrong and what to do.
Safetensors load_safetensors(const std::filesystem::path& path);

/// Writes the module's state_dict(). What is shared under several names is written under each, as PyTorch
/// expects it.
/// @throws Error as save_safetensors.
void save(const Module& module, const std::filesystem::path& path, const Metadata& metadata = {});

/// Gives the module the state in a file; returns the file's metadata.
/// @throws Error as load_safetensors and Module::load_state_dict; the module is as it was then.
Metadata load(Module& module, const std::filesystem::path& path);

}  // namespace gradus::nn
#pragma GCC visibility pop
