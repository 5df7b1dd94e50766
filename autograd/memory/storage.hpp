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

/// A buffer shared by the tensors that view it. The memory comes from the pool, or is adopted; `owner` keeps
/// adopted memory alive.
struct Storage : Recycled<Storage> {
  explicit Storage(std::size_t bytes);
  Storage(std::shared_ptr<void> memory, std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::atomic<std::int64_t> references{0};
  pool::Buffer buffer;  // at least `bytes` long
  std::size_t bytes;
  std::shared_ptr<void> owner;                   // owner of adopted memory; null for pool memory
  std::atomic<std::uint32_t> version{0};         // incremented by every in-place change
  std::atomic<const char*> changed_by{nullptr};  // cause of the last in-place change
};

inline void retain(Storage* storage) { storage->references.fetch_add(1, std::memory_order_relaxed); }
inline void release(Storage* storage) {
  if (is_last(storage->references)) delete storage;
}

/// The object behind a Tensor: a view of a storage and, if the tensor needs a gradient, a node of the tape.
struct TensorImpl : Recycled<TensorImpl> {
  std::atomic<std::int64_t> references{0};
  IntrusivePtr<Storage> storage;
  std::int64_t offset = 0;  // in elements
  Shape shape;
  Dtype dtype = Dtype::f32;
  NodePtr node;                // null if the tensor needs no gradient
  NodePtr frozen;              // the node of a leaf that was switched off; null if it was not
  bool from_gradient = false;  // true for a gradient, and if computed from one

  void* data() const {
    return storage->buffer.data + static_cast<std::size_t>(offset) * bytes_per_element(dtype);
  }
};

/// A view of `tensor` that starts at element `offset`. The view is not on the tape.
Tensor view_of(const Tensor& tensor, std::int64_t offset, const Shape& shape);

/// A pointer to the values, for kernels. Does not check the dtype, and does not count as an in-place change.
template <class T>
T* raw(const Tensor& tensor) {
  return static_cast<T*>(tensor.impl().data());
}

/// target += x. Along an axis on which only x has size 1, x is broadcast. Along an axis on which only target
/// has size 1, x is summed. For gradients only, because this change is not counted as an in-place change.
void add_in_place(const Tensor& target, const Tensor& x);

/// True if anything besides this handle can use the values. Always true for adopted memory.
inline bool is_shared(const Tensor& tensor) {
  const TensorImpl& impl = tensor.impl();
  return impl.references > 1 || impl.storage->references > 1 || impl.storage->owner;
}

/// Counts an in-place change of the values. `by` names its cause.
inline void mark_changed(const Tensor& tensor, const char* by) {
  Storage& storage = *tensor.impl().storage;
  storage.version.fetch_add(1, std::memory_order_relaxed);
  storage.changed_by.store(by, std::memory_order_relaxed);
}

}  // namespace gradus
