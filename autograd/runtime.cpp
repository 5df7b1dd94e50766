#include <gradus/autograd/runtime.hpp>

#include <map>
#include <mutex>
#include <utility>

#include "pool.hpp"
#include "runtime_state.hpp"

namespace gradus {
namespace {

thread_local bool recording = true;
thread_local bool searching = false;
thread_local bool fused = true;

const ScopePath root{nullptr, {}};
thread_local const ScopePath* scope = &root;

const ScopePath* enter(const ScopePath* parent, std::string_view name) {
  // Never destroyed and never shrinking: nodes point into it, and there are as many paths as modules.
  static auto& paths = *new std::map<std::pair<const ScopePath*, std::string>, ScopePath, std::less<>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto key = std::pair{parent, std::string(name)};
  return &paths.try_emplace(std::move(key), ScopePath{parent, std::string(name)}).first->second;
}

}  // namespace

std::atomic<std::int64_t> live_nodes{0};

Recording::Recording(bool on) : was_on_(std::exchange(recording, on)) {}
Recording::~Recording() { recording = was_on_; }

bool is_recording() { return recording; }

DetectAnomaly::DetectAnomaly() : was_on_(std::exchange(searching, true)) {}
DetectAnomaly::~DetectAnomaly() { searching = was_on_; }

bool detects_anomaly() { return searching; }

Composed::Composed() : was_fused_(std::exchange(fused, false)) {}
Composed::~Composed() { fused = was_fused_; }

bool uses_fused_operations() { return fused; }

std::string ScopePath::text() const {
  if (parent == nullptr) return {};
  const std::string before = parent->text();
  return before.empty() ? name : before + "." + name;
}

Scope::Scope(std::string_view name) : outer_(scope) {
  if (!name.empty()) scope = enter(scope, name);
}
Scope::Scope(std::string_view name, std::atomic<const ScopePath*>& last) : outer_(scope) {
  if (name.empty()) return;
  const ScopePath* path = last.load(std::memory_order_acquire);
  if (path == nullptr || path->parent != scope) {
    path = enter(scope, name);
    last.store(path, std::memory_order_release);
  }
  scope = path;
}
Scope::~Scope() { scope = outer_; }

const ScopePath* current_scope() { return scope; }

InScope::InScope(const ScopePath* path) : outer_(std::exchange(scope, path)) {}
InScope::~InScope() { scope = outer_; }

void fail(std::string_view operation, const std::string& message) {
  const std::string path = scope->text();
  throw Error(std::string(operation) + ": " + message + (path.empty() ? "" : " [in " + path + "]"));
}

MemoryStats memory_stats() {
  const pool::Stats pool = pool::stats();
  return {.live_bytes = pool.live_bytes,
          .peak_bytes = pool.peak_bytes,
          .pooled_bytes = pool.pooled_bytes,
          .live_buffers = pool.live_buffers,
          .buffers_allocated = pool.buffers_allocated,
          .live_nodes = live_nodes.load(std::memory_order_relaxed)};
}

void release_pooled_memory() { pool::trim(); }

}  // namespace gradus
