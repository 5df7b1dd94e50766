// Each fused operation must equal its composed twin. Modules that use a fused operation must equal their
// composed forms, too.

#include "nn/twins.hpp"

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::GatedCell;
using gradus::Packing;
using gradus::Shape;
using gradus::Tensor;

namespace {

struct Sizes {
  std::int64_t T, B, N;
};
constexpr Sizes all_sizes[] = {{1, 1, 1}, {3, 1, 17}, {17, 3, 1}, {1, 17, 3}, {3, 7, 33}, {7, 33, 3}};

// B lengths: 1, 3, 5 …, wrapping around at T.
Tensor lengths_up_to(std::int64_t T, std::int64_t B) {
  Ids lengths;
  for (std::int64_t b = 0; b < B; ++b) lengths.push_back((b * 2) % T + 1);
  return integers(lengths);
}

// Calls visit(sizes, lengths, precision) for all sizes and precisions, each with and without lengths.
template <class Visit>
void for_each_case(Visit visit) {
  for (const Sizes& sizes : all_sizes) {
    for (const Tensor& lengths : {lengths_up_to(sizes.T, sizes.B), Tensor()}) {
      for (const Precision& precision : precisions) {
        INFO("T = " << sizes.T << ", B = " << sizes.B << ", N = " << sizes.N << ", lengths " << lengths
                    << ", " << name(precision.dtype));
        visit(sizes, lengths, precision);
      }
    }
  }
}

// ---- operations

struct Twin {
  const char* name;
  std::vector<Shape> (*inputs)(const Sizes& sizes);
  Tensor (*fused)(const Tensors& x, const Tensor& lengths);
  Tensor (*composed)(const Tensors& x, const Tensor& lengths);
};

Tensor composed_gru_update(const Tensors& x, const Tensor& /*lengths*/) {
  const std::int64_t H = x[2].size(1);
  const auto gate = [H](const Tensor& part, int i) { return part.slice(i * H, (i + 1) * H, 1); };
  const Tensor r = sigmoid(gate(x[0], 0) + gate(x[1], 0));
  const Tensor z = sigmoid(gate(x[0], 1) + gate(x[1], 1));
  const Tensor n = tanh(gate(x[0], 2) + r * gate(x[1], 2));
  return (1.0 - z) * n + z * x[2];
}

Tensor composed_lstm_update(const Tensors& x, const Tensor& /*lengths*/) {
  const std::int64_t H = x[2].size(1);
  const auto argument = [&](int i) { return (x[0] + x[1]).slice(i * H, (i + 1) * H, 1); };
  const Tensor c = sigmoid(argument(1)) * x[2] + sigmoid(argument(0)) * tanh(argument(2));
  return gradus::stack({sigmoid(argument(3)) * tanh(c), c});
}

Tensor composed_additive_energy(const Tensors& x, const Tensor& lengths) {
  const Tensor e = sum(tanh(x[0] + x[1]) * x[2], 2);  // (T, B)
  if (!lengths.defined()) return transpose(e, 0, 1);
  return transpose(where(real_steps(lengths, e.size(0)), e, gradus::zeros({1}, e.dtype())), 0, 1);
}

Tensor composed_weighted_sum(const Tensors& x, const Tensor& lengths) {
  const Tensor alpha = transpose(x[0], 0, 1).reshape({x[1].size(0), x[1].size(1), 1});
  const Tensor terms = alpha * x[1];  // (T, B, D)
  return sum(lengths.defined() ? only_real(terms, lengths) : terms, 0);
}

Packing packing_of(const Tensor& x, const Tensor& lengths) {
  return lengths.defined() ? Packing(lengths) : Packing(x.size(0), x.size(1));
}

// Calls update(x[0][t], state) for each step t of the padded sequences x[0]. Returns the packed states h,
// then the last states.
template <class Update>
Tensor step_by_step(const Tensors& x, Tensors state, const Tensor& lengths, bool reverse, Update update) {
  const std::int64_t T = x[0].size(0);
  Tensors states(static_cast<std::size_t>(T));
  for (std::int64_t i = 0; i < T; ++i) {
    const std::int64_t t = reverse ? T - 1 - i : i;
    const Tensors updated = update(x[0][t], state);
    for (std::size_t part = 0; part < state.size(); ++part) {
      state[part] = lengths.defined()
                        ? where(greater(lengths.reshape({-1, 1}), integers({t})), updated[part], state[part])
                        : updated[part];
    }
    states[static_cast<std::size_t>(t)] = state[0];
  }
  state.insert(state.begin(), pack(gradus::stack(states), packing_of(x[0], lengths)));
  return gradus::concat(state, 0);
}

template <GatedCell cell, bool reverse>
Tensor fused_sequence(const Tensors& x, const Tensor& lengths) {
  const Packing packing = packing_of(x[0], lengths);
  const auto [states, last] =
      recurrent_sequence(cell, pack(x[0], packing), x[1], x[2], {x.begin() + 3, x.end()}, packing, reverse);
  Tensors all{states};
  all.insert(all.end(), last.begin(), last.end());
  return gradus::concat(all, 0);
}

template <bool reverse>
Tensor composed_gru_sequence(const Tensors& x, const Tensor& lengths) {
  return step_by_step(x, {x[3]}, lengths, reverse, [&](const Tensor& part, const Tensors& state) {
    return Tensors{composed_gru_update({part, linear(state[0], x[1], x[2]), state[0]}, Tensor())};
  });
}

template <bool reverse>
Tensor composed_lstm_sequence(const Tensors& x, const Tensor& lengths) {
  return step_by_step(x, {x[3], x[4]}, lengths, reverse, [&](const Tensor& part, const Tensors& state) {
    const Tensor after = composed_lstm_update({part, linear(state[0], x[1], x[2]), state[1]}, Tensor());
    return Tensors{after[0], after[1]};
  });
}

std::vector<Shape> gru_shapes(const Sizes& n) {
  return {{n.T, n.B, 3 * n.N}, {3 * n.N, n.N}, {3 * n.N}, {n.B, n.N}};
}
std::vector<Shape> lstm_shapes(const Sizes& n) {
  return {{n.T, n.B, 4 * n.N}, {4 * n.N, n.N}, {4 * n.N}, {n.B, n.N}, {n.B, n.N}};
}

const Twin twins[] = {
    {"gru_update",
     [](const Sizes& n) -> std::vector<Shape> { return {{n.B, 3 * n.N}, {n.B, 3 * n.N}, {n.B, n.N}}; },
     [](const Tensors& x, const Tensor& /*lengths*/) { return gru_update(x[0], x[1], x[2]); },
     composed_gru_update},
    {"lstm_update",
     [](const Sizes& n) -> std::vector<Shape> { return {{n.B, 4 * n.N}, {n.B, 4 * n.N}, {n.B, n.N}}; },
     [](const Tensors& x, const Tensor& /*lengths*/) { return lstm_update(x[0], x[1], x[2]); },
     composed_lstm_update},
    {"additive_energy",
     [](const Sizes& n) -> std::vector<Shape> { return {{n.B, n.N}, {n.T, n.B, n.N}, {n.N}}; },
     [](const Tensors& x, const Tensor& lengths) { return additive_energy(x[0], x[1], x[2], lengths); },
     composed_additive_energy},
    {"weighted_sum", [](const Sizes& n) -> std::vector<Shape> { return {{n.B, n.T}, {n.T, n.B, n.N}}; },
     [](const Tensors& x, const Tensor& lengths) { return weighted_sum(x[0], x[1], lengths); },
     composed_weighted_sum},
    {"a GRU", gru_shapes, fused_sequence<GatedCell::gru, false>, composed_gru_sequence<false>},
    {"a GRU in reverse", gru_shapes, fused_sequence<GatedCell::gru, true>, composed_gru_sequence<true>},
    {"an LSTM", lstm_shapes, fused_sequence<GatedCell::lstm, false>, composed_lstm_sequence<false>},
    {"an LSTM in reverse", lstm_shapes, fused_sequence<GatedCell::lstm, true>, composed_lstm_sequence<true>},
};

// ---- the decoder's recurrence
// Inputs: padded y, s_0, keys, values, weight_ih, weight_hh, W_a, v_a, both biases.

std::vector<Shape> attention_shapes(const Sizes& n) {
  const std::int64_t S = 4, E = 2, A = 5, D = 3, H = n.N;
  return {{n.T, n.B, E}, {n.B, H}, {S, n.B, A}, {S, n.B, D}, {3 * H, E + D},
          {3 * H, H},    {A, H},   {A},         {3 * H},     {3 * H}};
}

Tensor fused_attention(const Tensors& x, const Tensor& sources, const Tensor& lengths) {
  const Packing packing = packing_of(x[0], lengths);
  return attention_sequence(pack(x[0], packing), {x[1]}, x[2], x[3], sources,
                            {.layers = {{x[4], x[5], x[8], x[9]}}, .score = {.W_a = x[6], .v_a = x[7]}},
                            packing);
}

Tensor composed_attention(const Tensors& x, const Tensor& sources, const Tensor& lengths) {
  Tensor s = x[1];
  Tensors rows;
  for (std::int64_t t = 0; t < x[0].size(0); ++t) {
    const Tensor e = composed_additive_energy({linear(s, x[6]), x[2], x[7]}, Tensor());
    const Tensor alpha = masked_softmax(e, sources);  // (B, S)
    const Tensor c = composed_weighted_sum({alpha, x[3]}, Tensor());
    s = composed_gru_update({linear(gradus::concat({x[0][t], c}, 1), x[4], x[8]), linear(s, x[5], x[9]), s},
                            Tensor());
    rows.push_back(gradus::concat({s, c, alpha}, 1));
  }
  return pack(gradus::stack(rows), packing_of(x[0], lengths));
}

}  // namespace

