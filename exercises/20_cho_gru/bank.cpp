#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/recording.hpp>

#include <algorithm>

#include "answer.hpp"

using namespace gradus;

namespace {

using F = const Tensor&;
using P = const nn::RecurrentWeights&;

// --- Right code that differs from the solution ---

// The block of stacked rows, (H, …), for r (`which` = 0), z (1) or n (2).
Tensor block(F stacked, std::int64_t which) {
  const std::int64_t H = stacked.size(0) / 3;
  return stacked.slice(which * H, (which + 1) * H);
}

Tensor product(F x, F weight) { return matmul(x, transpose(weight, 0, 1)); }

// One line of the equations, before σ or tanh.
Tensor line(P p, F x, F h, std::int64_t which) {
  return product(x, block(p.weight_ih, which)) + block(p.bias_ih, which) +
         product(h, block(p.weight_hh, which)) + block(p.bias_hh, which);
}

Tensor right_step(P p, F x, F h) {
  const Tensor r = sigmoid(line(p, x, h, 0)), z = sigmoid(line(p, x, h, 1)), n = tanh(line(p, x, r * h, 2));
  return n + z * (h - n);
}

// 1 at the real steps, (T, B, 1), in the dtype of x.
Tensor ones_at_real(F x, F lengths) {
  return unsqueeze(less(unsqueeze(arange(x.size(0)), 1), lengths), 2).to(x.dtype());
}

Tensor without_pads(F x, F lengths) {
  const Tensor real = unsqueeze(less(unsqueeze(arange(x.size(0)), 1), lengths), 2);
  return where(real, x, zeros({}, x.dtype()));
}

// Selects the new or the old state by products with a mask. A NaN in a pad of x makes the state NaN, because
// 0 · NaN is NaN.
Tensor states_by_products(P p, F x, F lengths, F first) {
  const Tensor real = ones_at_real(x, lengths);
  Tensor h = first;
  std::vector<Tensor> states;
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    h = real[t] * right_step(p, x[t], h) + (1.0 - real[t]) * h;
    states.push_back(h);
  }
  return stack(states);
}

Tensor right_states(P p, F x, F lengths, F first) {
  return states_by_products(p, without_pads(x, lengths), lengths, first);
}

Tensor same_lengths(F lengths, std::int64_t length) {
  return full(lengths.shape(), static_cast<double>(length), Dtype::i64);
}

Tensor shifted(F lengths, std::int64_t by) {
  std::vector<std::int64_t> list = lengths.to_vector<std::int64_t>();
  for (std::int64_t& length : list) length += by;
  return tensor(list);
}

std::int64_t longest(F lengths) {
  const std::vector<std::int64_t> list = lengths.to_vector<std::int64_t>();
  return *std::ranges::max_element(list);
}

// (B, 1), i64: 1 where step t is real.
Tensor real_at(std::int64_t t, F lengths) { return unsqueeze(less(same_lengths(lengths, t), lengths), 1); }

// --- Kinds of attempts ---

using Step = decltype(ChoGru::step);
using States = decltype(ChoGru::states);

exercise::Attempt one_step(const std::string& name, const std::string& mistake, const Step& f) {
  return {"step: " + name, mistake, cho_gru_exercise({f, right_states})};
}

// An attempt with a wrong new value: f(p, x, h, r, z) is n.
exercise::Attempt with_n(const std::string& name, const std::string& mistake,
                         const std::function<Tensor(P p, F x, F h, F r, F z)>& f) {
  return one_step(name, mistake, [f](P p, F x, F h) {
    const Tensor r = sigmoid(line(p, x, h, 0)), z = sigmoid(line(p, x, h, 1)), n = f(p, x, h, r, z);
    return (1.0 - z) * n + z * h;
  });
}

