#include "attention_sequence.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>

#include <optional>
#include <string>
#include <utility>

#include "composed.hpp"
#include "kernels/additive.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/softmax.hpp"
#include "kernels/weighted.hpp"
#include "runtime/runtime_state.hpp"

// attention_sequence(): its composed twin (the same equations, written with simple operations), the checks of
// the arguments, the loops over the steps (forward and backward), and the gradients of the weights.
namespace gradus {
namespace composed {
namespace {

Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& first, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& decoder,
                          const Packing& packing) {
  // The scopes have the names of the modules in nn and models. A picture of the tape then has the same boxes
  // as for a decoder that calls these modules.
  const std::size_t L = decoder.layers.size();
  const AttentionScore& score = decoder.score;
  const auto query_of = [&](const Tensor& s) {
    const Scope scope("W_a");
    return score.W_a.defined() ? linear(s, score.W_a) : s;
  };
  const auto energies = [&](const Tensor& s) {
    const Tensor query = query_of(s);
    if (score.v_a.defined()) return gradus::additive_energy(query, keys, score.v_a, lengths);
    return transpose(sum(zero_padding(keys, lengths) * query, 2), 0, 1) * score.scale;  // (B, T)
  };
  std::vector<std::vector<Tensor>> states(L);  // {h} or {h, c} of each layer
  for (std::size_t i = 0; i < first.size(); ++i) states[i % L].push_back(first[i]);
  const auto update = [&](std::size_t layer, const Tensor& x) {
    const Scope scope("rnn");
    const auto& [W_ih, W_hh, b_ih, b_hh] = decoder.layers[layer];
    states[layer] = step(decoder.cell, linear(x, W_ih, b_ih), states[layer], W_hh, b_hh);
  };
  const auto h_of = [&](std::size_t layer) { return states[layer][0]; };

  std::vector<Tensor> rows;
  const Tensor steps = unpack(y, packing);  // (T_y, B, E)
  for (std::int64_t t = 0; t < packing.steps(); ++t) {
    std::optional<Generator> draws;
    if (decoder.draws) draws = decoder.draws->stream(static_cast<std::uint64_t>(t));
    const auto dropped = [&](const Tensor& x, double probability) {
      return draws && probability > 0 ? dropout(x, probability, *draws) : x;
    };
    const Tensor before = h_of(L - 1);
    const auto [context, alpha] = [&] {
      const Scope scope("attention");
      const Tensor weights = masked_softmax(energies(before), lengths);  // (B, T)
      return std::pair{gradus::weighted_sum(dropped(weights, score.dropout), values, lengths), weights};
    }();
    update(0, concat({steps[t], context}, 1));
    for (std::size_t layer = 1; layer < L; ++layer) update(layer, dropped(h_of(layer - 1), decoder.dropout));
    rows.push_back(concat({decoder.earlier ? before : h_of(L - 1), context, alpha}, 1));
  }
  if (rows.empty()) return zeros({0, h_of(0).size(1) + values.size(2) + values.size(0)}, y.dtype());
  return pack(stack(rows), packing);
}

}  // namespace
}  // namespace composed

