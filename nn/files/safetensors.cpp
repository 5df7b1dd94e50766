#include <gradus/autograd/bf16.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/files/input.hpp>
#include <gradus/nn/int8.hpp>
#include <gradus/nn/safetensors.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "files/bytes.hpp"
#include "files/safetensors_header.hpp"

namespace gradus::nn {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "values are copied byte for byte from the file");

constexpr const char* scale_suffix = ".scale";

std::string header_of(files::Input& in) {
  const auto check_there = [&](std::uint64_t bytes) {
    if (bytes > in.left())
      refuse_safetensors(in.path(), "ends within its header; it was cut short, so copy or save it again");
  };
  std::uint64_t length = 0;
  check_there(sizeof length);
  in.read(&length, sizeof length);
  if (length > longest_safetensors_header) {
    refuse_safetensors(in.path(),
                       "is not a safetensors file; in PyTorch, write it with safetensors.torch.save_file");
  }
  check_there(length);
  std::string text(length, '\0');
  in.read(text.data(), length);
  return text;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The values of one tensor, as they are written to the file.
struct Piece {
  std::string name;
  Stored as;
  Shape shape;
  std::string_view bytes;
};

void check(const NamedTensors& tensors, const Narrow& narrow) {
  std::set<std::string_view> names{"__metadata__"};
  const auto take = [&](const std::string& name) {
    if (names.insert(name).second) return;
    fail("save_safetensors", "the name ", shown(name),
         " is taken; give each tensor a unique name other than '__metadata__'");
  };
  std::vector<std::string> scales;  // keeps these names alive
  for (const std::string& name : narrow.int8) scales.push_back(name + scale_suffix);
  for (const std::string& name : scales) take(name);
  for (const auto& [name, tensor] : tensors) {
    take(name);
    if (!tensor.defined()) fail("save_safetensors", shown(name), " is undefined; omit it or give it a value");
  }
  const auto dtype_of = [&](const std::string& name, const char* format) {
    const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
    if (found == tensors.end())
      fail("save_safetensors", "no tensor ", shown(name), " to store as ", format, "; add it");
    return found->second.dtype();
  };
  for (const std::string& name : narrow.int8) dtype_of(name, "I8");  // quantise_rows() checks the dtype
  for (const std::string& name : narrow.bf16) {
    const Dtype dtype = dtype_of(name, "BF16");
    if (dtype != Dtype::f32 || narrow.int8.contains(name)) {
      fail("save_safetensors", shown(name), " is ", narrow.int8.contains(name) ? "I8" : gradus::name(dtype),
           " and cannot be stored as BF16; name only other f32 tensors");
    }
  }
}

std::vector<std::uint16_t> rounded_to_bf16(std::span<const float> values) {
  std::vector<std::uint16_t> rounded(values.size());
  std::ranges::transform(values, rounded.begin(), bf16::rounded);
  return rounded;
}

std::string_view values_of(const std::vector<std::uint16_t>& bf16) {
  return as_text(std::as_bytes(std::span(bf16)));
}

// Values that the file stores in a narrower format than the tensor has.
struct Rounded {
  std::list<Int8Matrix> int8;
  std::list<std::vector<std::uint16_t>> bf16;
};

// The pieces in file order: sorted by type, widest first, then by name. `rounded` keeps rounded values alive.
std::vector<Piece> laid_out(const NamedTensors& tensors, const Narrow& narrow, Rounded& rounded) {
  std::vector<Piece> pieces;
  const auto add_bf16 = [&](const std::string& name, const Shape& shape, std::span<const float> values) {
    pieces.push_back(
        {name, Stored::bf16, shape, values_of(rounded.bf16.emplace_back(rounded_to_bf16(values)))});
  };
  for (const auto& [name, tensor] : tensors) {
    if (narrow.int8.contains(name)) {
      const Int8Matrix& matrix = rounded.int8.emplace_back(quantise_rows(tensor));
      pieces.push_back({name, Stored::i8, tensor.shape(), as_text(std::as_bytes(std::span(matrix.values)))});
      add_bf16(name + scale_suffix, {matrix.rows}, matrix.scales);
    } else if (narrow.bf16.contains(name)) {
      add_bf16(name, tensor.shape(), tensor.values<float>());
    } else {
      pieces.push_back({name, stored(tensor.dtype()), tensor.shape(), as_text(bytes_of(tensor))});
    }
  }
  std::ranges::sort(
      pieces, [](const Piece& a, const Piece& b) { return std::tie(b.as, a.name) < std::tie(a.as, b.name); });
  return pieces;
}

void check_bytes(const fs::path& path, const SafetensorsHeader& header, std::uint64_t left) {
  const std::uint64_t bytes = header.entries.empty() ? 0 : header.entries.back().end;
  if (left == bytes) return;
  refuse_safetensors(path, "has ", left, " bytes of values, but its header declares ", bytes,
                     "; it is damaged, so copy or save it again");
}

Tensor read_bf16(files::Input& in, const Shape& shape) {
  std::vector<std::uint16_t> stored(static_cast<std::size_t>(shape.numel()));
  if (!stored.empty()) in.read(stored.data(), stored.size() * sizeof stored[0]);
  Tensor tensor = empty(shape);
  std::ranges::transform(stored, tensor.mutable_values<float>("load_safetensors").begin(), bf16::to_float);
  return tensor;
}

// How the file stores a tensor that load_safetensors() has read.
Stored stored_as(const SafetensorsHeader& header, std::string_view name) {
  return std::ranges::find(header.entries, name, &SafetensorsHeader::Entry::name)->as;
}

// `tensors` contains the scales of each I8 matrix. Replaces them by the matrix in f32.
void dequantise(const fs::path& path, const SafetensorsHeader& header,
                std::map<std::string, Int8Matrix>& int8, NamedTensors& tensors) {
  const auto refuse = [&](const std::string& name, const auto&... what) {
    refuse_safetensors(path, "holds ", shown(name), " as I8, ", what...,
                       "; write such files with gradus compress --int8");
  };
  for (auto& [name, matrix] : int8) {
    const std::string scale_name = name + scale_suffix;
    const auto scale = std::ranges::find(tensors, scale_name, &NamedTensors::value_type::first);
    if (scale == tensors.end()) refuse(name, "without its scales ", shown(scale_name));
    if (scale->second.dtype() != Dtype::f32 || scale->second.shape() != Shape{matrix.rows}) {
      refuse(name, "but ", shown(scale_name), " is ", name_in_file(stored_as(header, scale_name)), ' ',
             scale->second.shape(), " and must be BF16 or F32 ", Shape{matrix.rows});
    }
    for (const float s : scale->second.values<float>()) {
      if (!(s >= 0 && std::isfinite(s * 127))) refuse(name, "but its scales have the value ", s);
      matrix.scales.push_back(s);
    }
    if (std::ranges::count(matrix.values, std::int8_t{-128}) > 0) {
      refuse(name, "with the value -128, and the range is [-127, 127]");
    }
    *scale = {name, dequantised(matrix)};
  }
}

}  // namespace

