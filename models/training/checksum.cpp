#include "training/checksum.hpp"

#include <gradus/data/hash.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace gradus::models {
namespace {

template <class T>
std::uint64_t hash_of(std::span<const T> values) {
  return data::stable_hash(
      std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

std::uint64_t hash_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case Dtype::f32:
      return hash_of(tensor.values<float>());
    case Dtype::f64:
      return hash_of(tensor.values<double>());
    default:
      return hash_of(tensor.values<std::int64_t>());
  }
}

}  // namespace

std::string checksum(const NamedTensors& tensors, const nn::Metadata& metadata) {
  std::vector<std::string> parts;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) continue;  // saving refuses it anyway
    parts.push_back(message("tensor ", name, ' ', gradus::name(tensor.dtype()), ' ', tensor.shape(), ' ',
                            hash_of(tensor), '\n'));
  }
  for (const auto& [key, value] : metadata) {
    if (key != checksum_key) parts.push_back(message("text ", key, ' ', data::stable_hash(value), '\n'));
  }
  std::ranges::sort(parts);
  std::string all;
  for (const std::string& part : parts) all += part;
  return std::to_string(data::stable_hash(all));
}

}  // namespace gradus::models