namespace attention {
namespace {

constexpr const char* operation = "attention_sequence";

void check_dropout(const Dropout& dropout, std::int64_t B) {
  for (const double probability : {dropout.of_weights, dropout.between}) {
    if (!(probability >= 0 && probability < 1))
      fail(operation, "a dropout probability must be in [0, 1), and is ", probability);
  }
  const BatchPart* part = dropout.steps.part();
  if (part != nullptr && std::ssize(part->sequences) != B) {
    fail(operation, "the generator is for ", std::ssize(part->sequences),
         " sequences of a batch, and there are ", B);
  }
}

Form check(std::span<const Tensor> in, const Tensor& lengths, const AttentionDecoder& w, std::size_t states,
           const Packing& packing) {
  const Tensor &y = in[in_y], &keys = in[in_keys], &values = in[in_values];
  const bool is_lstm = w.cell == GatedCell::lstm;
  const auto layers = static_cast<int>(w.layers.size());
  if (layers == 0) fail(operation, "needs at least 1 layer, and got 0");
  const Tensor& W_hh = w.layers[0].weight_hh;
  if (y.rank() != 2 || keys.rank() != 3 || values.rank() != 3 || W_hh.rank() != 2) {
    fail(operation, "needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh (G·H, H), and got ",
         y.shape(), ", ", keys.shape(), ", ", values.shape(), " and ", W_hh.shape());
  }
  const std::int64_t G = is_lstm ? 4 : 3, parts = is_lstm ? 2 : 1, H = W_hh.size(1);
  Form form{.cell = w.cell,
            .N = packing.rows(),
            .B = packing.batch(),
            .T = keys.size(0),
            .E = y.size(1),
            .H = H,
            .A = w.score.W_a.defined() || w.score.v_a.defined() ? keys.size(2) : H,
            .D = values.size(2),
            .gates = G,
            .parts = parts,
            .kept = is_lstm ? cells::Lstm<float>::kept : cells::Gru<float>::kept,
            .layers = layers,
            .score = {.additive = w.score.v_a.defined(), .scale = w.score.scale},
            .earlier = w.earlier,
            .dropout = {}};
  if (w.draws) form.dropout = {.of_weights = w.score.dropout, .between = w.dropout, .steps = *w.draws};
  const std::int64_t B = form.B, T = form.T, E = form.E, A = form.A, D = form.D;
  if (std::ssize(w.layers) * parts != static_cast<std::int64_t>(states)) {
    fail(operation, "the first state has ", states, " tensors and must have ", layers * parts,
         is_lstm ? ", h and then c of each layer" : ", h of each layer");
  }
  const auto need = [&](const char* what, const Tensor& tensor, const Shape& shape, int layer = 0) {
    if (tensor.shape() != shape) {
      fail(operation, what, layer == 0 ? "" : " of layer " + std::to_string(layer), " is ", tensor.shape(),
           " and must be ", shape);
    }
    check_same_dtype(operation, y, tensor);
  };
  need("the input", y, {form.N, E});
  for (std::size_t i = 0; i < states; ++i) {
    need(i < w.layers.size() ? "s_0" : "c_0", in[in_state + i], {B, H});
  }
  need("keys", keys, {T, B, A});
  need("values", values, {T, B, D});
  for (int layer = 0; layer < layers; ++layer) {
    const AttentionDecoder::Layer& p = w.layers[static_cast<std::size_t>(layer)];
    need("weight_ih", p.weight_ih, {G * H, layer == 0 ? E + D : H}, layer);
    need("weight_hh", p.weight_hh, {G * H, H}, layer);
    if (p.bias_ih.defined()) need("bias_ih", p.bias_ih, {G * H}, layer);
    if (p.bias_hh.defined()) need("bias_hh", p.bias_hh, {G * H}, layer);
  }
  if (w.score.W_a.defined()) need("W_a", w.score.W_a, {A, H});
  if (w.score.v_a.defined()) need("v_a", w.score.v_a, {A});
  check_lengths(operation, lengths, B, T);
  if (form.dropout) check_dropout(*form.dropout, B);
  return form;
}

template <template <class> class Cell, class T>
void unroll_forward(std::span<const Tensor> in, const Tensor& lengths, const Packing& packing,
                    const Form& form, const Rowwise& rowwise) {
  using C = Cell<T>;
  const std::int64_t N = form.N, B = form.B, E = form.E, H = form.H, A = form.A, D = form.D,
                     R = form.result();
  const int L = form.layers;
  const Dtype dtype = in[in_y].dtype();
  const auto of = [&](int layer, OfLayer which) -> const Tensor& {
    return in[static_cast<std::size_t>(form.parameter(layer, which))];
  };
  const bool keeps = rowwise.kept.defined();
  // weight_ih of the lowest layer is [W_y W_c], (G·H, E + D).
  const StepMatrix<T> W_c(Layout::transposed, of(0, weight_ih), E, D, packing);
  std::optional<StepMatrix<T>> W_a;
  if (in[in_W_a].defined()) W_a.emplace(Layout::transposed, in[in_W_a], packing);
  std::vector<typename C::Forward> advance;
  std::vector<StepMatrix<T>> W_in;  // for the layers above the lowest
  for (int layer = 0; layer < L; ++layer) {
    advance.emplace_back(of(layer, weight_hh), of(layer, bias_hh), packing);
    if (layer > 0) W_in.emplace_back(Layout::transposed, of(layer, weight_ih), packing);
  }
  // W_y y + b_ih is computed for all steps at once. Each step then adds its W_c c.
  const Tensor x_parts = empty({N, C::gates * H}, dtype);
  multiply_by_weight<T>(N, {raw<T>(in[in_y]), E}, of(0, weight_ih), 0, E, added_bias<T>(of(0, bias_ih)),
                        {raw<T>(x_parts), C::gates * H});

  for_each_rank_range(packing, form.weight_bytes(sizeof(T)), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor states = empty({C::parts, L, n, H}, dtype), spare = empty({2, n, C::gates * H}, dtype);
    const Tensor queries = empty({n, A}, dtype), weights = empty({n, form.T}, dtype);
    const Tensor unkept = keeps ? Tensor() : empty({n, (C::kept + 1) * H}, dtype);
    const auto state = [&](int layer) {
      T* const h = raw<T>(states) + layer * n * H;
      return cells::State<T>{h, h + (C::parts - 1) * L * n * H};
    };
    for (int part = 0; part < C::parts; ++part) {
      for (int layer = 0; layer < L; ++layer) {
        copy_to_ranks(packing, first, last, H, raw<T>(in[static_cast<std::size_t>(form.state(part, layer))]),
                      raw<T>(states) + (part * L + layer) * n * H);
      }
    }
    T* const s = state(L - 1).h;
    for (std::int64_t t = 0; t < packing.steps(); ++t) {
      const StepPart part{packing, form, StepRows(packing, t, first, last), first};
      const std::int64_t offset = part.rows.offset, m = part.rows.size;
      if (m == 0) break;
      const Masks masks(form, t);
      T* const out = raw<T>(rowwise.result) + offset * R;
      const auto write_state = [&] {
        for (std::int64_t r = 0; r < m; ++r) std::copy_n(s + r * H, H, out + r * R);
      };
      if (form.earlier) write_state();
      T* q = s;
      if (W_a) {
        q = keeps ? raw<T>(rowwise.queries) + offset * A : raw<T>(queries);
        W_a->multiply(m, {s, H}, {}, {q, A});
      }
      parallel_for(m, grain(form.T * (A + D)), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t b = part.sequence(r), length = length_of(lengths, b, form.T);
          T *const c = out + r * R + H, *const alpha = c + D;
          const T* const keys = raw<T>(in[in_keys]) + b * A;
          if (form.score.additive) {
            kernels::additive_energies(length, A, q + r * A, keys, B * A, raw<T>(in[in_v_a]), alpha);
          } else {
            kernels::dot_energies(length, A, static_cast<T>(form.score.scale), q + r * A, keys, B * A, alpha);
          }
          kernels::softmax_row(length, alpha, alpha);
          std::fill(alpha + length, alpha + form.T, T(0));
          std::fill_n(c, D, T(0));
          const T* const used =
              used_weights<T>(masks.weights(), part, r, length, alpha, raw<T>(weights) + r * form.T);
          kernels::weighted_sum_row(length, D, used, raw<T>(in[in_values]) + b * D, B * D, c);
        }
      });
      T* x = raw<T>(x_parts) + offset * C::gates * H;
      W_c.add(m, {out + H, R}, {x, C::gates * H});
      for (int layer = 0; layer < L; ++layer) {
        if (layer > 0) {
          const T* below = state(layer - 1).h;
          T* const read = keeps ? raw<T>(rowwise.below) + ((layer - 1) * N + offset) * H
                                : raw<T>(unkept) + n * C::kept * H;
          if (const auto* mask = masks.below(layer)) {
            drop_rows(*mask, part, below, read);
          } else {
            std::copy_n(below, m * H, read);
          }
          x = raw<T>(spare) + n * C::gates * H;
          W_in[static_cast<std::size_t>(layer - 1)].multiply(m, {read, H}, added_bias<T>(of(layer, bias_ih)),
                                                             {x, C::gates * H});
        }
        T* const kept = keeps ? raw<T>(rowwise.kept) + (layer * N + offset) * C::kept * H : raw<T>(unkept);
        advance[static_cast<std::size_t>(layer)](m, x, state(layer), kept, raw<T>(spare));
      }
      if (!form.earlier) write_state();
    }
  });
}

