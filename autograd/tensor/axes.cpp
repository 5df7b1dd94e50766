#include <gradus/autograd/axes.hpp>
#include <gradus/autograd/checks.hpp>

namespace gradus {

Axes::Axes(std::span<const int> axes) {
  if (axes.size() > Shape::max_rank)
    fail("Axes", axes.size(), " axes are too many: a tensor has at most ", Shape::max_rank);
  for (const int axis : axes) axes_[static_cast<std::size_t>(count_++)] = axis;
}

std::array<bool, Shape::max_rank> Axes::in(const char* operation, const Shape& shape) const {
  std::array<bool, Shape::max_rank> chosen{};
  if (count_ == 0) chosen.fill(true);
  for (int i = 0; i < count_; ++i) {
    const int axis = checked_axis(operation, shape, axes_[static_cast<std::size_t>(i)]);
    bool& mark = chosen[static_cast<std::size_t>(axis)];
    if (mark) fail(operation, "axis ", axis, " of ", shape, " is named twice");
    mark = true;
  }
  return chosen;
}

}  // namespace gradus
