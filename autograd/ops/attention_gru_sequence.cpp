#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/additive.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/gru.hpp"
#include "kernels/softmax.hpp"
#include "kernels/weighted.hpp"
#include "ops/recurrence.hpp"

// Bound by the four products of a step, and where A and T are large by the tanh of the energies.
namespace gradus {
namespace {

constexpr const char* operation = "attention_gru_sequence";

struct Sizes {
  std::int64_t N, B, T, E, H, A, D;
  std::int64_t result() const { return H + D + T; }  // of a row [s; c; α]
};

Sizes check(const Tensor& y, const Tensor& s_0, const Tensor& keys, const Tensor& values,
            const Tensor& lengths, const AttentionGRUWeights& w, const Packing& packing) {
  if (y.rank() != 2 || keys.rank() != 3 || values.rank() != 3 || w.weight_hh.rank() != 2) {
    fail(operation, "needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh (3H, H), and got ",
         y.shape(), ", ", keys.shape(), ", ", values.shape(), " and ", w.weight_hh.shape());
  }
  const Sizes sizes{packing.rows(),      packing.batch(), keys.size(0),  y.size(1),
                    w.weight_hh.size(1), keys.size(2),    values.size(2)};
  const auto [N, B, T, E, H, A, D] = sizes;
  const auto need = [&](const char* what, const Tensor& tensor, const Shape& shape) {
    if (tensor.shape() != shape) fail(operation, what, " is ", tensor.shape(), " and must be ", shape);
    check_same_dtype(operation, y, tensor);
  };
  need("the input", y, {N, E});
  need("s_0", s_0, {B, H});
  need("keys", keys, {T, B, A});
  need("values", values, {T, B, D});
  need("weight_ih", w.weight_ih, {3 * H, E + D});
  need("weight_hh", w.weight_hh, {3 * H, H});
  if (w.bias_ih.defined()) need("bias_ih", w.bias_ih, {3 * H});
  if (w.bias_hh.defined()) need("bias_hh", w.bias_hh, {3 * H});
  need("W_a", w.W_a, {A, H});
  need("v_a", w.v_a, {A});
  check_lengths(operation, lengths, B, T);
  return sizes;
}

// What the backward pass reads, in the order in which it is saved.
enum Saved {
  saved_y,
  saved_keys,
  saved_values,
  saved_lengths,
  saved_weight_ih,
  saved_weight_hh,
  saved_W_a,
  saved_v_a,
  saved_gates,
  saved_previous,
  saved_queries,
  saved_result
};
// The inputs, likewise.
enum Input {
  in_y,
  in_s_0,
  in_keys,
  in_values,
  in_weight_ih,
  in_bias_ih,
  in_weight_hh,
  in_bias_hh,
  in_W_a,
  in_v_a
};

// What the forward pass leaves of every packed row.
struct Rowwise {
  Tensor result;    // rows [s; c; α]
  Tensor gates;     // r, z, n and W_hn s + b_hn, (N, 4H); undefined without a tape, like the next two
  Tensor previous;  // s before, (N, H)
  Tensor queries;   // W_a s, (N, A)
};

template <class T>
void run_forward(const Tensor& y, const Tensor& s_0, const Tensor& keys, const Tensor& values,
                 const Tensor& lengths, const AttentionGRUWeights& w, const Packing& packing,
                 const Sizes& sizes, const Rowwise& rowwise) {
  // Not a structured binding: older compilers do not let lambdas see those.
  const std::int64_t N = sizes.N, B = sizes.B, T_x = sizes.T, E = sizes.E, H = sizes.H, A = sizes.A,
                     D = sizes.D, R = sizes.result();
  const Dtype dtype = y.dtype();
  const bool keeps = rowwise.gates.defined();
  // weight_ih is [W_y W_c], (3H, E + D).
  const StepMatrix<T> W_c(Layout::transposed, w.weight_ih, E, D, packing);
  const StepMatrix<T> W_hh(Layout::transposed, w.weight_hh, packing);
  const StepMatrix<T> W_a(Layout::transposed, w.W_a, packing);
  // W_y y + b_ih for all steps; W_c c is added step by step.
  const Tensor x_parts = empty({N, 3 * H}, dtype);
  multiply_by_weight<T>(N, {raw<T>(y), E}, w.weight_ih, 0, E, added_bias<T>(w.bias_ih),
                        {raw<T>(x_parts), 3 * H});

  const std::int64_t weight_bytes = (3 * H * (D + H) + A * H) * sizeof(T);
  for_each_share(packing, weight_bytes, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor state = empty({n, H}, dtype), h_part = empty({n, 3 * H}, dtype);
    const Tensor spare_gates = keeps ? Tensor() : empty({n, 4 * H}, dtype);
    const Tensor spare_queries = keeps ? Tensor() : empty({n, A}, dtype);
    T *const s = raw<T>(state), *const u = raw<T>(h_part);
    copy_to_ranks(packing, first, last, H, raw<T>(s_0), s);
    for (std::int64_t t = 0; t < packing.steps(); ++t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) break;
      if (keeps) std::copy_n(s, rows.size * H, raw<T>(rowwise.previous) + rows.offset * H);
      T* const q = keeps ? raw<T>(rowwise.queries) + rows.offset * A : raw<T>(spare_queries);
      T* const gates = keeps ? raw<T>(rowwise.gates) + rows.offset * 4 * H : raw<T>(spare_gates);
      T* const out = raw<T>(rowwise.result) + rows.offset * R;
      T* const x = raw<T>(x_parts) + rows.offset * 3 * H;
      W_a.multiply(rows.size, {s, H}, {}, {q, A});
      parallel_for(rows.size, grain(T_x * (A + D)), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t b = packing.sequence(first + r), length = length_of(lengths, b, T_x);
          T *const c = out + r * R + H, *const alpha = c + D;
          kernels::additive_energies(length, A, q + r * A, raw<T>(keys) + b * A, B * A, raw<T>(w.v_a), alpha);
          kernels::softmax_row(length, alpha, alpha);
          std::fill(alpha + length, alpha + T_x, T(0));
          std::fill_n(c, D, T(0));
          kernels::weighted_sum_row(length, D, alpha, raw<T>(values) + b * D, B * D, c);
        }
      });
      W_c.add(rows.size, {out + H, R}, {x, 3 * H});
      W_hh.multiply(rows.size, {s, H}, added_bias<T>(w.bias_hh), {u, 3 * H});
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          T* const after = out + r * R;
          kernels::gru_row_keeping(H, x + r * 3 * H, u + r * 3 * H, s + r * H, after, gates + r * 4 * H);
          std::copy_n(after, H, s + r * H);
        }
      });
    }
  });
}

