#pragma once

#include <gradus/autograd/tensor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "pool.hpp"
#include "recycled.hpp"

namespace gradus {

struct Node;  // of the tape (tape/node.hpp)
void retain(Node* node);
void release(Node* node);
using NodePtr = IntrusivePtr<Node>;

/// A buffer, shared by the tensors that view it: from the pool, or memory of others that it keeps alive.
struct Storage : Recycled<Storage> {
  explicit Storage(std::size_t bytes);
  Storage(std::shared_ptr<void> memory, std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::atomic<std::int64_t> references{0};
  pool::Buffer buffer;  // as large as it was asked for, or larger
  std::size_t bytes;
  std::shared_ptr<void> owner;                   // of memory of others; null for the pool's
  std::atomic<std::uint32_t> version{0};         // grows with every change in place, by any thread
  std::atomic<const char*> changed_by{nullptr};  // the last such change
};

inline void retain(Storage* storage) { storage->references.fetch_add(1, std::memory_order_relaxed); }
inline void release(Storage* storage) {
  if (is_last(storage->references)) delete storage;
}

/// What a Tensor points to: a view of a storage, and a node of the tape when it takes part.
struct TensorImpl : Recycled<TensorImpl> {
  std::atomic<std::int64_t> references{0};
  IntrusivePtr<Storage> storage;
  std::int64_t offset = 0;  // in elements
  Shape shape;
  Dtype dtype = Dtype::f32;
  NodePtr node;                // null: needs no gradient
  bool from_gradient = false;  // computed from what backward() or grad() gave

  void* data() const {
    return storage->buffer.data + static_cast<std::size_t>(offset) * bytes_per_element(dtype);
  }
};

/// A tensor off the tape that shares `tensor`'s values from element `offset` on.
Tensor view_of(const Tensor& tensor, std::int64_t offset, const Shape& shape);

/// The values, for the engine's own kernels: the dtype is known, and a result is not "changed" by being made.
template <class T>
T* raw(const Tensor& tensor) {
  return static_cast<T*>(tensor.impl().data());
}

/// target += x, stretched to its shape or summed to it; no change of version, for gradients only.
void add_in_place(const Tensor& target, const Tensor& x);

/// Whether anything but this handle may see the values. Memory of others counts as seen by them.
inline bool is_shared(const Tensor& tensor) {
  const TensorImpl& impl = tensor.impl();
  return impl.references > 1 || impl.storage->references > 1 || impl.storage->owner;
}

/// Counts a change in place of the values; `by` says whose.
inline void mark_changed(const Tensor& tensor, const char* by) {
  Storage& storage = *tensor.impl().storage;
  storage.version.fetch_add(1, std::memory_order_relaxed);
  storage.changed_by.store(by, std::memory_order_relaxed);
}

}  // namespace gradus
