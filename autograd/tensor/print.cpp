#include "print.hpp"

#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "kernels/dispatch.hpp"
#include "kernels/strided.hpp"
#include "memory/storage.hpp"
#include "tape/node.hpp"

namespace gradus {
namespace {

// How many elements of an axis are shown: all if there are at most `whole`, otherwise whole / 2 at each end.
std::int64_t shown(std::int64_t size, std::int64_t whole) { return size <= whole ? size : whole / 2 * 2; }

std::int64_t numbers_shown(const Shape& shape, std::int64_t whole) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= shown(size, whole);
  return product;
}

// The largest `whole` up to 7 for which at most `limit` numbers are shown. For `whole` = 2, at most
// 2^max_rank numbers are shown, so the loop ends.
std::int64_t longest_whole_axis(const Shape& shape) {
  constexpr std::int64_t limit = std::int64_t{1} << Shape::max_rank;
  std::int64_t whole = 7;
  while (numbers_shown(shape, whole) > limit) --whole;
  return whole;
}

void print_number(std::ostream& out, std::int64_t value) { out << value; }
void print_number(std::ostream& out, double value) {
  out << (std::isnan(value) ? std::abs(value) : value);  // drops the meaningless sign of a NaN
}

template <class T>
void print_axis(std::ostream& out, View<const T> x, int axis, std::int64_t whole) {
  if (axis == x.shape.rank()) return print_number(out, *x.data);
  const std::int64_t n = x.shape[axis], hidden = n - shown(n, whole);
  out << '[';
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0) out << ", ";
    if (hidden > 0 && i == whole / 2) {
      out << "…, ";
      i += hidden;
    }
    View<const T> element = x;
    element.data += i * x.stride(axis);
    print_axis(out, element, axis + 1, whole);
  }
  out << ']';
}

void print_origin(std::ostream& out, const Tensor& tensor) {
  const NodePtr& node = tensor.impl().node;
  if (!node) return;
  if (node->leaf) {
    out << " requires grad";
  } else {
    out << " from " << node->operation;
  }
}

}  // namespace

std::string values_text(const Tensor& tensor) {
  if (tensor.numel() == 0) return "[]";
  std::ostringstream text;  // a separate stream, so that the caller's format flags do not matter
  text.precision(4);
  const std::int64_t whole = longest_whole_axis(tensor.shape());
  for_any("print", tensor.dtype(), [&]<class T>() { print_axis(text, view<const T>(tensor), 0, whole); });
  return text.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined tensor";
  std::ostringstream text;  // a separate stream, so that the caller's format flags do not matter
  text << name(tensor.dtype()) << ' ' << tensor.shape() << ' ' << values_text(tensor);
  print_origin(text, tensor);
  return out << text.str();
}

}  // namespace gradus
