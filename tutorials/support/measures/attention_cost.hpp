#pragma once

#include <cstdint>

#include "support/page/table.hpp"

namespace tutorial {

/// Table "cost": multiply-adds and tanh, in thousands, for the scores of T annotations of size D and a query
/// of size Q. The rows have the sizes of tutorial 09 (with this A), of tutorial 10, and of Bahdanau et al.
/// 2015. Additive attention computes U_a h_j once for all j. For each query it computes W_a q, T vectors of
/// tanh, and their products with v_a. The dot product computes q · h_j.
Table attention_cost(std::int64_t A);

}  // namespace tutorial
