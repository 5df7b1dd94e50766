#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#pragma GCC visibility push(default)
namespace gradus {

/// Drops one reference, and returns true if it was the last. Skips the atomic decrement if there is only one
/// reference.
inline bool is_last(std::atomic<std::int64_t>& references) {
  return references.load(std::memory_order_acquire) == 1 ||
         references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// A shared pointer to an object that holds its own reference count. The pointer takes one word, and the
/// object one allocation. For T, there must be free functions `retain(T*)` and `release(T*)`.
template <class T>
class IntrusivePtr {
 public:
  IntrusivePtr() = default;
  explicit IntrusivePtr(T* object) : object_(object) {
    if (object_) retain(object_);
  }
  IntrusivePtr(const IntrusivePtr& other) : IntrusivePtr(other.object_) {}
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  /// The first pointer to a new object. Sets the object's member `references` to 1.
  static IntrusivePtr first(T* object) {
    object->references.store(1, std::memory_order_relaxed);
    IntrusivePtr pointer;
    pointer.object_ = object;
    return pointer;
  }
  ~IntrusivePtr() {
    if (object_) release(object_);
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const IntrusivePtr& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace gradus
#pragma GCC visibility pop
