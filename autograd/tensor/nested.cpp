#include <gradus/autograd/nested.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tensor.hpp>

#include <array>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gradus {
namespace {

constexpr std::int64_t no_list = -1;

std::int64_t length(const NestedList& list) {
  return list.is_number() ? no_list : std::ssize(list.elements());
}

std::string kind(std::int64_t length) {
  return length == no_list ? "a number" : "a list of " + std::to_string(length);
}

// The lengths of the first list at every depth. All other lists at the same depth must have the same length.
Shape shape_of(const NestedList& list) {
  std::vector<std::int64_t> sizes;
  for (const NestedList* first = &list; !first->is_number(); first = first->elements().begin()) {
    sizes.push_back(length(*first));
    if (sizes.back() == 0) break;
  }
  return Shape(std::span<const std::int64_t>(sizes));
}

class Reader {
 public:
  Reader(const Shape& shape, Dtype dtype) : shape_(shape), integers_(dtype == Dtype::i64) {}

  std::vector<double> read(const NestedList& list) {
    add(list, 0);
    return std::move(values_);
  }

 private:
  void add(const NestedList& list, int depth) {
    check_like_first(list, depth);
    if (list.is_number()) {
      check_number(list.number());
      values_.push_back(list.number());
      return;
    }
    std::int64_t& i = path_[static_cast<std::size_t>(depth)];
    i = 0;
    for (const NestedList& element : list.elements()) {
      add(element, depth + 1);
      ++i;
    }
  }

  void check_like_first(const NestedList& list, int depth) const {
    const std::int64_t first = depth == shape_.rank() ? no_list : shape_[depth];
    if (length(list) == first) return;
    fail("tensor", place(path_, depth), " is ", kind(length(list)), ", but ", place({}, depth), " is ",
         kind(first), "; elements at one depth must match");
  }

  void check_number(double number) const {
    if (!integers_ || (std::abs(number) < 0x1p53 && number == std::trunc(number))) return;
    fail("tensor", number,
         " is not an integer below 2^53, as a list for an i64 tensor requires; "
         "choose f32 or f64, or pass a std::vector<std::int64_t>");
  }

  using Path = std::array<std::int64_t, Shape::max_rank>;

  static std::string place(const Path& path, int depth) {
    std::ostringstream text;
    for (int i = 0; i < depth; ++i) text << '[' << path[static_cast<std::size_t>(i)] << ']';
    return text.str();
  }

  Shape shape_;
  bool integers_;
  Path path_{};
  std::vector<double> values_;
};

}  // namespace

Tensor tensor(const NestedList& values, Dtype dtype) {
  const Shape shape = shape_of(values);
  return tensor(Reader(shape, dtype).read(values), shape).to(dtype);
}

}  // namespace gradus
