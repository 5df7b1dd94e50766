#pragma once

#include <gradus/nn/safetensors.hpp>

#include <string>

namespace gradus::models {

inline constexpr const char* checksum_key = "gradus.checksum";

// A checksum of the metadata except checksum_key, and of the tensors' names, dtypes, shapes and values in any
// order.
//
// Uses data::stable_hash (64-bit FNV-1a), in which any changed byte changes the hash of its part. Detects
// accidental damage, not deliberate changes.
std::string checksum(const NamedTensors& tensors, const nn::Metadata& metadata);

}  // namespace gradus::models
