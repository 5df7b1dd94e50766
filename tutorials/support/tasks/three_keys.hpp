#pragma once

#include <array>
#include <vector>

#include "support/page/table.hpp"

/// An example of additive attention with three keys, small enough to calculate on paper.
namespace tutorial {

using Pair = std::array<double, 2>;

/// Q = 1, D = 2, A = 2, T = 3.
struct ThreeKeys {
  double q = 1;                                         // (Q)
  Pair W_a = {1, -1};                                   // (A, Q)
  std::array<Pair, 2> U_a = {{{1, 0}, {1, 1}}};         // (A, D), row-major
  Pair v_a = {2, 1};                                    // (A)
  std::array<Pair, 3> h = {{{1, 0}, {0, 1}, {-1, 1}}};  // (T, D): h_1, h_2, h_3
  Pair c_bar = {1, -1};                                 // (D): dL/dc
};

/// All numbers from the energies to the context, and the energies' gradient, in plain arithmetic.
struct ThreeKeysByHand {
  std::array<Pair, 3> a, tanh_a;          ///< W_a q + U_a h_j, and its tanh
  std::array<double, 3> e, exp_e, alpha;  ///< energies, their exponentials, weights
  double sum_exp;                         ///< Σ_k exp(e_k)
  Pair c;                                 ///< the context
  std::array<double, 3> gain, e_bar;      ///< (h_j − c) · dL/dc, and dL/de_j
};
ThreeKeysByHand by_hand(const ThreeKeys& in);

/// Makes the tables "three_energies", "three_context" and "three_gradient".
std::vector<Table> tables(const ThreeKeys& in, const ThreeKeysByHand& out);

}  // namespace tutorial