// Gradients that unroll_backward() writes. After all steps, add_gradients() multiplies at_x, at_u and
// at_queries by the inputs of all steps at once. The products are the gradients of the weight matrices.
template <class T>
struct Wanted {
  Tensor at_x;             // gradient of W_ih x + b_ih, (layers, N, G·H)
  Tensor at_u;             // gradient of W_hh h + b_hh, same shape; at_x itself if both are equal
  Tensor at_queries;       // gradient of the queries, (N, A)
  Tensor at_state;         // gradient of the first state, (parts · layers, B, H)
  Tensor at_v;             // gradient of v_a per sequence, (B, A); undefined unless the score is additive
  T *at_keys, *at_values;  // accumulated gradients; null if not wanted
};

template <template <class> class Cell, class T>
void unroll_backward(Gradients& g, const Packing& packing, const Form& form, const Wanted<T>& wanted) {
  using C = Cell<T>;
  const std::int64_t N = form.N, B = form.B, E = form.E, H = form.H, A = form.A, D = form.D,
                     R = form.result(), G = C::gates;
  const int L = form.layers, after = form.inputs();
  const auto of = [&](int layer, OfLayer which) -> const Tensor& {
    return g.saved(form.parameter(layer, which));
  };
  const Tensor &keys = g.saved(in_keys), &values = g.saved(in_values),
               &lengths = g.saved(after + saved_lengths);
  const Tensor &result = g.saved(after + saved_result), &kept = g.saved(after + saved_kept);
  const Tensor& d_result = g.out();
  const Dtype dtype = keys.dtype();
  const StepMatrix<T> W_c(Layout::plain, of(0, weight_ih), E, D, packing);
  std::optional<StepMatrix<T>> W_a;
  if (g.saved(in_W_a).defined()) W_a.emplace(Layout::plain, g.saved(in_W_a), packing);
  std::vector<typename C::Backward> go_back;
  std::vector<StepMatrix<T>> W_in;
  for (int layer = 0; layer < L; ++layer) {
    go_back.emplace_back(of(layer, weight_hh), packing);
    if (layer > 0) W_in.emplace_back(Layout::plain, of(layer, weight_ih), packing);
  }
  // The queries (N, A) are W_a s. Without W_a, the queries are the states s themselves, which the cell has
  // stored.
  const T* queries = raw<T>(kept) + ((L - 1) * N * C::kept + C::previous) * H;
  std::int64_t query_stride = C::kept * H;
  if (W_a) {
    queries = raw<T>(g.saved(after + saved_queries));
    query_stride = A;
  }
  const Tensor unwanted = wanted.at_keys ? Tensor() : zeros({B, A}, dtype);  // scratch for the keys' gradient

  for_each_rank_range(packing, form.weight_bytes(sizeof(T)), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor at_states = zeros({C::parts, L, n, H}, dtype);  // gradients from later steps, in rank order
    const Tensor at_h = empty({3, n, H}, dtype);  // scratch of one layer: d, spare and from_above
    const Tensor at_c = empty({n, D}, dtype), at_energies = empty({2, n, form.T}, dtype);
    const auto at_state = [&](int layer) {
      T* const h = raw<T>(at_states) + layer * n * H;
      return cells::State<T>{h, h + (C::parts - 1) * L * n * H};
    };
    T *const ds = at_state(L - 1).h, *const d = raw<T>(at_h), *const spare = d + n * H;
    T *const from_above = spare + n * H, *const dc = raw<T>(at_c);
    for (std::int64_t t = packing.steps() - 1; t >= 0; --t) {
      const StepPart part{packing, form, StepRows(packing, t, first, last), first};
      const std::int64_t offset = part.rows.offset, m = part.rows.size;
      if (m == 0) continue;
      const Masks masks(form, t);
      const T* const outside = raw<T>(d_result) + offset * R;
      const auto add_outside = [&](T* to) {
        for (std::int64_t r = 0; r < m; ++r) math::add(H, outside + r * R, to + r * H);
      };
      for (int layer = L - 1; layer >= 0; --layer) {
        std::copy_n(at_state(layer).h, m * H, d);
        if (layer < L - 1) {
          math::add(m * H, from_above, d);
        } else if (!form.earlier) {
          add_outside(d);
        }
        T* const dx = raw<T>(wanted.at_x) + (layer * N + offset) * G * H;
        T* const du = raw<T>(wanted.at_u) + (layer * N + offset) * G * H;
        go_back[static_cast<std::size_t>(layer)](m, raw<T>(kept) + (layer * N + offset) * C::kept * H, d,
                                                 at_state(layer), dx, du, spare);
        if (layer == 0) break;
        W_in[static_cast<std::size_t>(layer - 1)].multiply(m, {dx, G * H}, {}, {from_above, H});
        if (const auto* mask = masks.below(layer)) drop_rows<T>(*mask, part, from_above, from_above);
      }
      for (std::int64_t r = 0; r < m; ++r) std::copy_n(outside + r * R + H, D, dc + r * D);
      W_c.add(m, {raw<T>(wanted.at_x) + offset * G * H, G * H}, {dc, D});
      T* const dq = raw<T>(wanted.at_queries) + offset * A;
      parallel_for(m, grain(form.T * (A + D)), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t b = part.sequence(r), length = length_of(lengths, b, form.T);
          const std::int64_t at_alpha = (offset + r) * R + H + D;
          const T* const alpha = raw<T>(result) + at_alpha;
          T *const de = raw<T>(at_energies) + r * form.T, *const dropped = de + n * form.T;
          const auto* const mask = masks.weights();
          const T* const used = used_weights<T>(mask, part, r, length, alpha, dropped);
          if (wanted.at_values) {
            kernels::weighted_sum_to_values(length, D, used, dc + r * D, wanted.at_values + b * D, B * D);
          }
          std::fill_n(de, length, T(0));
          kernels::weighted_sum_to_weights(length, D, raw<T>(values) + b * D, B * D, dc + r * D, de);
          if (mask != nullptr) kernels::dropout_row<T>(*mask, part.place(r), length, de, de);
          math::add(length, raw<T>(d_result) + at_alpha, de);
          kernels::softmax_backward_row(length, alpha, de, de);
          std::fill_n(dq + r * A, A, T(0));
          const T *const q = queries + (offset + r) * query_stride, *const k = raw<T>(keys) + b * A;
          if (form.score.additive) {
            kernels::additive_energies_backward(
                length, A, q, k, B * A, raw<T>(g.saved(in_v_a)), de, dq + r * A,
                wanted.at_keys ? wanted.at_keys + b * A : raw<T>(unwanted) + b * A,
                wanted.at_keys ? B * A : 0, raw<T>(wanted.at_v) + b * A);
          } else {
            for (std::int64_t i = 0; i < length; ++i) de[i] *= static_cast<T>(form.score.scale);
            kernels::weighted_sum_row(length, A, de, k, B * A, dq + r * A);
            if (wanted.at_keys) {
              kernels::weighted_sum_to_values(length, A, de, q, wanted.at_keys + b * A, B * A);
            }
          }
        }
      });
      W_a ? W_a->add(m, {dq, A}, {ds, H}) : math::add(m * H, dq, ds);
      if (form.earlier) add_outside(ds);
    }
    for (int part = 0; part < C::parts; ++part) {
      for (int layer = 0; layer < L; ++layer) {
        copy_from_ranks(packing, first, last, H, raw<T>(at_states) + (part * L + layer) * n * H,
                        raw<T>(wanted.at_state) + (part * L + layer) * B * H);
      }
    }
  });
}

