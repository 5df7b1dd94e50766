#pragma once

#include <gradus/nn/safetensors.hpp>

#include <string>

namespace gradus::models {

inline constexpr const char* checksum_key = "gradus.checksum";

// A number computed from names, dtypes, shapes and values of the tensors, in any order, and from the metadata
// except checksum_key.
//
// It is made with data::stable_hash, 64-bit FNV-1a: a changed byte always changes its part's hash, and the
// library needs no other hash. It detects damage, not intent.
std::string checksum(const NamedTensors& tensors, const nn::Metadata& metadata);

}  // namespace gradus::models
