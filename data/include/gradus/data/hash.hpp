#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A hash that is the same in all runs, machines and versions, used to split data sets.
///
/// 64-bit FNV-1a (Fowler, Noll and Vo; RFC 9923) over the bytes, then the finaliser of MurmurHash3 (Appleby),
/// which mixes all bits, so that `hash % n` is well distributed. Token ids are hashed as 8 little-endian
/// bytes each.
std::uint64_t stable_hash(std::span<const std::int64_t> ids);
std::uint64_t stable_hash(std::string_view bytes);

}  // namespace gradus::data
#pragma GCC visibility pop
