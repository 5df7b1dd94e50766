#include <gradus/data/hash.hpp>

namespace gradus::data {
namespace {

std::uint64_t fnv1a(std::span<const std::int64_t> ids) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int64_t id : ids) {
    for (int bit = 0; bit < 64; bit += 8) {
      hash ^= (static_cast<std::uint64_t>(id) >> bit) & 0xff;
      hash *= 0x100000001b3;
    }
  }
  return hash;
}

std::uint64_t finalise(std::uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

std::uint64_t stable_hash(std::span<const std::int64_t> ids) { return finalise(fnv1a(ids)); }

}  // namespace gradus::data
