#pragma once

#include <gradus/nn/module.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#pragma GCC visibility push(default)
/// Named tensors in safetensors files. PyTorch users write such files with `safetensors.torch.save_file`, and
/// read them with `load_file`. f32, f64 and i64 are stored as F32, F64 and I64. An f32 tensor can also be
/// stored as BF16, and an f32 matrix as I8 with its scales, `<name>.scale`, in BF16: see int8.hpp.
namespace gradus::nn {

/// The free-form text entries of a file's header.
using Metadata = std::map<std::string, std::string>;

/// The names of f32 tensors that a file stores in fewer bytes.
struct Narrow {
  std::set<std::string> int8;  ///< matrices stored as I8 and scales, by quantise_rows()
  std::set<std::string> bf16;  ///< tensors stored as BF16, rounded to nearest, ties to even
};

struct Safetensors {
  NamedTensors tensors;  ///< in file order; an I8 matrix is at the place of its scales
  Metadata metadata;
  Narrow narrow = {};  ///< the tensors that the file stores in fewer bytes
};

/// Writes `tensors`. The bytes do not depend on the order of the tensors. As in the safetensors library,
/// tensors are sorted by type, widest first (I64, F64, F32, BF16, I8), and then by name, so that each is
/// aligned. Replaces the file atomically, after all data is on disk. Allocates memory for the whole file.
/// @throws Error as quantise_rows() does; for a name in `narrow` without a tensor, or with a tensor that is
/// not f32; for a name in both sets of `narrow`; for the name "__metadata__"; for a duplicate name, where the
/// names of the scales count, too; for names or metadata that are not UTF-8; for an undefined tensor; for a
/// header of more than 100,000,000 bytes. If writing fails, the message has the path and the system's reason.
void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                      const Metadata& metadata = {}, const Narrow& narrow = {});

/// Reads a file with tensors in F32, F64, I64, BF16, or I8 with scales. BF16 and I8 are read as f32;
/// dequantised() converts I8. The file is not trusted. After the header, each byte must belong to
/// exactly one tensor, as the format demands. No memory is allocated for values beyond the file's end. The
/// padding at the header's end is optional, as in the safetensors library.
/// @throws Error with the path, the tensor, what is wrong and what to do.
Safetensors load_safetensors(const std::filesystem::path& path);

/// Writes the module's state_dict(). A tensor shared under several names is written once per name, as PyTorch
/// expects.
/// @throws Error as save_safetensors() does.
void save(const Module& module, const std::filesystem::path& path, const Metadata& metadata = {});

/// Loads a file into the module; returns the file's metadata.
/// @throws Error as load_safetensors() and Module::load_state_dict() do. After an error, the module is
/// unchanged.
Metadata load(Module& module, const std::filesystem::path& path);

}  // namespace gradus::nn
#pragma GCC visibility pop
