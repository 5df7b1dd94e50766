#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace gradus::tools {

/// The elements shard, shard + shards, shard + 2 shards, … of `all`. The shards do not depend on the number
/// of processes.
template <class T>
std::vector<T> elements_of(std::span<const T> all, std::int64_t shard, std::int64_t shards) {
  std::vector<T> some;
  for (std::int64_t i = shard; i < std::ssize(all); i += shards)
    some.push_back(all[static_cast<std::size_t>(i)]);
  return some;
}

}  // namespace gradus::tools
