#pragma once

#include <gradus/nn/module.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#pragma GCC visibility push(default)
/// Named tensors in safetensors files, which PyTorch users write with `safetensors.torch.save_file` and read
/// with `load_file`. The dtypes f32, f64 and i64 are stored as F32, F64 and I64. An f32 tensor can also be
/// stored as BF16, and an f32 matrix as I8 with its scales, `<name>.scale`, in BF16: see int8.hpp.
namespace gradus::nn {

/// The free-form text entries of a file's header.
using Metadata = std::map<std::string, std::string>;

/// The names of f32 tensors to store in fewer bytes, rounded.
struct Narrow {
  std::set<std::string> int8;  ///< matrices, as I8 and scales by quantise_rows()
  std::set<std::string> bf16;  ///< as BF16, to nearest, ties to even
};

struct Safetensors {
  NamedTensors tensors;  ///< in file order
  Metadata metadata;
};

/// Writes `tensors`. The bytes do not depend on the order of the tensors: as in the safetensors library,
/// values are sorted by element size, widest first, so that each is aligned, and then by name. The file is
/// replaced atomically, after all data is on disk. Allocates memory for the whole file.
/// @throws Error as quantise_rows(); for a name in `narrow` that is not a tensor's, or an f32 tensor's; for a
/// duplicate name or the name "__metadata__"; for names or metadata that are not UTF-8; for an undefined
/// tensor; for a header of more than 100,000,000 bytes; with the path and the system's reason if writing
/// fails.
void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                      const Metadata& metadata = {}, const Narrow& narrow = {});

/// Reads a file of F32, F64, I64, BF16, and I8 with scales. BF16 and I8 are read as f32, I8 as
/// dequantised(). The file is not
/// trusted: each byte must belong to exactly one tensor, as the format demands, and no memory is allocated
/// for values beyond the file's end. Padding after the header is optional, as in the safetensors library.
/// @throws Error with the path, the tensor, what is wrong and what to do.
Safetensors load_safetensors(const std::filesystem::path& path);

/// Writes the module's state_dict(). A tensor shared under several names is written once for each name, as
/// PyTorch expects.
/// @throws Error as save_safetensors.
void save(const Module& module, const std::filesystem::path& path, const Metadata& metadata = {});

/// Loads a file into the module; returns the file's metadata.
/// @throws Error as load_safetensors and Module::load_state_dict; the module is unchanged in that case.
Metadata load(Module& module, const std::filesystem::path& path);

}  // namespace gradus::nn
#pragma GCC visibility pop