TEST_CASE("a fused operation equals its twin, whichever inputs need a gradient", "[nn][twins][long]") {
  for (const Twin& twin : twins) {
    INFO(twin.name);
    for_each_case([&](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
      const std::vector<Shape> shapes = twin.inputs(sizes);
      for (unsigned wanted = 1; wanted < 1u << shapes.size(); ++wanted) {
        INFO("inputs that need a gradient, as bits: " << wanted);
        const Tensors x = leaves_of(shapes, precision.dtype, wanted);
        check_equal([&] { return Tensors{twin.fused(x, lengths)}; },
                    [&] { return Tensors{twin.composed(x, lengths)}; }, x, precision);
      }
    });
  }
}

TEST_CASE("attention_sequence equals its twin when only one input needs a gradient, or all but one",
          "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
    const std::vector<Shape> shapes = attention_shapes(sizes);
    const unsigned all = (1u << shapes.size()) - 1;
    const Tensor sources = lengths.defined() ? lengths_up_to(4, sizes.B) : Tensor();
    const auto check = [&](unsigned wanted) {
      INFO("inputs that need a gradient, as bits: " << wanted);
      const Tensors x = leaves_of(shapes, precision.dtype, wanted);
      check_equal([&] { return Tensors{fused_attention(x, sources, lengths)}; },
                  [&] { return Tensors{composed_attention(x, sources, lengths)}; }, x, precision);
    };
    check(all);
    for (std::size_t input = 0; input < shapes.size(); ++input) {
      check(1u << input);
      check(all & ~(1u << input));
    }
  });
}

