#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <new>
#include <type_traits>

#include "kernels/dispatch.hpp"
#include "kernels/map.hpp"
#include "memory/storage.hpp"
#include "runtime/index_text.hpp"
#include "tape/node.hpp"

namespace gradus {

void retain(TensorImpl* impl) { impl->references.fetch_add(1, std::memory_order_relaxed); }
void release(TensorImpl* impl) {
  if (is_last(impl->references)) delete impl;
}

TensorImpl& Tensor::impl() const {
  if (!impl_) fail("tensor", "used before it was given a value");
  return *impl_;
}

namespace {

Tensor make(IntrusivePtr<Storage> storage, std::int64_t offset, const Shape& shape, Dtype dtype) {
  return Tensor(IntrusivePtr<TensorImpl>::first(
      new TensorImpl{{}, {}, std::move(storage), offset, shape, dtype, {}, {}, false}));
}

template <class T>
void check_type(const char* operation, const Tensor& tensor) {
  if (tensor.dtype() == dtype_of<T>) return;
  fail(operation, "the tensor ", tensor.shape(), " is ", name(tensor.dtype()), ", not ", name(dtype_of<T>),
       "; convert it with .to(Dtype::", name(dtype_of<T>), ")");
}

// Converts the values to type To. Conversion to an integer truncates.
template <class From, class To>
void convert(const char* operation, const Tensor& from, To* to) {
  const From *const begin = raw<From>(from), *const end = begin + from.numel();
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const From* const bad =
        std::find_if_not(begin, end, [](From x) { return x >= From(-0x1p63) && x < From(0x1p63); });
    if (bad != end) {
      fail(operation, "element ", index_text(from.shape().index_of(bad - begin)), " of ", from.shape(),
           " is ", *bad, ", outside the range of i64; replace it with where(), or keep ", name(from.dtype()));
    }
  }
  std::transform(begin, end, to, [](From x) { return static_cast<To>(x); });
}

}  // namespace

Tensor view_of(const Tensor& tensor, std::int64_t offset, const Shape& shape) {
  const TensorImpl& impl = tensor.impl();
  return make(impl.storage, impl.offset + offset, shape, impl.dtype);
}

const Shape& Tensor::shape() const { return impl().shape; }
Dtype Tensor::dtype() const { return impl().dtype; }

template <class T>
std::span<const T> Tensor::values() const {
  check_type<T>("values", *this);
  return {raw<T>(*this), static_cast<std::size_t>(numel())};
}

template <class T>
std::span<T> Tensor::mutable_values(const char* by) {
  check_type<T>("mutable_values", *this);
  mark_changed(*this, by);
  return {raw<T>(*this), static_cast<std::size_t>(numel())};
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  std::vector<T> result(static_cast<std::size_t>(numel()));
  for_any("to_vector", dtype(), [&]<class From>() { convert<From>("to_vector", *this, result.data()); });
  return result;
}

double Tensor::item() const {
  if (numel() != 1)
    fail("item", "the tensor has ", numel(), " elements, shape ", shape(), "; item() needs exactly one");
  return to_vector<double>()[0];
}

// Instantiations of non-member function templates need the attribute `visibility`, because GCC ignores the
// header's visibility pragma for them.
#define GRADUS_FOR_TYPE(T)                                                                         \
  template std::span<const T> Tensor::values() const;                                              \
  template std::span<T> Tensor::mutable_values(const char*);                                       \
  template std::vector<T> Tensor::to_vector() const;                                               \
  template __attribute__((visibility("default"))) Tensor tensor(std::span<const T>, const Shape&); \
  template __attribute__((visibility("default"))) Tensor adopt(std::shared_ptr<T>, const Shape&);
GRADUS_FOR_TYPE(float)
GRADUS_FOR_TYPE(double)
GRADUS_FOR_TYPE(std::int64_t)
#undef GRADUS_FOR_TYPE

bool Tensor::requires_grad() const { return static_cast<bool>(impl().node); }

Tensor& Tensor::set_requires_grad(bool on) {
  TensorImpl& self = impl();
  if (self.node && !self.node->leaf) {
    fail("set_requires_grad", "this ", shape(), " is the result of '", self.node->operation,
         "'; only a leaf can be switched; use detach()");
  }
  if (!is_floating(self.dtype) && on)
    fail("set_requires_grad", "an i64 tensor ", shape(), " has no gradient");
  if (on && !self.node) {
    self.node = self.frozen ? std::exchange(self.frozen, NodePtr()) : make_node(*this);
    self.node->gradient = Tensor();  // a backward() may have added to it while the leaf was frozen
    self.from_gradient = false;      // a leaf starts a new tape
  } else if (!on && self.node) {
    self.node->gradient = Tensor();
    self.frozen = std::exchange(self.node, NodePtr());
  }
  return *this;
}

Tensor Tensor::grad() const { return impl().node ? impl().node->gradient : Tensor(); }

void Tensor::set_grad(const Tensor& gradient) {
  if (!impl().node) {
    if (!gradient.defined()) return;
    fail("set_grad", "this tensor ", shape(), " needs no gradient; call set_requires_grad() first");
  }
  if (gradient.defined() && (gradient.shape() != shape() || gradient.dtype() != dtype())) {
    fail("set_grad", "the gradient is ", gradient.shape(), " ", name(gradient.dtype()),
         ", but the tensor is ", shape(), " ", name(dtype()), "; they must be the same");
  }
  // Stores a copy, because backward() adds to the stored gradient in place.
  impl().node->gradient = gradient.defined() ? gradient.clone() : Tensor();
}

