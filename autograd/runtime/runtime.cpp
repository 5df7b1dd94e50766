
#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>

#include <map>
#include <mutex>
#include <utility>

#include "runtime_state.hpp"

namespace gradus {
namespace {

const ScopePath root{nullptr, {}};
constinit thread_local ThreadState state{.scope = &root};

const ScopePath* enter(const ScopePath* parent, std::string_view name) {
  // This map is never destroyed or shrunk, because nodes of tapes point to the paths. The map is small,
  // because it has one path per module or other scope.
  static auto& paths = *new std::map<std::pair<const ScopePath*, std::string>, ScopePath, std::less<>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto key = std::pair{parent, std::string(name)};
  return &paths.try_emplace(std::move(key), ScopePath{parent, std::string(name)}).first->second;
}

}  // namespace

std::atomic<std::int64_t> live_nodes{0};

ThreadState& thread_state() { return state; }

Recording::Recording(bool on) : was_on_(std::exchange(state.records, on)) {}
Recording::~Recording() { state.records = was_on_; }

bool is_recording() { return state.records; }

DetectAnomaly::DetectAnomaly() : was_on_(std::exchange(state.searches, true)) {}
DetectAnomaly::~DetectAnomaly() { state.searches = was_on_; }

bool detects_anomaly() { return state.searches; }

Composed::Composed() : was_fused_(std::exchange(state.fuses, false)) {}
Composed::~Composed() { state.fuses = was_fused_; }

std::string ScopePath::text() const {
  if (parent == nullptr) return {};
  const std::string before = parent->text();
  return before.empty() ? name : before + "." + name;
}

Scope::Scope(std::string_view name) : outer_(state.scope) {
  if (!name.empty()) state.scope = enter(state.scope, name);
}
Scope::Scope(std::string_view name, std::atomic<const ScopePath*>& last) : outer_(state.scope) {
  if (name.empty()) return;
  const ScopePath* path = last.load(std::memory_order_acquire);
  if (path == nullptr || path->parent != state.scope) {
    path = enter(state.scope, name);
    last.store(path, std::memory_order_release);
  }
  state.scope = path;
}
Scope::~Scope() { state.scope = outer_; }

const ScopePath* current_scope() { return state.scope; }

InScope::InScope(const ScopePath* path) : outer_(std::exchange(state.scope, path)) {}
InScope::~InScope() { state.scope = outer_; }

void fail(std::string_view operation, const std::string& message) {
  const std::string path = state.scope->text();
  throw Error(std::string(operation) + ": " + message + (path.empty() ? "" : " [in " + path + "]"));
}

}  // namespace gradus