// Adds to the gradients of the parameters, of y and of the first state. unroll_backward() has already added
// the gradients of the keys and values. The gradient of each weight matrix is computed for all steps at once.
template <template <class> class Cell, class T>
void add_gradients(Gradients& g, const Form& form, const Wanted<T>& wanted) {
  using C = Cell<T>;
  const std::int64_t N = form.N, B = form.B, E = form.E, H = form.H, A = form.A, D = form.D, G = C::gates;
  const int L = form.layers, after = form.inputs();
  const T* const kept = raw<T>(g.saved(after + saved_kept));
  for (int layer = 0; layer < L; ++layer) {
    const auto of = [&](OfLayer which) { return form.parameter(layer, which); };
    const Rows<const T> dx{raw<T>(wanted.at_x) + layer * N * G * H, G * H};
    const T* const du = raw<T>(wanted.at_u) + layer * N * G * H;
    if (g.wants(of(weight_ih))) {
      g.accumulate(of(weight_ih), [&](const Tensor& at_W, int beta) {
        T* const W = raw<T>(at_W);
        if (layer > 0) {
          const T* const below = raw<T>(g.saved(after + saved_below)) + (layer - 1) * N * H;
          return cells::add_product<T>(N, G * H, H, dx, {below, H}, beta, {W, H});
        }
        const T* const c = raw<T>(g.saved(after + saved_result)) + H;
        cells::add_product<T>(N, G * H, E, dx, {raw<T>(g.saved(in_y)), E}, beta, {W, E + D});
        cells::add_product<T>(N, G * H, D, dx, {c, form.result()}, beta, {W + E, E + D});
      });
    }
    if (g.wants(of(weight_hh))) {
      g.accumulate(of(weight_hh), [&](const Tensor& at_W, int beta) {
        C::add_weight_gradients(N, H, kept + layer * N * C::kept * H, du, beta, raw<T>(at_W));
      });
    }
    if (g.wants(of(bias_ih))) sum_rows<T>(N, G * H, dx, raw<T>(g.in(of(bias_ih))));
    if (g.wants(of(bias_hh))) sum_rows<T>(N, G * H, {du, G * H}, raw<T>(g.in(of(bias_hh))));
    for (int part = 0; part < C::parts; ++part) {
      const int input = form.state(part, layer);
      if (g.wants(input)) g.add(input, view_of(wanted.at_state, (part * L + layer) * B * H, {B, H}));
    }
  }
  if (g.wants(in_W_a)) {
    g.accumulate(in_W_a, [&](const Tensor& at_W, int beta) {
      const T* const previous = kept + ((L - 1) * N * C::kept + C::previous) * H;
      cells::add_product<T>(N, A, H, {raw<T>(wanted.at_queries), A}, {previous, C::kept * H}, beta,
                            {raw<T>(at_W), H});
    });
  }
  if (g.wants(in_v_a)) sum_rows<T>(B, A, {raw<T>(wanted.at_v), A}, raw<T>(g.in(in_v_a)));
  if (g.wants(in_y)) {
    g.accumulate(in_y, [&](const Tensor& at_y, int beta) {
      gemm<T>(Layout::plain, Layout::plain, N, E, G * H, {raw<T>(wanted.at_x), G * H},
              {raw<T>(g.saved(form.parameter(0, weight_ih))), E + D}, T(beta), {raw<T>(at_y), E});
    });
  }
}

