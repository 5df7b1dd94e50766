#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <vector>

#include "kernels/additive.hpp"
#include "kernels/dispatch.hpp"
#include "storage.hpp"

namespace gradus {

Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v, const Tensor& lengths) {
  if (query.rank() != 2 || keys.rank() != 3 || v.rank() != 1 || keys.size(1) != query.size(0) ||
      keys.size(2) != query.size(1) || v.size(0) != query.size(1)) {
    fail("additive_energy", "needs a query (B, A), keys (T, B, A) and v (A), and got ", query.shape(), ", ",
         keys.shape(), " and ", v.shape());
  }
  check_same_dtype("additive_energy", query, keys);
  check_same_dtype("additive_energy", query, v);
  const std::int64_t T_x = keys.size(0), B = query.size(0), A = query.size(1);
  check_lengths("additive_energy", lengths, B, T_x);
  Tensor e = empty({B, T_x}, query.dtype());
  for_floating("additive_energy", query.dtype(), [&]<class T>() {
    const T* weight = raw<T>(v);
    for (std::int64_t b = 0; b < B; ++b) {
      const T* q = raw<T>(query) + b * A;
      T* energy = raw<T>(e) + b * T_x;
      const std::int64_t length = length_of(lengths, b, T_x);
      kernels::additive_energies(length, A, q, raw<T>(keys) + b * A, B * A, weight, energy);
      std::fill(energy + length, energy + T_x, T(0));
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const T* weight = raw<T>(g.saved(2));
      // Gradients that nobody wants go to rows of their own.
      std::vector<T> unwanted(static_cast<std::size_t>(3 * A));
      const auto at = [&](int input, std::int64_t offset) {
        return g.wants(input) ? raw<T>(g.in(input)) + offset : unwanted.data() + input * A;
      };
      for (std::int64_t b = 0; b < B; ++b) {
        kernels::additive_energies_backward(
            length_of(g.saved(3), b, T_x), A, raw<T>(g.saved(0)) + b * A, raw<T>(g.saved(1)) + b * A, B * A,
            weight, raw<T>(g.out()) + b * T_x, at(0, b * A), at(1, b * A), g.wants(1) ? B * A : 0, at(2, 0));
      }
    });
  };
  return record("additive_energy", e, {query, keys, v}, {query, keys, v, lengths}, backward);
}

}  // namespace gradus
