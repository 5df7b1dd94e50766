#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// Gradients for one query and key from de = d(loss)/d(e): at the tanh's argument, and at v. They go to
// buffers that overlap nothing, without which the loop would not vectorise. The tanh, B·T·A values in all, is
// computed again: that is cheaper than keeping it.
template <class T>
void backward_row(std::int64_t A, const T* q, const T* k, const T* v, T de, T* __restrict at_sum,
                  T* __restrict at_v) {
  for (std::int64_t a = 0; a < A; ++a) {
    const T y = math::tanh(q[a] + k[a]);
    at_sum[a] = de * v[a] * (T(1) - y * y);
    at_v[a] = de * y;
  }
}

}  // namespace

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
      for (std::int64_t t = 0; t < length; ++t) {
        const T* k = raw<T>(keys) + (t * B + b) * A;
        energy[t] = math::sum_of<T>(A, [=](std::int64_t a) { return weight[a] * math::tanh(q[a] + k[a]); });
      }
      std::fill(energy + length, energy + T_x, T(0));
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const T* weight = raw<T>(g.saved(2));
      std::vector<T> row(static_cast<std::size_t>(2 * A));
      T* const at_sum = row.data();
      T* const at_v = at_sum + A;
      for (std::int64_t b = 0; b < B; ++b) {
        const T* q = raw<T>(g.saved(0)) + b * A;
        const std::int64_t length = length_of(g.saved(3), b, T_x);
        for (std::int64_t t = 0; t < length; ++t) {
          const T* k = raw<T>(g.saved(1)) + (t * B + b) * A;
          const T de = raw<T>(g.out())[b * T_x + t];
          backward_row(A, q, k, weight, de, at_sum, at_v);
          if (g.wants(0)) math::add(A, at_sum, raw<T>(g.in(0)) + b * A);
          if (g.wants(1)) math::add(A, at_sum, raw<T>(g.in(1)) + (t * B + b) * A);
          if (g.wants(2)) math::add(A, at_v, raw<T>(g.in(2)));
        }
      }
    });
  };
  return record("additive_energy", e, {query, keys, v}, {query, keys, v, lengths}, backward);
}

}  // namespace gradus