void Tensor::retain_grad() {
  if (!impl().node)
    fail("retain_grad", "this tensor ", shape(), " was not recorded, so it will have no gradient");
  impl().node->keeps_gradient = true;
}

int Tensor::add_hook(std::function<Tensor(const Tensor& gradient)> hook) {
  if (!impl().node)
    fail("add_hook", "this tensor ", shape(), " was not recorded, so it will have no gradient");
  static std::atomic<int> hooks_made{0};
  const int number = hooks_made++;
  impl().node->hooks.emplace_back(number, std::move(hook));
  return number;
}

void Tensor::remove_hook(int number) {
  for (const NodePtr& node : {impl().node, impl().frozen}) {
    if (node) std::erase_if(node->hooks, [number](const auto& hook) { return hook.first == number; });
  }
}

void Tensor::replace(const Tensor& values) {
  TensorImpl& self = impl();
  if (self.node && !self.node->leaf) {
    fail("replace", "this ", shape(), " is the result of '", self.node->operation,
         "'; only a leaf can be replaced");
  }
  if (self.node && !is_floating(values.dtype())) {
    fail("replace", "this tensor ", shape(), " requires a gradient, which i64 values cannot have");
  }
  const TensorImpl& other = values.impl();
  self.storage = other.storage;
  self.offset = other.offset;
  self.shape = other.shape;
  self.dtype = other.dtype;
  // Makes a new node. Operations recorded on the old values keep the old node, with its shape and dtype.
  if (NodePtr& node = self.node ? self.node : self.frozen) {
    const NodePtr old = std::exchange(node, make_node(*this));
    node->hooks = old->hooks;
  }
}

Tensor Tensor::detach() const { return view_of(*this, 0, shape()); }

Tensor Tensor::clone() const {
  Tensor copy = empty(shape(), dtype());
  for_any("clone", dtype(), [&]<class T>() {
    for_each_range(numel(), 1,
                   [from = raw<T>(*this), to = raw<T>(copy)](std::int64_t begin, std::int64_t end) {
                     std::copy(from + begin, from + end, to + begin);
                   });
  });
  return copy;
}

Tensor Tensor::to(Dtype to) const {
  if (to == dtype()) return *this;
  Tensor result = empty(shape(), to);
  const auto fill = [](const Tensor& into, const Tensor& from) {
    for_any("to", from.dtype(), [&]<class From>() {
      for_any("to", into.dtype(), [&]<class To>() { convert<From>("to", from, raw<To>(into)); });
    });
  };
  fill(result, *this);
  if (!is_floating(to)) return result;
  return record("to", result, {*this}, {}, [fill, from = dtype()](Gradients& g) {
    Tensor gradient = empty(g.out().shape(), from);
    fill(gradient, g.out());
    g.add(0, std::move(gradient));
  });
}

void add_in_place(const Tensor& target, const Tensor& x) {
  for_floating("add_in_place", target.dtype(), [&]<class T>() {
    map_add(same, broadcast("add_in_place", target.shape(), x.shape()), view<T>(target), view<const T>(x));
  });
}

Tensor empty(const Shape& shape, Dtype dtype) {
  const std::size_t bytes = static_cast<std::size_t>(shape.numel()) * bytes_per_element(dtype);
  return make(IntrusivePtr<Storage>::first(new Storage(bytes)), 0, shape, dtype);
}

Tensor full(const Shape& shape, double value, Dtype dtype) {
  if (dtype == Dtype::i64 && !(value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value)))
    fail("full", value, " is not a 64-bit integer; choose f32 or f64");
  Tensor result = empty(shape, dtype);
  for_any("full", dtype, [&]<class T>() {
    for_each_range(result.numel(), 1,
                   [to = raw<T>(result), v = static_cast<T>(value)](std::int64_t begin, std::int64_t end) {
                     std::fill(to + begin, to + end, v);
                   });
  });
  return result;
}

Tensor zeros(const Shape& shape, Dtype dtype) { return full(shape, 0, dtype); }
Tensor ones(const Shape& shape, Dtype dtype) { return full(shape, 1, dtype); }

Tensor arange(std::int64_t n) {
  Tensor result = empty({n}, Dtype::i64);
  for (std::int64_t i = 0; i < n; ++i) raw<std::int64_t>(result)[i] = i;
  return result;
}

template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != shape.numel()) {
    fail("tensor", values.size(), " values cannot fill ", shape, ", which holds ", shape.numel());
  }
  Tensor result = empty(shape, dtype_of<T>);
  std::copy(values.begin(), values.end(), raw<T>(result));
  return result;
}

template <class T>
Tensor adopt(std::shared_ptr<T> values, const Shape& shape) {
  if (shape.numel() == 0) return empty(shape, dtype_of<T>);  // `values` may be null
  if (!values) fail("adopt", "the values are null, and ", shape, " needs ", shape.numel());
  const std::size_t bytes = static_cast<std::size_t>(shape.numel()) * sizeof(T);
  return make(IntrusivePtr<Storage>::first(new Storage(std::move(values), bytes)), 0, shape, dtype_of<T>);
}

}  // namespace gradus
