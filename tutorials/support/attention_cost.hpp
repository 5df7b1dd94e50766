#pragma once

#include <cstdint>

#include "table.hpp"

namespace tutorial {

/// Table "cost": multiply-adds and tanh, in thousands, for the scores of T annotations of size D and a query
/// of size Q. The sizes are those of tutorial 09 (with this A), tutorial 10 and the paper. Additive: U_a h_j
/// for all j once, then per query W_a q and v_a times T vectors of tanh. Dot product: q · h_j.
Table attention_cost(std::int64_t A);

}  // namespace tutorial
