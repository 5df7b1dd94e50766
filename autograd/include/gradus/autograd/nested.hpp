#pragma once

#include <initializer_list>

#pragma GCC visibility push(default)
namespace gradus {

/// A number, or a list of NestedLists: the argument type for nested braces. Use a NestedList only as an
/// argument, because it points to temporaries of the calling expression.
class NestedList {
 public:
  NestedList(double number) : number_(number), is_number_(true) {}
  NestedList(std::initializer_list<NestedList> elements) : elements_(elements) {}

  bool is_number() const { return is_number_; }
  double number() const { return number_; }
  std::initializer_list<NestedList> elements() const { return elements_; }

 private:
  std::initializer_list<NestedList> elements_;
  double number_ = 0;
  bool is_number_ = false;
};

}  // namespace gradus
#pragma GCC visibility pop
