#pragma once

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/shape.hpp>

#include <filesystem>
#include <string_view>

namespace gradus::nn {

struct NpyHeader {
  Dtype dtype;
  bool fortran_order;  // true: column-major
  Shape shape;
};

/// Parses the dictionary of a .npy file. It must have exactly the keys 'descr', 'fortran_order' and 'shape',
/// in any order.
/// @throws Error that names `file`.
NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file);

template <class... Parts>
[[noreturn]] void refuse_npy(const std::filesystem::path& file, const Parts&... parts) {
  fail("load_npy", "'", file.string(), "' ", parts...);
}

}  // namespace gradus::nn
