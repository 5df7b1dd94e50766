#pragma once

#include <cstdint>
#include <span>

namespace gradus::data {

/// A hash of token ids that never changes, between runs, machines or versions: data sets are split by it.
///
/// 64-bit FNV-1a (Fowler, Noll and Vo; RFC 9923) over the eight bytes of each id, the lowest first, then the
/// finaliser of MurmurHash3 (Appleby), which spreads every bit over all of them, so that `hash % n` may be
/// used.
std::uint64_t stable_hash(std::span<const std::int64_t> ids);

}  // namespace gradus::data