// An attempt with a wrong blend: f(r, z, n, h) is h′.
exercise::Attempt with_blend(const std::string& name, const std::string& mistake,
                             const std::function<Tensor(F r, F z, F n, F h)>& f) {
  return one_step(name, mistake, [f](P p, F x, F h) {
    const Tensor r = sigmoid(line(p, x, h, 0)), z = sigmoid(line(p, x, h, 1)), n = tanh(line(p, x, r * h, 2));
    return f(r, z, n, h);
  });
}

// An attempt that reads r, z and n from the blocks at[0], at[1] and at[2].
exercise::Attempt with_order(const std::string& name, const std::vector<std::int64_t>& at) {
  return one_step(name, "block-order", [at](P p, F x, F h) {
    const Tensor r = sigmoid(line(p, x, h, at[0])), z = sigmoid(line(p, x, h, at[1])),
                 n = tanh(line(p, x, r * h, at[2]));
    return (1.0 - z) * n + z * h;
  });
}

exercise::Attempt padded(const std::string& name, const std::string& mistake, const States& f) {
  return {"padded: " + name, mistake, cho_gru_exercise({right_step, f})};
}

// An attempt with a different rule for a step: f(real, next, h, first) is the state after the step. `real` is
// (B, 1), i64.
exercise::Attempt with_rule(const std::string& name, const std::string& mistake,
                            const std::function<Tensor(F real, F next, F h, F first)>& f) {
  return padded(name, mistake, [f](P p, F x, F lengths, F first) {
    const Tensor clean = without_pads(x, lengths);
    Tensor h = first;
    std::vector<Tensor> states;
    for (std::int64_t t = 0; t < x.size(0); ++t) {
      h = f(real_at(t, lengths), right_step(p, clean[t], h), h, first);
      states.push_back(h);
    }
    return stack(states);
  });
}

// An attempt whose loop uses the lengths f(x, lengths) in place of the right ones.
exercise::Attempt with_lengths(const std::string& name, const std::string& mistake,
                               const std::function<Tensor(F x, F lengths)>& f) {
  return padded(name, mistake, [f](P p, F x, F lengths, F first) {
    const Tensor others = f(x, lengths);
    Tensor h = first;
    std::vector<Tensor> states;
    for (std::int64_t t = 0; t < x.size(0); ++t) {
      h = where(real_at(t, others), right_step(p, x[t], h), h);
      states.push_back(h);
    }
    return stack(states);
  });
}

// right_states, with its result passed to f.
exercise::Attempt with_result(const std::string& name, const std::string& mistake,
                              const std::function<Tensor(F states, F lengths, F first)>& f) {
  return padded(name, mistake, [f](P p, F x, F lengths, F first) {
    return f(right_states(p, x, lengths, first), lengths, first);
  });
}

