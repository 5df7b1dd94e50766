#include "print.hpp"

#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "kernels/dispatch.hpp"
#include "kernels/strided.hpp"

namespace gradus {
namespace {

constexpr std::int64_t shown_at_each_end = 3;

template <class T>
void print_axis(std::ostream& out, View<const T> x, int axis) {
  if (axis == x.shape.rank()) {
    out << *x.data;
    return;
  }
  const std::int64_t n = x.shape[axis];
  out << '[';
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0) out << ", ";
    if (n > 2 * shown_at_each_end + 1 && i == shown_at_each_end) {
      out << "…, ";
      i = n - shown_at_each_end;
    }
    View<const T> element = x;
    element.data += i * x.stride(axis);
    print_axis(out, element, axis + 1);
  }
  out << ']';
}

}  // namespace

std::string values_text(const Tensor& tensor) {
  if (tensor.numel() == 0) return "[]";
  std::ostringstream text;  // keeps the caller's format flags out, and theirs untouched
  text.precision(4);
  for_any("print", tensor.dtype(), [&]<class T>() { print_axis(text, view<const T>(tensor), 0); });
  return text.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined tensor";
  return out << name(tensor.dtype()) << ' ' << tensor.shape() << ' ' << values_text(tensor);
}

}  // namespace gradus