// The gradients at the arguments of the gates, `at_x` (N, 3H) of r, z and n, and `at_u` (N, 3H), where the
// last is that of n times r; at the queries, (N, A); at s_0; and of each sequence at v_a, (B, A). Those at
// the keys and the values are added to, where they are wanted.
template <class T>
struct Wanted {
  Tensor at_x, at_u, at_queries, at_s_0, at_v;
  T *at_keys, *at_values;
};

template <class T>
void run_backward(Gradients& g, const Packing& packing, const Sizes& sizes, const Wanted<T>& wanted) {
  const std::int64_t B = sizes.B, T_x = sizes.T, E = sizes.E, H = sizes.H, A = sizes.A, D = sizes.D,
                     R = sizes.result();
  const Tensor &keys = g.saved(saved_keys), &values = g.saved(saved_values);
  const Tensor &lengths = g.saved(saved_lengths), &result = g.saved(saved_result);
  const Tensor &v_a = g.saved(saved_v_a), &gates = g.saved(saved_gates);
  const Tensor &previous = g.saved(saved_previous), &queries = g.saved(saved_queries), &d_result = g.out();
  const Dtype dtype = keys.dtype();
  const StepMatrix<T> W_c(Layout::plain, g.saved(saved_weight_ih), E, D, packing);
  const StepMatrix<T> W_hh(Layout::plain, g.saved(saved_weight_hh), packing);
  const StepMatrix<T> W_a(Layout::plain, g.saved(saved_W_a), packing);
  const Tensor unwanted =
      wanted.at_keys ? Tensor() : zeros({B, A}, dtype);  // the keys' gradient is added there
  const std::int64_t weight_bytes = (3 * H * (D + H) + A * H) * sizeof(T);
  for_each_share(packing, weight_bytes, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor at_state = zeros({n, H}, dtype);  // of each rank, from later steps
    const Tensor at_s = empty({n, H}, dtype);      // with what comes from outside
    const Tensor at_c = empty({n, D}, dtype), at_energies = empty({n, T_x}, dtype);
    T *const ds = raw<T>(at_state), *const d = raw<T>(at_s), *const dc = raw<T>(at_c);
    for (std::int64_t t = packing.steps() - 1; t >= 0; --t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) continue;
      T* const dx = raw<T>(wanted.at_x) + rows.offset * 3 * H;
      T* const du = raw<T>(wanted.at_u) + rows.offset * 3 * H;
      T* const dq = raw<T>(wanted.at_queries) + rows.offset * A;
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t row = rows.offset + r;
          const T* const outside = raw<T>(d_result) + row * R;
          std::copy_n(outside, H, d + r * H);
          math::add(H, ds + r * H, d + r * H);
          std::copy_n(outside + H, D, dc + r * D);
          kernels::gru_backward_row(H, raw<T>(gates) + row * 4 * H, raw<T>(previous) + row * H, d + r * H,
                                    dx + r * 3 * H, du + r * 3 * H, ds + r * H);
        }
      });
      W_c.add(rows.size, {dx, 3 * H}, {dc, D});
      parallel_for(rows.size, grain(T_x * (A + D)), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t b = packing.sequence(first + r), length = length_of(lengths, b, T_x);
          const std::int64_t at_alpha = (rows.offset + r) * R + H + D;
          const T* const alpha = raw<T>(result) + at_alpha;
          T* const de = raw<T>(at_energies) + r * T_x;
          std::copy_n(raw<T>(d_result) + at_alpha, length, de);
          kernels::weighted_sum_to_weights(length, D, raw<T>(values) + b * D, B * D, dc + r * D, de);
          if (wanted.at_values) {
            kernels::weighted_sum_to_values(length, D, alpha, dc + r * D, wanted.at_values + b * D, B * D);
          }
          kernels::softmax_backward_row(length, alpha, de, de);
          std::fill_n(dq + r * A, A, T(0));
          kernels::additive_energies_backward(
              length, A, raw<T>(queries) + (rows.offset + r) * A, raw<T>(keys) + b * A, B * A, raw<T>(v_a),
              de, dq + r * A, wanted.at_keys ? wanted.at_keys + b * A : raw<T>(unwanted) + b * A,
              wanted.at_keys ? B * A : 0, raw<T>(wanted.at_v) + b * A);
        }
      });
      W_hh.add(rows.size, {du, 3 * H}, {ds, H});
      W_a.add(rows.size, {dq, A}, {ds, H});
    }
    copy_from_ranks(packing, first, last, H, ds, raw<T>(wanted.at_s_0));
  });
}

