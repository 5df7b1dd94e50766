#pragma once

#include <gradus/autograd/tensor.hpp>

#include <filesystem>

#pragma GCC visibility push(default)
/// Tensors in NumPy's .npy files: f32, f64 and i64 are stored as '<f4', '<f8' and '<i8'.
namespace gradus::nn {

/// Writes the values, row-major, for numpy.load. Replaces an existing file atomically, after all data is on
/// disk. Allocates memory for the whole file.
/// @throws Error with the path, the system's reason and what to do.
void save_npy(const std::filesystem::path& path, const Tensor& tensor);

/// Reads an array of '<f4', '<f8' or '<i8', in versions 1.0, 2.0 and 3.0, row-major or column-major. The file
/// is not trusted: no memory is allocated for values beyond the file's end.
/// @throws Error with the path, what is wrong and what to do.
Tensor load_npy(const std::filesystem::path& path);

}  // namespace gradus::nn
#pragma GCC visibility pop
