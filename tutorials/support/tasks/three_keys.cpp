#include "three_keys.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace tutorial {

ThreeKeysByHand by_hand(const ThreeKeys& in) {
  ThreeKeysByHand out{};
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 2; ++i) {
      out.a[j][i] = in.W_a[i] * in.q + in.U_a[i][0] * in.h[j][0] + in.U_a[i][1] * in.h[j][1];
      out.tanh_a[j][i] = std::tanh(out.a[j][i]);
      out.e[j] += in.v_a[i] * out.tanh_a[j][i];
    }
    out.exp_e[j] = std::exp(out.e[j]);
    out.sum_exp += out.exp_e[j];
  }
  for (std::size_t j = 0; j < 3; ++j) {
    out.alpha[j] = out.exp_e[j] / out.sum_exp;
    for (std::size_t i = 0; i < 2; ++i) out.c[i] += out.alpha[j] * in.h[j][i];
  }
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 2; ++i) out.gain[j] += (in.h[j][i] - out.c[i]) * in.c_bar[i];
    out.e_bar[j] = out.alpha[j] * out.gain[j];
  }
  return out;
}

std::vector<Table> tables(const ThreeKeys& in, const ThreeKeysByHand& out) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Table energies{.name = "three_energies",
                 .rows_are = "key",
                 .columns = {"a, first", "a, second", "tanh, first", "tanh, second", "e", "exp(e)", "α"}};
  Table context{.name = "three_context",
                .rows_are = "key",
                .columns = {"α", "h, first", "h, second", "α h, first", "α h, second"}};
  Table gradient{.name = "three_gradient",
                 .rows_are = "key",
                 .columns = {"h − c, first", "h − c, second", "(h − c) · ∂L/∂c", "α", "∂L/∂e"}};
  for (std::size_t j = 0; j < 3; ++j) {
    const std::string key = std::to_string(j + 1);
    const auto [a, tanh_a, h, c, alpha] = std::tie(out.a[j], out.tanh_a[j], in.h[j], out.c, out.alpha[j]);
    energies.rows.push_back({key, {a[0], a[1], tanh_a[0], tanh_a[1], out.e[j], out.exp_e[j], alpha}});
    context.rows.push_back({key, {alpha, h[0], h[1], alpha * h[0], alpha * h[1]}});
    gradient.rows.push_back({key, {h[0] - c[0], h[1] - c[1], out.gain[j], alpha, out.e_bar[j]}});
  }
  const double rounded =
      std::round(1e9 * (out.e_bar[0] + out.e_bar[1] + out.e_bar[2])) / 1e9 + 0.0;  // + 0.0 turns −0 into 0
  energies.rows.push_back({"sum", {none, none, none, none, none, out.sum_exp, 1}});
  context.rows.push_back({"sum", {1, none, none, out.c[0], out.c[1]}});
  gradient.rows.push_back({"sum", {none, none, none, 1, rounded}});
  return {energies, context, gradient};
}

}  // namespace tutorial
