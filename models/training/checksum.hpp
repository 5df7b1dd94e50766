#pragma once

#include <gradus/nn/safetensors.hpp>

#include <string>

namespace gradus::models {

inline constexpr const char* checksum_key = "gradus.checksum";

// A checksum of the tensors' names, dtypes, shapes and values, independent of their order, and of the
// metadata except checksum_key.
//
// The checksum uses data::stable_hash (64-bit FNV-1a), in which a changed byte always changes the hash of its
// part. It detects accidental damage, not deliberate changes.
std::string checksum(const NamedTensors& tensors, const nn::Metadata& metadata);

}  // namespace gradus::models
