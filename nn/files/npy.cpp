#include <gradus/autograd/xtensor.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/files/input.hpp>
#include <gradus/nn/npy.hpp>

#include <xtensor/xmanipulation.hpp>
#include <xtensor/xnpy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/bytes.hpp"
#include "files/npy_header.hpp"

namespace gradus::nn {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "values are copied byte for byte from the file");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t longest_header = 10000;  // NumPy's own limit

void read_header(files::Input& in, void* into, std::uint64_t bytes) {
  if (bytes > in.left())
    refuse_npy(in.path(), "ends within its header; it was cut short, so copy or save it again");
  in.read(into, bytes);
}

void check_magic(files::Input& in) {
  std::string start(std::min<std::uint64_t>(in.left(), magic.size()), '\0');
  in.read(start.data(), start.size());
  if (start != magic) refuse_npy(in.path(), "is not a .npy file; write one with save_npy() or numpy.save");
}

int major_version(files::Input& in) {
  std::array<std::uint8_t, 2> version{};
  read_header(in, version.data(), version.size());
  const int major = version[0], minor = version[1];
  if (major < 1 || major > 3 || minor != 0) {
    refuse_npy(in.path(), "has version ", major, '.', minor,
               ", but only 1.0, 2.0 and 3.0 are read; save it again with numpy.save");
  }
  return major;
}

std::string npy_header_of(files::Input& in) {
  check_magic(in);
  std::uint32_t length = 0;
  read_header(in, &length, major_version(in) == 1 ? 2 : 4);
  if (length > longest_header) {
    refuse_npy(in.path(), "declares a header of ", length, " bytes, and at most ", longest_header,
               " are allowed; save it again with numpy.save");
  }
  std::string text(length, '\0');
  read_header(in, text.data(), length);
  return text;
}

Shape reversed(const Shape& shape) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  std::reverse(sizes.begin(), sizes.end());
  return Shape(std::span<const std::int64_t>(sizes));
}

template <class T>
Tensor transposed(const Tensor& x) {
  const auto values = as_xarray<T>(x);
  return from_xtensor(xt::transpose(values));
}

}  // namespace

void save_npy(const fs::path& path, const Tensor& tensor) {
  const auto write = [&](const std::string& file) { files::write_atomically("save_npy", path, file); };
  switch (tensor.dtype()) {
    case Dtype::f32:
      return write(xt::dump_npy(as_xarray<float>(tensor)));
    case Dtype::f64:
      return write(xt::dump_npy(as_xarray<double>(tensor)));
    case Dtype::i64:
      write(xt::dump_npy(as_xarray<std::int64_t>(tensor)));
  }
}

Tensor load_npy(const fs::path& path) {
  files::Input in("load_npy", path, ".npy file");
  const NpyHeader header = parse_npy_header(npy_header_of(in), path);
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(header.shape.numel()) * bytes_per_element(header.dtype);
  if (in.left() != bytes) {
    refuse_npy(path, "has ", in.left(), " bytes of values, but ", name(header.dtype), ' ', header.shape,
               " needs ", bytes, "; it is damaged, so copy or save it again");
  }
  Tensor stored = empty(header.fortran_order ? reversed(header.shape) : header.shape, header.dtype);
  in.read(mutable_bytes_of(stored, "load_npy").data(), bytes);
  if (!header.fortran_order || bytes == 0) return stored.reshape(header.shape);
  switch (header.dtype) {
    case Dtype::f32:
      return transposed<float>(stored);
    case Dtype::f64:
      return transposed<double>(stored);
    case Dtype::i64:
      return transposed<std::int64_t>(stored);
  }
  return stored;  // not reached, because the switch covers all dtypes
}

}  // namespace gradus::nn
