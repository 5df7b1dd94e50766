#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/runtime.hpp>

#include <map>
#include <mutex>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "pool.hpp"
#include "products/onednn.hpp"
#include "profile_state.hpp"
#include "runtime_state.hpp"

namespace gradus {
namespace {

const ScopePath root{nullptr, {}};
constinit thread_local ThreadState state{.scope = &root};

// While it lives, this thread is in that state.
class InState {
 public:
  explicit InState(const ThreadState& other) : own_(std::exchange(state, other)) {}
  ~InState() { state = own_; }
  InState(const InState&) = delete;
  InState& operator=(const InState&) = delete;

 private:
  const ThreadState own_;
};

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

ThreadState& thread_state() { return state; }

Recording::Recording(bool on) : was_on_(std::exchange(state.records, on)) {}
Recording::~Recording() { state.records = was_on_; }

bool is_recording() { return state.records; }

DetectAnomaly::DetectAnomaly() : was_on_(std::exchange(state.searches, true)) {}
DetectAnomaly::~DetectAnomaly() { state.searches = was_on_; }

bool detects_anomaly() { return state.searches; }

Composed::Composed() : was_fused_(std::exchange(state.fuses, false)) {}
Composed::~Composed() { state.fuses = was_fused_; }

bool uses_fused_operations() { return state.fuses; }

MixedPrecision::MixedPrecision(Precision precision) : before_(state.precision) {
  if (!supports(precision)) {
    fail("MixedPrecision",
         onednn::is_used() ? "this processor has no instructions for bf16"
                           : "gradus was built without oneDNN, which multiplies bf16",
         "; take bf16_emulated, which rounds alike and multiplies in f32, or f32");
  }
  state.precision = precision;
}
MixedPrecision::~MixedPrecision() { state.precision = before_; }

Precision precision() { return state.precision; }

bool supports(Precision precision) { return precision != Precision::bf16 || onednn::has_bf16(); }

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

void parallel_operations(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  if (profile != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  const bool side_by_side = team::available() > 1;
  parallel_tasks(count, [&, callers = state](std::int64_t i) {
    ThreadState own = callers;
    if (side_by_side) own.shelf = static_cast<std::size_t>(i) % pool::shelves;
    const InState guard(own);
    work(i);
  });
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

void release_pooled_memory() {
  pool::trim();
#if defined(__GLIBC__)
  malloc_trim(0);  // which keeps the nodes of freed tapes
#endif
}

}  // namespace gradus