TEST_CASE("a tensor used for two inputs has the gradients of both", "[nn][twins]") {
  const auto check = [](const Twin& twin, const Shape& shape, auto inputs) {
    INFO(twin.name);
    for (const Precision& precision : precisions) {
      const Tensors x = leaves_of({shape}, precision.dtype, 1);
      check_equal([&] { return Tensors{twin.fused(inputs(x[0]), Tensor())}; },
                  [&] { return Tensors{twin.composed(inputs(x[0]), Tensor())}; }, x, precision);
    }
  };
  check(twins[0], {3, 15}, [](const Tensor& x) { return Tensors{x, x, x.slice(2, 7, 1)}; });
  check(twins[1], {3, 20}, [](const Tensor& x) {
    const Tensor h = x.slice(2, 7, 1);
    return Tensors{x, x, h, h};
  });
  check(twins[2], {1, 5}, [](const Tensor& x) { return Tensors{x, x.reshape({1, 1, 5}), x.reshape({5})}; });
  check(twins[3], {1, 5}, [](const Tensor& x) { return Tensors{x, x.reshape({5, 1, 1})}; });
}

// ---- modules

TEST_CASE("GRUCell and LSTMCell equal their composed forms", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& /*lengths*/, const Precision& precision) {
    nn::GRUCell gru(sizes.T, sizes.N);
    nn::LSTMCell lstm(sizes.T, sizes.N);
    gru.to(precision.dtype);
    lstm.to(precision.dtype);
    const Tensors x =
        leaves_of({{sizes.B, sizes.T}, {sizes.B, sizes.N}, {sizes.B, sizes.N}}, precision.dtype, 0b111);
    check_equal([&] { return Tensors{gru.forward(x[0], x[1])}; }, with_parameters(gru, {x[0], x[1]}),
                precision);
    check_equal([&] { return lstm.forward(x[0], x[1], x[2]).tensors(); }, with_parameters(lstm, x),
                precision);
  });
}

