#include <gradus/data/hash.hpp>

namespace gradus::data {
namespace {

// The 64-bit FNV-1a hash.
class Fnv1a {
 public:
  void add(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

std::uint64_t finalise(std::uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

std::uint64_t stable_hash(std::span<const std::int64_t> ids) {
  Fnv1a fnv1a;
  for (const std::int64_t id : ids) {
    for (int bit = 0; bit < 64; bit += 8) {
      fnv1a.add(static_cast<std::uint8_t>(static_cast<std::uint64_t>(id) >> bit));
    }
  }
  return finalise(fnv1a.hash());
}

std::uint64_t stable_hash(std::string_view bytes) {
  Fnv1a fnv1a;
  for (const char byte : bytes) fnv1a.add(static_cast<std::uint8_t>(byte));
  return finalise(fnv1a.hash());
}

}  // namespace gradus::data
