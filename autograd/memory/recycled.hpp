#pragma once

#include <cstddef>
#include <new>

#include "sanitizers.hpp"

namespace gradus {

/// A base class for a small class T. Use it if every operation creates objects of type T. Each thread keeps
/// the memory of up to 64 freed objects of type T and reuses it, which is cheaper than the system's
/// allocator. No class may derive from T, because all objects must have the same size.
template <class T>
class Recycled {
 public:
  static void* operator new(std::size_t bytes) {
    Kept& mine = kept;
    if (mine.first == nullptr) return ::operator new(bytes);
    --mine.count;
    Link* const link = mine.first;
    mine.first = link->next;
    return link;
  }

  static void operator delete(void* memory) noexcept {
    Kept& mine = kept;
    if (mine.count == most) return ::operator delete(memory);
    if (mine.count == 0 && !opened()) return ::operator delete(memory);
    ++mine.count;
    mine.first = ::new (memory) Link{mine.first};
  }

 private:
  static constexpr int most = sanitized ? 0 : 64;

  struct Link {
    Link* next;
  };
  // Kept has no destructor: it must stay valid while destructors of other thread-local objects free a T.
  struct Kept {
    Link* first = nullptr;
    int count = 0;
    bool closed = false;
  };
  static constinit inline thread_local Kept kept{};

  // Frees the kept memory when the thread ends. Objects deleted later are freed directly.
  struct Closer {
    ~Closer() {
      kept.closed = true;
      while (kept.first != nullptr) ::operator delete(Recycled::operator new(sizeof(T)));
    }
  };
  static bool opened() {
    if (!kept.closed) static thread_local Closer closer;
    return !kept.closed;
  }
};

}  // namespace gradus
