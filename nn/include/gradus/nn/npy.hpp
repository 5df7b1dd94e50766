#pragma once

#include <gradus/autograd/tensor.hpp>

#include <filesystem>

#pragma GCC visibility push(default)
/// Tensors in NumPy's .npy files: f32 is '<f4', f64 '<f8', i64 '<i8'.
namespace gradus::nn {

/// Writes the values, row-major, to be read by numpy.load. The file is whole or as it was before: it is
/// replaced only once all is on the disk. Takes memory for the whole file meanwhile.
/// @throws Error with the path, the system's reason and a way out.
void save_npy(const std::filesystem::path& path, const Tensor& tensor);

/// Reads one array of '<f4', '<f8' or '<i8', of versions 1.0, 2.0 and 3.0 and either order of axes. Nothing
/// in the file is trusted: no memory is taken for values that it does not hold.
/// @throws Error with the path, what is wrong and what to do.
Tensor load_npy(const std::filesystem::path& path);

}  // namespace gradus::nn
#pragma GCC visibility pop