std::vector<exercise::Attempt> right() {
  return {
      one_step("products with transposed matrices, and n + z (h − n)", "", right_step),
      one_step("the products of r and z as one", "",
               [](P p, F x, F h) {
                 const std::int64_t H = h.size(1);
                 const Tensor from_x = linear(x, p.weight_ih, p.bias_ih);
                 const Tensor rz = sigmoid(from_x.slice(0, 2 * H, 1) +
                                           linear(h, p.weight_hh.slice(0, 2 * H), p.bias_hh.slice(0, 2 * H)));
                 const Tensor r = rz.slice(0, H, 1), z = rz.slice(H, 2 * H, 1);
                 const Tensor n =
                     tanh(from_x.slice(2 * H, 3 * H, 1) +
                          linear(r * h, p.weight_hh.slice(2 * H, 3 * H), p.bias_hh.slice(2 * H, 3 * H)));
                 return z * h + (1.0 - z) * n;
               }),
      one_step("all three products with r ∘ h, two of them unused", "",
               [](P p, F x, F h) {
                 const std::int64_t H = h.size(1);
                 const auto cut = [H](F y) { return split(y, {H, H, H}, 1); };
                 const auto from_x = cut(linear(x, p.weight_ih, p.bias_ih)),
                            from_h = cut(linear(h, p.weight_hh, p.bias_hh));
                 const Tensor r = sigmoid(from_x[0] + from_h[0]), z = sigmoid(from_x[1] + from_h[1]);
                 const Tensor n = tanh(from_x[2] + cut(linear(r * h, p.weight_hh, p.bias_hh))[2]);
                 return z * h + (1.0 - z) * n;
               }),
      one_step("1 − z as the sigmoid of −a", "",
               [](P p, F x, F h) {
                 const Tensor a = line(p, x, h, 1), r = sigmoid(line(p, x, h, 0));
                 return sigmoid(a) * h + sigmoid(-a) * tanh(line(p, x, r * h, 2));
               }),
      padded("the products with x before the loop", "",
             [](P p, F x, F lengths, F first) {
               const std::int64_t H = first.size(1);
               const Tensor pads = unsqueeze(less_equal(lengths, unsqueeze(arange(x.size(0)), 1)), 2);
               const Tensor from_x = linear(masked_fill(x, pads, 0), p.weight_ih, p.bias_ih);  // (T, B, 3H)
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 const auto part = split(from_x[t], {H, H, H}, 1);
                 const auto gate = [&](std::int64_t which) {
                   return sigmoid(part[static_cast<std::size_t>(which)] +
                                  linear(h, block(p.weight_hh, which), block(p.bias_hh, which)));
                 };
                 const Tensor r = gate(0), z = gate(1);
                 const Tensor n = tanh(part[2] + linear(r * h, block(p.weight_hh, 2), block(p.bias_hh, 2)));
                 h = where(pads[t], h, (1.0 - z) * n + z * h);
                 states.push_back(h);
               }
               return stack(states);
             }),
      padded("h + m (h′ − h), with a mask m of zeros and ones", "",
             [](P p, F x, F lengths, F first) {
               const Tensor clean = without_pads(x, lengths);
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 const Tensor real = ones_at_real(x, lengths)[t];
                 h = h + real * (right_step(p, clean[t], h) - h);
                 states.push_back(h);
               }
               return stack(states);
             }),
      padded("row by row", "",
             [](P p, F x, F lengths, F first) {
               std::vector<Tensor> rows;
               const std::vector<std::int64_t> ends = lengths.to_vector<std::int64_t>();
               for (std::int64_t b = 0; b < first.size(0); ++b) {
                 Tensor h = first.slice(b, b + 1);
                 std::vector<Tensor> states;
                 for (std::int64_t t = 0; t < x.size(0); ++t) {
                   if (t < ends[static_cast<std::size_t>(b)]) h = right_step(p, x[t].slice(b, b + 1), h);
                   states.push_back(h[0]);
                 }
                 rows.push_back(stack(states));
               }
               return stack(rows, 1);
             }),
      padded("only the rows that have not ended", "",
             [](P p, F x, F lengths, F first) {
               const std::vector<std::int64_t> ends = lengths.to_vector<std::int64_t>();
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 std::vector<std::int64_t> open,
                     place;  // the rows to update; for each row, its place in `both`
                 const std::int64_t B = first.size(0);
                 for (std::int64_t b = 0; b < B; ++b) {
                   const bool real = t < ends[static_cast<std::size_t>(b)];
                   place.push_back(real ? B + std::ssize(open) : b);
                   if (real) open.push_back(b);
                 }
                 if (!open.empty()) {
                   const Tensor rows = tensor(open);
                   const Tensor next = right_step(p, index_select(x[t], rows), index_select(h, rows));
                   const Tensor both = concat({h, next}, 0);
                   h = index_select(both, tensor(place));
                 }
                 states.push_back(h);
               }
               return stack(states);
             }),
      padded("the loop ends at the longest length, and the last state is repeated", "",
             [](P p, F x, F lengths, F first) {
               const Tensor clean = without_pads(x, lengths);
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 if (t < longest(lengths)) h = where(real_at(t, lengths), right_step(p, clean[t], h), h);
                 states.push_back(h);
               }
               return stack(states);
             }),
      padded("the library's sequence, without pads; then the last states", "",
             [](P p, F x, F lengths, F first) {
               const Packing packing(lengths);
               const auto [states, last] = recurrent_sequence(
                   GatedCell::original_gru, linear(pack(x, packing), p.weight_ih, p.bias_ih), p.weight_hh,
                   p.bias_hh, {first}, packing);
               const Tensor real = unsqueeze(less(unsqueeze(arange(x.size(0)), 1), lengths), 2);
               return where(real, unpack(states, packing, x.size(0)), last[0]);
             }),
  };
}