// Computes all steps. `in` holds the inputs in the order of Input and OfLayer.
void run_forward(std::span<const Tensor> in, const Tensor& lengths, const Packing& packing, const Form& form,
                 const Rowwise& rowwise) {
  cells::with_cell(form.cell, [&]<template <class> class Cell>() {
    for_floating(operation, in[in_y].dtype(),
                 [&]<class T>() { unroll_forward<Cell, T>(in, lengths, packing, form, rowwise); });
  });
}

// Adds the gradients of all steps to the gradients of the inputs.
void run_backward(Gradients& g, const Packing& packing, const Form& form) {
  const std::int64_t N = form.N, width = form.gates * form.H;
  const Dtype dtype = g.out().dtype();
  cells::with_cell(form.cell, [&]<template <class> class Cell>() {
    for_floating("backward", dtype, [&]<class T>() {
      const Tensor at_x = empty({form.layers, N, width}, dtype);
      const Wanted<T> wanted{.at_x = at_x,
                             .at_u = Cell<T>::shares_u ? at_x : empty(at_x.shape(), dtype),
                             .at_queries = empty({N, form.A}, dtype),
                             .at_state = empty({form.parts * form.layers, form.B, form.H}, dtype),
                             .at_v = form.score.additive ? zeros({form.B, form.A}, dtype) : Tensor(),
                             .at_keys = g.wants(in_keys) ? raw<T>(g.in(in_keys)) : nullptr,
                             .at_values = g.wants(in_values) ? raw<T>(g.in(in_values)) : nullptr};
      unroll_backward<Cell>(g, packing, form, wanted);
      add_gradients<Cell>(g, form, wanted);
    });
  });
}

