#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A hash that is the same on all machines, in all runs and in all versions of gradus. Data sets are split by
/// this hash.
///
/// 64-bit FNV-1a (Fowler, Noll and Vo; RFC 9923) over the bytes, followed by the finaliser of MurmurHash3
/// (Appleby). The finaliser mixes all bits, so that `hash % n` is well distributed. A token id is hashed as 8
/// little-endian bytes.
std::uint64_t stable_hash(std::span<const std::int64_t> ids);
std::uint64_t stable_hash(std::string_view bytes);

}  // namespace gradus::data
#pragma GCC visibility pop