void save_safetensors(const fs::path& path, const NamedTensors& tensors, const Metadata& metadata,
                      const Narrow& narrow) {
  check(tensors, narrow);
  Rounded rounded;
  const std::vector<Piece> ordered = laid_out(tensors, narrow, rounded);
  SafetensorsHeader described{{}, metadata};
  std::uint64_t end = 0;
  for (const Piece& piece : ordered) {
    described.entries.push_back({piece.name, piece.as, piece.shape, end, end + piece.bytes.size()});
    end += piece.bytes.size();
  }
  const std::string header = write_safetensors_header(described);
  if (header.size() > longest_safetensors_header) {
    fail("save_safetensors", "names and metadata make a header of ", header.size(), " bytes, and at most ",
         longest_safetensors_header, " are allowed; shorten them, or write several files");
  }
  const std::uint64_t length = header.size();
  std::vector<std::string_view> pieces{as_text(std::as_bytes(std::span(&length, 1))), header};
  for (const Piece& piece : ordered) pieces.push_back(piece.bytes);
  files::write_atomically("save_safetensors", path, pieces);
}

Safetensors load_safetensors(const fs::path& path) {
  files::Input in("load_safetensors", path, ".safetensors file");
  const SafetensorsHeader header = parse_safetensors_header(header_of(in), path);
  check_bytes(path, header, in.left());
  Safetensors file{{}, header.metadata};
  std::map<std::string, Int8Matrix> int8;
  for (const auto& entry : header.entries) {
    if (entry.as == Stored::i8) {
      if (entry.shape.rank() != 2) {
        refuse_safetensors(path, "holds ", shown(entry.name), " as I8 ", entry.shape,
                           ", and only matrices are read as I8; save it as F32");
      }
      Int8Matrix& matrix = int8[entry.name];
      matrix = {entry.shape[0], entry.shape[1], std::vector<std::int8_t>(entry.end - entry.begin), {}};
      if (!matrix.values.empty()) in.read(matrix.values.data(), matrix.values.size());
      continue;
    }
    if (entry.as == Stored::bf16) {
      file.tensors.emplace_back(entry.name, read_bf16(in, entry.shape));
      file.narrow.bf16.insert(entry.name);
      continue;
    }
    const Dtype dtype = entry.as == Stored::f32   ? Dtype::f32
                        : entry.as == Stored::f64 ? Dtype::f64
                                                  : Dtype::i64;
    const Tensor tensor = empty(entry.shape, dtype);
    const std::span<std::byte> values = mutable_bytes_of(tensor, "load_safetensors");
    if (!values.empty()) in.read(values.data(), values.size());
    file.tensors.emplace_back(entry.name, tensor);
  }
  dequantise(path, header, int8, file.tensors);
  for (const auto& [name, matrix] : int8) {
    file.narrow.int8.insert(name);
    file.narrow.bf16.erase(name + scale_suffix);
  }
  return file;
}

void save(const Module& module, const fs::path& path, const Metadata& metadata) {
  save_safetensors(path, module.state_dict(), metadata);
}

Metadata load(Module& module, const fs::path& path) {
  const Safetensors file = load_safetensors(path);
  module.load_state_dict(file.tensors, std::string("'").append(path.string()).append("'"));
  return file.metadata;
}

}  // namespace gradus::nn