// The gradients of the weights, each one product for all steps, and of the inputs.
template <class T>
void finish_backward(Gradients& g, const Sizes& sizes, const Wanted<T>& wanted) {
  const std::int64_t N = sizes.N, B = sizes.B, E = sizes.E, H = sizes.H, A = sizes.A, D = sizes.D;
  const Rows<const T> dx{raw<T>(wanted.at_x), 3 * H}, du{raw<T>(wanted.at_u), 3 * H};
  const Rows<const T> dq{raw<T>(wanted.at_queries), A}, previous{raw<T>(g.saved(saved_previous)), H};
  const auto transposed_product = [N](std::int64_t outputs, std::int64_t inputs, Rows<const T> at_outputs,
                                      Rows<const T> x, int beta, Rows<T> into) {
    gemm<T>(Layout::transposed, Layout::plain, outputs, inputs, N, at_outputs, x, T(beta), into);
  };
  if (g.wants(in_weight_ih)) {
    g.accumulate(in_weight_ih, [&](const Tensor& at_W, int beta) {
      const Rows<const T> y{raw<T>(g.saved(saved_y)), E},
          c{raw<T>(g.saved(saved_result)) + H, sizes.result()};
      transposed_product(3 * H, E, dx, y, beta, {raw<T>(at_W), E + D});
      transposed_product(3 * H, D, dx, c, beta, {raw<T>(at_W) + E, E + D});
    });
  }
  if (g.wants(in_weight_hh)) {
    g.accumulate(in_weight_hh, [&](const Tensor& at_W, int beta) {
      transposed_product(3 * H, H, du, previous, beta, {raw<T>(at_W), H});
    });
  }
  if (g.wants(in_W_a)) {
    g.accumulate(in_W_a, [&](const Tensor& at_W, int beta) {
      transposed_product(A, H, dq, previous, beta, {raw<T>(at_W), H});
    });
  }
  if (g.wants(in_bias_ih)) sum_rows<T>(N, 3 * H, dx, raw<T>(g.in(in_bias_ih)));
  if (g.wants(in_bias_hh)) sum_rows<T>(N, 3 * H, du, raw<T>(g.in(in_bias_hh)));
  if (g.wants(in_v_a)) sum_rows<T>(B, A, {raw<T>(wanted.at_v), A}, raw<T>(g.in(in_v_a)));
  if (g.wants(in_y)) {
    g.accumulate(in_y, [&](const Tensor& at_y, int beta) {
      gemm<T>(Layout::plain, Layout::plain, N, E, 3 * H, dx, {raw<T>(g.saved(saved_weight_ih)), E + D},
              T(beta), {raw<T>(at_y), E});
    });
  }
  if (g.wants(in_s_0)) g.add(in_s_0, wanted.at_s_0);
}

}  // namespace

