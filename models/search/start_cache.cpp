#include <gradus/models/start_cache.hpp>

#include <utility>

namespace gradus::models {
namespace {

std::int64_t bytes_of(const Tensor& x) {
  return x.defined() ? x.numel() * static_cast<std::int64_t>(bytes_per_element(x.dtype())) : 0;
}

std::int64_t bytes_of(const StartCache::Starts& starts) {
  std::int64_t bytes = 0;
  for (const auto& [state, memory] : starts) {
    for (const auto& [name, x] : state.tensors()) bytes += bytes_of(x);
    for (const Tensor& x : {memory.values, memory.keys, memory.lengths}) bytes += bytes_of(x);
  }
  return bytes;
}

}  // namespace

std::optional<StartCache::Starts> StartCache::find(std::span<const std::int64_t> source) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(Source(source.begin(), source.end()));
  if (found == entries_.end()) {
    ++use_.misses;
    return std::nullopt;
  }
  ++use_.hits;
  by_use_.splice(by_use_.begin(), by_use_, found->second.use);
  return found->second.starts;
}

void StartCache::insert(std::span<const std::int64_t> source, Starts starts) {
  const std::int64_t bytes = bytes_of(starts) + static_cast<std::int64_t>(source.size_bytes());
  if (bytes > most_bytes_) return;
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = entries_.try_emplace(Source(source.begin(), source.end()));
  if (!is_new) return;
  by_use_.push_front(&place->first);
  place->second = {std::move(starts), bytes, by_use_.begin()};
  use_.bytes += bytes;
  while (use_.bytes > most_bytes_) {
    const auto last = entries_.find(*by_use_.back());
    use_.bytes -= last->second.bytes;
    by_use_.pop_back();
    entries_.erase(last);
  }
}

StartCache::Use StartCache::use() const {
  const std::lock_guard lock(mutex_);
  return use_;
}

}  // namespace gradus::models