std::vector<exercise::Attempt> wrong_steps() {
  const auto from_x = [](P p, F x) { return linear(x, block(p.weight_ih, 2), block(p.bias_ih, 2)); };
  const auto from_h = [](P p, F h) { return linear(h, block(p.weight_hh, 2), block(p.bias_hh, 2)); };
  return {
      with_n("PyTorch's form", "reset-after",
             [=](P p, F x, F h, F r, F) { return tanh(from_x(p, x) + r * from_h(p, h)); }),
      with_n("reset after the product, without the bias", "reset-after",
             [=](P p, F x, F h, F r, F) {
               return tanh(from_x(p, x) + r * product(h, block(p.weight_hh, 2)) + block(p.bias_hh, 2));
             }),
      with_n("reset on both sides of the product", "reset-twice",
             [=](P p, F x, F h, F r, F) { return tanh(from_x(p, x) + r * from_h(p, r * h)); }),
      with_n("no reset gate", "no-reset", [](P p, F x, F h, F, F) { return tanh(line(p, x, h, 2)); }),
      with_n("1 − r", "reset-inverted", [](P p, F x, F h, F r, F) { return tanh(line(p, x, h - r * h, 2)); }),
      with_n("z in place of r", "z-for-r", [](P p, F x, F h, F, F z) { return tanh(line(p, x, z * h, 2)); }),
      with_n("reset of the whole sum", "reset-on-input",
             [](P p, F x, F h, F r, F) { return tanh(r * line(p, x, h, 2)); }),
      with_n("a second product beside the first", "product-twice",
             [=](P p, F x, F h, F r, F) { return tanh(line(p, x, h, 2) + from_h(p, r * h)); }),
      with_n("n without the state", "no-state-in-n",
             [=](P p, F x, F, F, F) { return tanh(from_x(p, x) + block(p.bias_hh, 2)); }),
      with_n("sigmoid for n", "sigmoid-n",
             [](P p, F x, F h, F r, F) { return sigmoid(line(p, x, r * h, 2)); }),
      with_n("no tanh", "no-tanh", [](P p, F x, F h, F r, F) { return line(p, x, r * h, 2); }),
      with_n(
          "b_hn left out", "bias-missing",
          [=](P p, F x, F h, F r, F) { return tanh(from_x(p, x) + product(r * h, block(p.weight_hh, 2))); }),
      with_n("b_hn twice", "bias-twice",
             [](P p, F x, F h, F r, F) { return tanh(line(p, x, r * h, 2) + block(p.bias_hh, 2)); }),
      with_n("W_hn not transposed", "not-transposed",
             [=](P p, F x, F h, F r, F) {
               return tanh(from_x(p, x) + matmul(r * h, block(p.weight_hh, 2)) + block(p.bias_hh, 2));
             }),
      with_n("r detached", "gradient",
             [](P p, F x, F h, F r, F) { return tanh(line(p, x, r.detach() * h, 2)); }),
      with_blend("z and 1 − z exchanged", "z-inverted",
                 [](F, F z, F n, F h) { return z * n + (1.0 - z) * h; }),
      with_blend("r in the blend", "r-for-z", [](F r, F, F n, F h) { return (1.0 - r) * n + r * h; }),
      with_blend("n without 1 − z", "not-a-blend", [](F, F z, F n, F h) { return n + z * h; }),
      with_blend("h without z", "not-a-blend", [](F, F z, F n, F h) { return n - z * n + h; }),
      with_blend("no old state", "old-state-lost", [](F, F z, F n, F) { return (1.0 - z) * n; }),
      with_blend("n itself", "old-state-lost", [](F, F, F n, F) { return n; }),
      with_blend("the old state", "state-unchanged", [](F, F, F, F h) { return h; }),
      with_blend("reset of the kept state", "reset-state-kept",
                 [](F r, F z, F n, F h) { return (1.0 - z) * n + z * (r * h); }),
      with_blend("three results side by side", "shape",
                 [](F r, F z, F n, F) { return concat({r, z, n}, 1); }),
      with_order("order z, r, n, as in Keras", {1, 0, 2}),
      with_order("order r, n, z", {0, 2, 1}),
      with_order("order n, r, z", {1, 2, 0}),
      one_step("rows of a unit side by side", "interleaved",
               [](P p, F x, F h) {
                 const std::int64_t H = h.size(1);
                 const auto apart = [H](F w) {  // (3H, K): row 3k + i to row H · i + k
                   const std::int64_t K = w.numel() / (3 * H);
                   return transpose(w.reshape({H, 3, K}), 0, 1).reshape(w.shape());
                 };
                 return right_step(
                     {apart(p.weight_ih), apart(p.weight_hh), apart(p.bias_ih), apart(p.bias_hh)}, x, h);
               }),
      one_step("no bias_hh", "bias-missing",
               [](P p, F x, F h) {
                 return right_step({p.weight_ih, p.weight_hh, p.bias_ih, zeros(p.bias_hh.shape(), x.dtype())},
                                   x, h);
               }),
      one_step("no bias_ih", "bias-missing",
               [](P p, F x, F h) {
                 return right_step({p.weight_ih, p.weight_hh, zeros(p.bias_ih.shape(), x.dtype()), p.bias_hh},
                                   x, h);
               }),
      one_step("bias_ih twice", "bias-twice",
               [](P p, F x, F h) {
                 return right_step({p.weight_ih, p.weight_hh, 2.0 * p.bias_ih, p.bias_hh}, x, h);
               }),
      one_step("tanh for the gates", "tanh-gates",
               [](P p, F x, F h) {
                 const Tensor r = tanh(line(p, x, h, 0)), z = tanh(line(p, x, h, 1));
                 return (1.0 - z) * tanh(line(p, x, r * h, 2)) + z * h;
               }),
      one_step("gates without sigmoid", "no-sigmoid",
               [](P p, F x, F h) {
                 const Tensor r = line(p, x, h, 0), z = line(p, x, h, 1);
                 return (1.0 - z) * tanh(line(p, x, r * h, 2)) + z * h;
               }),
      one_step("z from r ∘ h", "z-of-reset",
               [](P p, F x, F h) {
                 const Tensor r = sigmoid(line(p, x, h, 0)), kept = r * h, z = sigmoid(line(p, x, kept, 1));
                 return (1.0 - z) * tanh(line(p, x, kept, 2)) + z * h;
               }),
      one_step("gates from x only", "no-recurrence",
               [](P p, F x, F h) {
                 const Tensor none = zeros(h.shape(), h.dtype());
                 const Tensor r = sigmoid(line(p, x, none, 0)), z = sigmoid(line(p, x, none, 1));
                 return (1.0 - z) * tanh(line(p, x, r * h, 2)) + z * h;
               }),
      one_step("no matrix of the state transposed", "not-transposed",
               [](P p, F x, F h) {
                 std::vector<Tensor> turned;
                 for (const std::int64_t i : {0, 1, 2})
                   turned.push_back(transpose(block(p.weight_hh, i), 0, 1));
                 return right_step({p.weight_ih, concat(turned, 0), p.bias_ih, p.bias_hh}, x, h);
               }),
      one_step("x times a matrix that is not transposed", "error",
               [](P p, F x, F h) { return matmul(x, p.weight_ih) + matmul(h, p.weight_hh); }),
      one_step("the state limited to ±5", "limited",
               [](P p, F x, F h) { return right_step(p, x, clamp(h, -5, 5)); }),
      one_step("H is always 3", "error",
               [](P p, F x, F h) {
                 const auto parts = split(linear(x, p.weight_ih, p.bias_ih), {3, 3, 3}, 1);
                 return parts[0].defined() ? right_step(p, x, h) : h;
               }),
      one_step("not recorded", "off-the-tape",
               [](P p, F x, F h) {
                 const NoGrad off;
                 return right_step(p, x, h);
               }),
      one_step("the weights of the first call", "remembers",
               [](P p, F x, F h) {
                 thread_local const Tensor weight_hh = p.weight_hh;
                 return right_step({p.weight_ih, weight_hh, p.bias_ih, p.bias_hh}, x, h);
               }),
      one_step("h changed in place", "changes-its-input",
               [](P p, F x, F h) {
                 const Tensor next = right_step(p, x, h);
                 if (h.dtype() == Dtype::f64 && !h.requires_grad())
                   Tensor(h).mutable_values<double>()[0] += 1;
                 return next;
               }),
  };
}

