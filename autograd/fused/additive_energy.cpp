#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <vector>

#include "composed.hpp"
#include "kernels/additive.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {
namespace composed {
namespace {

Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v, const Tensor& lengths) {
  const Tensor real = zero_padding(keys, lengths);  // a NaN beyond the lengths must not reach a gradient
  return transpose(zero_padding(sum(v * tanh(real + query), 2), lengths), 0, 1);  // (B, T)
}

}  // namespace
}  // namespace composed

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
  if (!thread_state().fuses) return composed::additive_energy(query, keys, v, lengths);
  Tensor e = empty({B, T_x}, query.dtype());
  for_floating("additive_energy", query.dtype(), [&]<class T>() {
    const T *q = raw<T>(query), *k = raw<T>(keys), *weight = raw<T>(v);
    T* const energy = raw<T>(e);
    for_each_range(B, T_x * A, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        const std::int64_t length = length_of(lengths, b, T_x);
        T* const row = energy + b * T_x;
        kernels::additive_energies(length, A, q + b * A, k + b * A, B * A, weight, row);
        std::fill(row + length, row + T_x, T(0));
      }
    });
  });
  const auto backward = typed([=]<class T>(Gradients& g) {
    const T *q = raw<T>(g.saved(0)), *k = raw<T>(g.saved(1)), *weight = raw<T>(g.saved(2));
    const T* d = raw<T>(g.out());
    T* const at_q = g.wants(0) ? raw<T>(g.in(0)) : nullptr;
    T* const at_k = g.wants(1) ? raw<T>(g.in(1)) : nullptr;
    // Every row of the batch adds to v's gradient. Each range of rows has a buffer for the sum over its rows,
    // and these sums are added in a fixed order. A buffer also has two scratch rows, which receive the
    // gradients of q and k if these gradients are not wanted.
    const std::int64_t ranges = team::ranges(B, grain(T_x * A));
    std::vector<T> sums(static_cast<std::size_t>(ranges * 3 * A));
    parallel_tasks(ranges, [&](std::int64_t range) {
      T* const sum = sums.data() + range * 3 * A;
      for (std::int64_t b = B * range / ranges; b < B * (range + 1) / ranges; ++b) {
        kernels::additive_energies_backward(length_of(g.saved(3), b, T_x), A, q + b * A, k + b * A, B * A,
                                            weight, d + b * T_x, at_q ? at_q + b * A : sum + A,
                                            at_k ? at_k + b * A : sum + 2 * A, at_k ? B * A : 0, sum);
      }
    });
    for (std::int64_t range = 0; range < ranges && g.wants(2); ++range) {
      math::add(A, sums.data() + range * 3 * A, raw<T>(g.in(2)));
    }
  });
  return record("additive_energy", e, {query, keys, v}, {query, keys, v, lengths}, backward);
}

}  // namespace gradus
