#pragma once

#include <gradus/nn/safetensors.hpp>

#include <string>

namespace gradus::models {

inline constexpr const char* checksum_key = "gradus.checksum";

// A checksum of the metadata except checksum_key, and of the tensors' names, dtypes, shapes and values. Does
// not depend on the order of the tensors.
//
// Combines 64-bit hashes of the metadata entries and of the tensors (data::stable_hash). A change of one byte
// always changes one of these hashes. Detects accidental damage, not deliberate changes.
std::string checksum(const NamedTensors& tensors, const nn::Metadata& metadata);

}  // namespace gradus::models
