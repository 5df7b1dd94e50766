#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A hash that never changes, between runs, machines or versions: data sets are split by it.
///
/// 64-bit FNV-1a (Fowler, Noll and Vo; RFC 9923) over the bytes, then the finaliser of MurmurHash3 (Appleby),
/// which spreads every bit over all of them, so that `hash % n` may be used. Of token ids it takes the eight
/// bytes of each, the lowest first.
std::uint64_t stable_hash(std::span<const std::int64_t> ids);
std::uint64_t stable_hash(std::string_view bytes);

}  // namespace gradus::data
#pragma GCC visibility pop
