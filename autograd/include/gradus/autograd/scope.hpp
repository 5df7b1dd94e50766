#pragma once

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <atomic>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
/// Module paths, and errors that contain the module path.
namespace gradus {

/// A module path: a node in the tree of scope names. The root has no name.
struct ScopePath {
  const ScopePath* parent;
  std::string name;
  /// "decoder.attention"; empty at the root.
  std::string text() const;
};

/// Appends `name` to this thread's module path, and restores the previous path when destroyed. Recorded
/// operations and errors contain the path. Modules use a Scope to append their names. An empty name adds
/// nothing.
class Scope {
 public:
  explicit Scope(std::string_view name);
  /// A faster constructor for a name that is entered often. `last`, initially null, caches the resulting
  /// path. Use a separate `last` for each name. Threads may share a `last`.
  Scope(std::string_view name, std::atomic<const ScopePath*>& last);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const ScopePath* outer_;
};

/// This thread's module path. Paths live as long as the program.
const ScopePath* current_scope();

/// Throws Error("<operation>: <message> [in <module path>]"), or without "[in …]" outside all modules. In the
/// second overload, the message is message(parts...).
[[noreturn]] void fail(std::string_view operation, const std::string& message);
template <class... Parts>
[[noreturn]] void fail(std::string_view operation, const Parts&... parts) {
  fail(operation, message(parts...));
}

}  // namespace gradus
#pragma GCC visibility pop
