#include <gradus/files/atomic.hpp>
#include <gradus/files/input.hpp>
#include <gradus/nn/safetensors.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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

// Sorts the tensors in file order: widest dtype first, then by name.
NamedTensors laid_out(NamedTensors tensors) {
  std::ranges::sort(tensors, [](const auto& a, const auto& b) {
    return std::tuple(b.second.dtype(), a.first) < std::tuple(a.second.dtype(), b.first);
  });
  return tensors;
}

void check(const NamedTensors& tensors) {
  std::set<std::string_view> names{"__metadata__"};
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second) {
      fail("save_safetensors", "the name ", shown(name),
           " is taken; give each tensor a unique name other than '__metadata__'");
    }
    if (!tensor.defined()) fail("save_safetensors", shown(name), " is undefined; omit it or give it a value");
  }
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void save_safetensors(const fs::path& path, const NamedTensors& tensors, const Metadata& metadata) {
  check(tensors);
  const NamedTensors ordered = laid_out(tensors);
  const std::string header = write_safetensors_header(ordered, metadata);
  if (header.size() > longest_safetensors_header) {
    fail("save_safetensors", "names and metadata make a header of ", header.size(), " bytes, and at most ",
         longest_safetensors_header, " are allowed; shorten them, or write several files");
  }
  const std::uint64_t length = header.size();
  std::vector<std::string_view> pieces{as_text(std::as_bytes(std::span(&length, 1))), header};
  for (const auto& [name, tensor] : ordered) pieces.push_back(as_text(bytes_of(tensor)));
  files::write_atomically("save_safetensors", path, pieces);
}

Safetensors load_safetensors(const fs::path& path) {
  files::Input in("load_safetensors", path, ".safetensors file");
  const SafetensorsHeader header = parse_safetensors_header(header_of(in), path);
  const std::uint64_t bytes = header.entries.empty() ? 0 : header.entries.back().end;
  if (in.left() != bytes) {
    refuse_safetensors(path, "has ", in.left(), " bytes of values, but its header declares ", bytes,
                       "; it is damaged, so copy or save it again");
  }
  Safetensors file{{}, header.metadata};
  for (const auto& entry : header.entries) {
    const Tensor tensor = empty(entry.shape, entry.dtype);
    const std::span<std::byte> values = mutable_bytes_of(tensor, "load_safetensors");
    if (!values.empty()) in.read(values.data(), values.size());
    file.tensors.emplace_back(entry.name, tensor);
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