// Runs all steps and records them as one operation.
Tensor run(const std::vector<Tensor>& inputs, const Tensor& lengths, const Packing& packing,
           const Form& form) {
  const std::int64_t N = form.N, L = form.layers;
  const Dtype dtype = inputs[in_y].dtype();
  Rowwise rowwise{empty({N, form.result()}, dtype), {}, {}, {}};
  const bool keeps = keeps_tape(inputs);
  if (keeps) {
    rowwise.kept = empty({L, N, form.kept * form.H}, dtype);
    rowwise.below = empty({L - 1, N, form.H}, dtype);
    if (inputs[in_W_a].defined()) rowwise.queries = empty({N, form.A}, dtype);
  }
  run_forward(inputs, lengths, packing, form, rowwise);
  std::vector<Tensor> saved;
  if (keeps) {
    saved = inputs;  // the loops below drop the inputs that backward does not read
    for (int i = in_state; i < form.parameter(0, weight_ih); ++i)
      saved[static_cast<std::size_t>(i)] = Tensor();
    for (int layer = 0; layer < form.layers; ++layer) {
      for (const OfLayer bias : {bias_ih, bias_hh}) {
        saved[static_cast<std::size_t>(form.parameter(layer, bias))] = Tensor();
      }
    }
    saved.insert(saved.end(), {lengths, rowwise.kept, rowwise.below, rowwise.queries, rowwise.result});
  }
  return record(operation, rowwise.result, inputs, saved,
                [packing, form](Gradients& g) { run_backward(g, packing, form); });
}

}  // namespace
}  // namespace attention

Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& state, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& w,
                          const Packing& packing) {
  using namespace attention;
  std::vector<Tensor> inputs;
  inputs.reserve(in_state + state.size() + of_layer * w.layers.size());
  inputs.assign({y, keys, values, w.score.W_a, w.score.v_a});
  inputs.insert(inputs.end(), state.begin(), state.end());
  for (const AttentionDecoder::Layer& p : w.layers) {
    inputs.insert(inputs.end(), {p.weight_ih, p.bias_ih, p.weight_hh, p.bias_hh});
  }
  const Form form = check(inputs, lengths, w, state.size(), packing);
  if (!thread_state().fuses) {
    return composed::attention_sequence(y, state, keys, values, lengths, w, packing);
  }
  return run(inputs, lengths, packing, form);
}

}  // namespace gradus
