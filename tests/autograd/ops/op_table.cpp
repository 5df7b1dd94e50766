// The table of operations. It has at least one row for each declaration in ops.hpp, fused.hpp and
// packing.hpp, and for each recorded member function of Tensor. The rows are in rows_*.cpp.

#include "rows.hpp"

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> rows;
    for (const auto& chapter : {elementwise, choosing, reductions, products, layout, indexing, normalising,
                                losses, fused, sequences}) {
      for (Operation& row : chapter()) rows.push_back(std::move(row));
    }
    return rows;
  }();
  return all;
}