std::vector<exercise::Attempt> wrong_loops() {
  return {
      with_rule("no lengths, pads set to 0", "ended-updated", [](F, F next, F, F) { return next; }),
      with_rule("zeros after the end", "ended-zeroed",
                [](F real, F next, F h, F) { return where(real, next, zeros(h.shape(), h.dtype())); }),
      with_rule("the first state after the end", "ended-restarted",
                [](F real, F next, F, F first) { return where(real, next, first); }),
      with_rule("mask inverted", "mask-inverted",
                [](F real, F next, F h, F) { return where(real, h, next); }),
      with_rule("the kept state detached", "ended-detached",
                [](F real, F next, F h, F) { return where(real, next, h.detach()); }),
      padded("gradients go back one step", "detached-state",
             [](P p, F x, F lengths, F first) {
               const Tensor clean = without_pads(x, lengths);
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 states.push_back(where(real_at(t, lengths), right_step(p, clean[t], h), h));
                 h = states.back().detach();
               }
               return stack(states);
             }),
      with_rule("the kept state has the gradient of the update, too", "gradient",
                [](F real, F next, F h, F) { return where(real, next, h + (next - next.detach())); }),
      with_rule("z near 1 in place of a mask", "not-exact",
                [](F real, F next, F h, F) {
                  const Tensor z = sigmoid(30.0 - 60.0 * real.to(h.dtype()));
                  return z * h + (1.0 - z) * next;
                }),
      with_lengths("no lengths", "ended-updated",
                   [](F x, F lengths) { return same_lengths(lengths, x.size(0)); }),
      with_lengths("one step too many", "mask-late", [](F, F lengths) { return shifted(lengths, 1); }),
      with_lengths("one step too few", "mask-early", [](F, F lengths) { return shifted(lengths, -1); }),
      with_lengths("the first row's length", "one-length-for-all",
                   [](F, F lengths) { return expand(lengths.slice(0, 1), lengths.shape()); }),
      with_lengths("pads in the step that is not chosen", "pads-in-gradient",
                   [](F, F lengths) { return lengths; }),
      with_lengths("a pad is an input of 0", "zero-input",
                   [](F x, F lengths) {
                     std::vector<std::int64_t> ends = lengths.to_vector<std::int64_t>();
                     const std::vector<double> all = sum(abs(x), 2).to(Dtype::f64).to_vector<double>();
                     for (std::size_t b = 0; b < ends.size(); ++b)
                       for (std::int64_t t = ends[b]; t-- > 0;)
                         if (all[static_cast<std::size_t>(t) * ends.size() + b] == 0) ends[b] = t;
                     return tensor(ends);
                   }),
      padded("a product with the mask", "pads-leak", states_by_products),
      padded("pads multiplied by 0", "pads-leak",
             [](P p, F x, F lengths, F first) {
               return states_by_products(p, x * ones_at_real(x, lengths), lengths, first);
             }),
      padded("starts from zeros", "start-ignored",
             [](P p, F x, F lengths, F first) {
               return right_states(p, x, lengths, zeros(first.shape(), first.dtype()));
             }),
      padded("every step from the first state", "state-not-carried",
             [](P p, F x, F, F first) {
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) states.push_back(right_step(p, x[t], first));
               return stack(states);
             }),
      padded("read backwards", "backwards",
             [](P p, F x, F lengths, F first) {
               const Tensor real = ones_at_real(x, lengths), clean = without_pads(x, lengths);
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = x.size(0); t-- > 0;) {
                 h = real[t] * right_step(p, clean[t], h) + (1.0 - real[t]) * h;
                 states.insert(states.begin(), h);
               }
               return stack(states);
             }),
      padded("PyTorch's step in the loop", "reset-after",
             [](P p, F x, F, F first) {
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(0); ++t) {
                 h = gru_update(linear(x[t], p.weight_ih, p.bias_ih), linear(h, p.weight_hh, p.bias_hh), h);
                 states.push_back(h);
               }
               return stack(states);
             }),
      padded("rows in place of steps", "axes-exchanged",
             [](P p, F x, F, F first) {
               Tensor h = first;
               std::vector<Tensor> states;
               for (std::int64_t t = 0; t < x.size(1); ++t) {
                 h = right_step(p, squeeze(x.slice(t, t + 1, 1), 1), h);
                 states.push_back(h);
               }
               return stack(states, 1);
             }),
      padded("pads set to 0 in place", "changes-its-input",
             [](P p, F x, F lengths, F first) {
               if (x.dtype() == Dtype::f64 && !x.requires_grad()) {
                 const std::vector<double> clean = without_pads(x, lengths).to_vector<double>();
                 std::ranges::copy(clean, Tensor(x).mutable_values<double>().begin());
               }
               return right_states(p, x, lengths, first);
             }),
      padded("starts from the last state of the call before", "remembers",
             [](P p, F x, F lengths, F first) {
               thread_local Tensor h;
               if (!h.defined() || h.shape() != first.shape()) h = first;
               const Tensor states = right_states(p, x, lengths, h);
               h = states[x.size(0) - 1].detach();
               return states;
             }),
      with_result("batch first", "axes-exchanged", [](F states, F, F) { return transpose(states, 0, 1); }),
      with_result("only the last state", "only-last-state",
                  [](F states, F, F) { return states[states.size(0) - 1]; }),
      with_result("the last state at every step", "only-last-state",
                  [](F states, F, F) {
                    return expand(states.slice(states.size(0) - 1, states.size(0)), states.shape());
                  }),
      with_result("the first state, too", "start-included",
                  [](F states, F, F first) { return concat({unsqueeze(first, 0), states}, 0); }),
      with_result("the state before each step", "state-before-step",
                  [](F states, F, F first) {
                    return concat({unsqueeze(first, 0), states.slice(0, states.size(0) - 1)}, 0);
                  }),
      with_result("from the last step to the first", "states-reversed",
                  [](F states, F, F) { return flip(states, 0); }),
      with_result("up to the longest length", "stops-at-longest",
                  [](F states, F lengths, F) { return states.slice(0, longest(lengths)); }),
      with_result("detached", "off-the-tape", [](F states, F, F) { return states.detach(); }),
  };
}

}  // namespace

int main() {
  std::vector<exercise::Attempt> attempts;
  for (const auto& group : {right(), wrong_steps(), wrong_loops()})
    attempts.insert(attempts.end(), group.begin(), group.end());
  return exercise::bank(attempts);
}