TEST_CASE("GRU and LSTM equal their composed forms", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
    nn::GRU gru(2, sizes.N, {.bidirectional = true});
    nn::GRU original(2, sizes.N, {.bidirectional = true, .form = nn::GRUForm::original});
    nn::LSTM lstm(2, sizes.N, {.bidirectional = true});
    gru.to(precision.dtype);
    original.to(precision.dtype);
    lstm.to(precision.dtype);
    const Shape state{2, sizes.B, sizes.N};
    const Tensors x = leaves_of({{sizes.T, sizes.B, 2}, state, state}, precision.dtype, 0b111);
    check_equal([&] { return gru.forward(x[0], lengths, x[1]).tensors(); },
                with_parameters(gru, {x[0], x[1]}), precision);
    check_equal([&] { return gru.forward(x[0], lengths).tensors(); }, with_parameters(gru, {x[0]}),
                precision);
    check_equal([&] { return original.forward(x[0], lengths, x[1]).tensors(); },
                with_parameters(original, {x[0], x[1]}), precision);
    check_equal([&] { return lstm.forward(x[0], lengths, x[1], x[2]).tensors(); }, with_parameters(lstm, x),
                precision);
  });
}

// Cases: more sequences than one thread takes; few steps; few sequences; weights larger than a core's cache.
TEST_CASE("GRU and LSTM equal their composed forms, for any split among threads", "[nn][twins][long]") {
  for (const Sizes& sizes : {Sizes{6, 24, 5}, Sizes{2, 24, 5}, Sizes{6, 5, 5}, Sizes{5, 9, 400}}) {
    for (const int count : {1, 2, 3}) {
      for (const Precision& precision : precisions) {
        INFO("T = " << sizes.T << ", B = " << sizes.B << ", N = " << sizes.N << ", " << count << " threads, "
                    << name(precision.dtype));
        const Threads set(count);
        const Tensor lengths = lengths_up_to(sizes.T, sizes.B);
        nn::GRU gru(3, sizes.N, {.bidirectional = true});
        nn::GRU original(3, sizes.N, {.bidirectional = true, .form = nn::GRUForm::original});
        nn::LSTM lstm(3, sizes.N, {.bidirectional = true});
        gru.to(precision.dtype);
        original.to(precision.dtype);
        lstm.to(precision.dtype);
        const Tensors x = leaves_of({{sizes.T, sizes.B, 3}}, precision.dtype, 1);
        check_equal([&] { return gru.forward(x[0], lengths).tensors(); }, with_parameters(gru, x), precision);
        check_equal([&] { return original.forward(x[0], lengths).tensors(); }, with_parameters(original, x),
                    precision);
        check_equal([&] { return lstm.forward(x[0], lengths).tensors(); }, with_parameters(lstm, x),
                    precision);
      }
    }
  }
}

TEST_CASE("AdditiveAttention equals its composed form", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
    nn::AdditiveAttention attention(2, 3, sizes.N);
    attention.to(precision.dtype);
    const Tensors x = leaves_of({{sizes.B, 2}, {sizes.T, sizes.B, 3}}, precision.dtype, 0b11);
    const Function attend = [&] {
      return attention.attend(x[0], attention.prepare(x[1], lengths), 0, Tensor()).tensors();
    };
    check_equal(attend, with_parameters(attention, x), precision);
  });
}

TEST_CASE("a module with a single trained tensor equals its composed form", "[nn][twins]") {
  nn::GRU gru(2, 3, {.bidirectional = true});
  nn::AdditiveAttention attention(4, 6, 5);
  gru.to(Dtype::f64);
  attention.to(Dtype::f64);
  const Tensor lengths = integers({3, 1, 4});
  Tensors leaves = leaves_of({{4, 3, 2}, {3, 4}}, Dtype::f64, 0b11);
  const Function f = [&, x = leaves] {
    const nn::Memory memory = attention.prepare(gru.forward(x[0], lengths).output, lengths);
    return attention.attend(x[1], memory, 0, Tensor()).tensors();
  };
  for (const nn::Module* module : {static_cast<nn::Module*>(&gru), static_cast<nn::Module*>(&attention)}) {
    leaves = with_parameters(*module, leaves);
  }
  for (const Tensor& trained : leaves) {
    for (Tensor leaf : leaves) leaf.set_requires_grad(leaf.is(trained));
    check_equal(f, leaves, precisions[0]);
    CHECK(mismatch(trained.grad(), gradus::ones(trained.shape())) != "");
  }
}