Tensor attention_gru_sequence(const Tensor& y, const Tensor& s_0, const Tensor& keys, const Tensor& values,
                              const Tensor& lengths, const AttentionGRUWeights& w, const Packing& packing) {
  const Sizes sizes = check(y, s_0, keys, values, lengths, w, packing);
  const auto [N, B, T_x, E, H, A, D] = sizes;
  const Dtype dtype = y.dtype();
  Rowwise rowwise{empty({N, sizes.result()}, dtype), {}, {}, {}};
  const std::array inputs{y, s_0, keys, values, w.weight_ih, w.bias_ih, w.weight_hh, w.bias_hh, w.W_a, w.v_a};
  if (keeps_tape(inputs)) {
    rowwise.gates = empty({N, 4 * H}, dtype);
    rowwise.previous = empty({N, H}, dtype);
    rowwise.queries = empty({N, A}, dtype);
  }
  for_floating(operation, dtype,
               [&]<class T>() { run_forward<T>(y, s_0, keys, values, lengths, w, packing, sizes, rowwise); });
  const auto backward = [packing, sizes](Gradients& g) {
    const auto make = [&](std::int64_t rows, std::int64_t width) {
      return empty({rows, width}, g.out().dtype());
    };
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const Wanted<T> wanted{.at_x = make(sizes.N, 3 * sizes.H),
                             .at_u = make(sizes.N, 3 * sizes.H),
                             .at_queries = make(sizes.N, sizes.A),
                             .at_s_0 = make(sizes.B, sizes.H),
                             .at_v = zeros({sizes.B, sizes.A}, g.out().dtype()),
                             .at_keys = g.wants(in_keys) ? raw<T>(g.in(in_keys)) : nullptr,
                             .at_values = g.wants(in_values) ? raw<T>(g.in(in_values)) : nullptr};
      run_backward(g, packing, sizes, wanted);
      finish_backward(g, sizes, wanted);
    });
  };
  return record(operation, rowwise.result, inputs,
                {y, keys, values, lengths, w.weight_ih, w.weight_hh, w.W_a, w.v_a, rowwise.gates,
                 rowwise.previous, rowwise.queries, rowwise.result},
                backward);
}

}  // namespace gradus
