#pragma once

#include <cstdint>

#include "table.hpp"

namespace tutorial {

/// "cost": thousands of multiply-adds, and of tanh, for the scores of T annotations (D) and a query (Q),
/// counted from the sizes: tutorial 09's with this A, tutorial 10's and the paper's. Additive: U_a h_j for
/// all j once, then for each query W_a q, and a product of v_a with T vectors of tanh. Dot product: q · h_j.
Table attention_cost(std::int64_t A);

}  // namespace tutorial
