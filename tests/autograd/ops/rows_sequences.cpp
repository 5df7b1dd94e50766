#include <gradus/autograd/packing.hpp>

#include <algorithm>
#include <tuple>

#include "rows.hpp"

namespace {

using gradus::GatedCell;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// ---- positions of packed rows

struct Place {
  std::int64_t step, sequence;
};

// The step and the sequence of each packed row. Rows are ordered by step, then by length, longest first.
std::vector<Place> places(const Values& lengths) {
  std::vector<Place> all;
  const auto length = [&](std::int64_t b) { return static_cast<std::int64_t>(lengths({b})); };
  for (std::int64_t b = 0; b < lengths.shape[0]; ++b) {
    for (std::int64_t t = 0; t < length(b); ++t) all.push_back({t, b});
  }
  std::sort(all.begin(), all.end(), [&](const Place& a, const Place& b) {
    return std::tuple(a.step, -length(a.sequence), a.sequence) <
           std::tuple(b.step, -length(b.sequence), b.sequence);
  });
  return all;
}

// The packed row of this step and sequence; −1 for padding.
std::int64_t row_of(const std::vector<Place>& all, std::int64_t step, std::int64_t sequence) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Place& place) {
    return place.step == step && place.sequence == sequence;
  });
  return found == all.end() ? -1 : found - all.begin();
}

// A row of a recurrence's result: the state of `sequence` after `steps` steps; `part` is 0 for h and 1 for c.
// The result has the packed rows (of h) first, then the last states: all h, then all c.
struct Made {
  std::int64_t sequence, steps, part;
};

Made made_until(const Values& lengths, std::int64_t row, bool reverse) {
  const std::vector<Place> all = places(lengths);
  const std::int64_t N = std::ssize(all), B = lengths.shape[0];
  if (row >= N) {
    const std::int64_t b = (row - N) % B;
    return {b, static_cast<std::int64_t>(lengths({b})), (row - N) / B};
  }
  const Place place = all[static_cast<std::size_t>(row)];
  const auto length = static_cast<std::int64_t>(lengths({place.sequence}));
  return {place.sequence, reverse ? length - place.step : place.step + 1, 0};
}

// Calls update(n) for the first made.steps steps of a sequence, in the order of computation. n is the step's
// packed row.
template <class Update>
void for_each_step(const Values& lengths, const Made& made, bool reverse, Update update) {
  const std::vector<Place> all = places(lengths);
  const auto length = static_cast<std::int64_t>(lengths({made.sequence}));
  for (std::int64_t i = 0; i < made.steps; ++i) {
    update(row_of(all, reverse ? length - 1 - i : i, made.sequence));
  }
}

// ---- cells

using State = std::vector<double>;

// Row b of a matrix (B, H).
State row(const Values& x, std::int64_t b) {
  State result;
  for (std::int64_t k = 0; k < x.shape[1]; ++k) result.push_back(x({b, k}));
  return result;
}

// Element i of W x, plus b[i] if b is given.
double product(const Values& W, const State& x, std::int64_t i, const Values* b = nullptr) {
  return total(std::ssize(x), [&](auto k) { return W({i, k}) * x[static_cast<std::size_t>(k)]; }) +
         (b == nullptr ? 0 : (*b)({i}));
}

// The original GRU's next state, computed from h. x_part(i) is element i of the product with the input. W is
// W_hh, and b is b_hh.
template <class Part>
State original_gru(const State& h, Part x_part, const Values& W, const Values* b) {
  const std::int64_t H = std::ssize(h);
  const auto gate = [&](std::int64_t k) { return sigmoid_of(x_part(k) + product(W, h, k, b)); };
  State reset, after;
  for (std::int64_t k = 0; k < H; ++k) reset.push_back(gate(k) * h[static_cast<std::size_t>(k)]);
  for (std::int64_t k = 0; k < H; ++k) {
    const double z = gate(H + k), n = std::tanh(x_part(2 * H + k) + product(W, reset, 2 * H + k, b));
    after.push_back((1 - z) * n + z * h[static_cast<std::size_t>(k)]);
  }
  return after;
}

// Advances h and c of an LSTM by one step. argument(i) is element i of W_ih x + W_hh h + biases.
template <class Argument>
void lstm(State& h, State& c, Argument argument) {
  const std::int64_t H = std::ssize(h);
  for (std::int64_t k = 0; k < H; ++k) {
    const auto at = static_cast<std::size_t>(k);
    c[at] = sigmoid_of(argument(H + k)) * c[at] + sigmoid_of(argument(k)) * std::tanh(argument(2 * H + k));
    h[at] = sigmoid_of(argument(3 * H + k)) * std::tanh(c[at]);
  }
}

// PyTorch's GRU: the next state from h. x_part(i) and u_part(i) are element i of W_ih x and W_hh h, plus
// biases.
template <class Part, class HiddenPart>
State gru(const State& h, Part x_part, HiddenPart u_part) {
  const std::int64_t H = std::ssize(h);
  State after;
  for (std::int64_t k = 0; k < H; ++k) {
    const double r = sigmoid_of(x_part(k) + u_part(k));
    const double z = sigmoid_of(x_part(H + k) + u_part(H + k));
    const double n = std::tanh(x_part(2 * H + k) + r * u_part(2 * H + k));
    after.push_back((1 - z) * n + z * h[static_cast<std::size_t>(k)]);
  }
  return after;
}

// ---- operations on x_parts, weight_hh, first states, lengths and an optional bias

Tensor optional(X x, std::size_t i) { return x.size() > i ? x[i] : Tensor(); }
const Values* optional(V x, std::size_t i) { return x.size() > i ? &x[i] : nullptr; }

// The states after each step, then the last states. The first states are x[2] and, for an LSTM, x[3].
template <GatedCell cell>
Tensor call_recurrent(X x, A a) {
  constexpr std::size_t lengths = cell == GatedCell::lstm ? 4 : 3;
  const auto [states, last] =
      recurrent_sequence(cell, x[0], x[1], optional(x, lengths + 1), {x.begin() + 2, x.begin() + lengths},
                         gradus::Packing(x[lengths]), a[0] == 1);
  std::vector<Tensor> all{states};
  all.insert(all.end(), last.begin(), last.end());
  return gradus::concat(all, 0);
}

template <GatedCell cell>
double value_of_gru(V x, I i, A a) {
  const Made made = made_until(x[3], i[0], a[0] == 1);
  State h = row(x[2], made.sequence);
  for_each_step(x[3], made, a[0] == 1, [&](std::int64_t n) {
    const auto x_part = [&](auto k) { return x[0]({n, k}); };
    h = cell == GatedCell::original_gru
            ? original_gru(h, x_part, x[1], optional(x, 4))
            : gru(h, x_part, [&](auto k) { return product(x[1], h, k, optional(x, 4)); });
  });
  return h[static_cast<std::size_t>(i[1])];
}

double value_of_lstm(V x, I i, A a) {
  const Made made = made_until(x[4], i[0], a[0] == 1);
  State h = row(x[2], made.sequence), c = row(x[3], made.sequence);
  for_each_step(x[4], made, a[0] == 1, [&](std::int64_t n) {
    lstm(h, c,
         [&, before = h](std::int64_t k) { return x[0]({n, k}) + product(x[1], before, k, optional(x, 5)); });
  });
  return (made.part == 0 ? h : c)[static_cast<std::size_t>(i[1])];
}

// ---- a decoder's recurrence

// Computes sequence b's weights and context. energy(j) is the energy of source position j.
template <class Energy>
void attend(const Values& values, std::int64_t b, std::int64_t length, Energy energy, State& alpha,
            State& c) {
  alpha.assign(static_cast<std::size_t>(values.shape[0]), 0);
  double sum = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    sum += alpha[static_cast<std::size_t>(t)] = std::exp(energy(t));
  }
  for (double& weight : alpha) weight /= sum > 0 ? sum : 1;
  c.clear();
  for (std::int64_t d = 0; d < values.shape[2]; ++d) {
    c.push_back(total(values.shape[0],
                      [&](auto t) { return alpha[static_cast<std::size_t>(t)] * values({t, b, d}); }));
  }
}

State joined(const State& a, const State& b) {
  State all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

double additive(const Values& W_a, const Values& v_a, const Values& keys, const State& s, std::int64_t t,
                std::int64_t b) {
  return total(v_a.shape[0],
               [&](auto k) { return v_a({k}) * std::tanh(product(W_a, s, k) + keys({t, b, k})); });
}

// Inputs: y, s_0, keys, values, weight_ih, weight_hh, W_a, v_a, target lengths, source lengths (if
// `bounded`), and optionally both biases.
template <bool bounded>
Tensor call_attention(X x, A) {
  constexpr std::size_t biases = bounded ? 10 : 9;
  return attention_sequence(x[0], {x[1]}, x[2], x[3], bounded ? x[9] : Tensor(),
                            {.layers = {{x[4], x[5], optional(x, biases), optional(x, biases + 1)}},
                             .score = {.W_a = x[6], .v_a = x[7]}},
                            gradus::Packing(x[8]));
}

template <bool bounded>
double value_of_attention(V x, I i, A) {
  constexpr std::size_t biases = bounded ? 10 : 9;
  const Made made = made_until(x[8], i[0], false);
  const std::int64_t b = made.sequence;
  const auto length = bounded ? static_cast<std::int64_t>(x[9]({b})) : x[2].shape[0];
  State s = row(x[1], b), alpha, c;
  for_each_step(x[8], made, false, [&](std::int64_t n) {
    attend(x[3], b, length, [&](auto t) { return additive(x[6], x[7], x[2], s, t, b); }, alpha, c);
    const State input = joined(row(x[0], n), c);
    s = gru(
        s, [&](auto k) { return product(x[4], input, k, optional(x, biases)); },
        [&](auto k) { return product(x[5], s, k, optional(x, biases + 1)); });
  });
  return joined(joined(s, c), alpha)[static_cast<std::size_t>(i[1])];
}

// An LSTM with scaled dot-product attention. Inputs: y, h_0, c_0, keys, values, weight_ih, weight_hh,
// bias_ih, bias_hh, target lengths.
Tensor call_dot_attention(X x, A) {
  return attention_sequence(
      x[0], {x[1], x[2]}, x[3], x[4], Tensor(),
      {.cell = GatedCell::lstm, .layers = {{x[5], x[6], x[7], x[8]}}, .score = {.scale = 0.75}},
      gradus::Packing(x[9]));
}

double value_of_dot_attention(V x, I i, A) {
  const Made made = made_until(x[9], i[0], false);
  const std::int64_t b = made.sequence;
  State h = row(x[1], b), cell = row(x[2], b), alpha, c;
  for_each_step(x[9], made, false, [&](std::int64_t n) {
    const auto energy = [&](std::int64_t t) {
      return 0.75 *
             total(std::ssize(h), [&](auto k) { return h[static_cast<std::size_t>(k)] * x[3]({t, b, k}); });
    };
    attend(x[4], b, x[3].shape[0], energy, alpha, c);
    const State input = joined(row(x[0], n), c);
    lstm(h, cell, [&, before = h](std::int64_t k) {
      return product(x[5], input, k, &x[7]) + product(x[6], before, k, &x[8]);
    });
  });
  return joined(joined(h, c), alpha)[static_cast<std::size_t>(i[1])];
}

// Two layers of the original GRU. The result contains the state before each step. Inputs: y, s_0 of both
// layers, keys, values, W_a, v_a, weight_ih and weight_hh of each layer, target lengths, source lengths.
Tensor call_layers(X x, A) {
  return attention_sequence(x[0], {x[1], x[2]}, x[3], x[4], x[12],
                            {.cell = GatedCell::original_gru,
                             .layers = {{x[7], x[8], {}, {}}, {x[9], x[10], {}, {}}},
                             .score = {.W_a = x[5], .v_a = x[6]},
                             .earlier = true},
                            gradus::Packing(x[11]));
}

double value_of_layers(V x, I i, A) {
  const Made made = made_until(x[11], i[0], false);
  const std::int64_t b = made.sequence;
  State lower = row(x[1], b), s = row(x[2], b), before, alpha, c;
  for_each_step(x[11], made, false, [&](std::int64_t n) {
    before = s;
    attend(
        x[4], b, static_cast<std::int64_t>(x[12]({b})),
        [&](auto t) { return additive(x[5], x[6], x[3], s, t, b); }, alpha, c);
    const State input = joined(row(x[0], n), c);
    lower = original_gru(lower, [&](auto k) { return product(x[7], input, k); }, x[8], nullptr);
    s = original_gru(s, [&](auto k) { return product(x[9], lower, k); }, x[10], nullptr);
  });
  return joined(joined(before, c), alpha)[static_cast<std::size_t>(i[1])];
}

}  // namespace

std::vector<Operation> sequences() {
  return {
      {.name = "pack",
       .call = [](X x, A) { return pack(x[0], gradus::Packing(x[1])); },
       .value =
           [](V x, I i, A) {
             const Place place = places(x[1])[static_cast<std::size_t>(i[0])];
             Integers index{place.step, place.sequence};
             index.insert(index.end(), i.begin() + 1, i.end());
             return x[0](index);
           },
       .samples = {"(3,3,2) {2,3,1} -> (6,2)", "(1,1) {1} -> (1)", "(5,4) {0,3,1,3} -> (7)",
                   "(2,3,2) {2,2,2} -> (6,2)", "(3,2,2) {2,2} -> (4,2)", "(3,1,2,3) {2} -> (2,2,3)",
                   "(2,2,1) {0,0} -> (0,1)", "(0,2,1) {0,0} -> (0,1)", "(3,0,2) {} -> (0,2)",
                   "(3,4,0) {1,0,3,2} -> (6,0)"},
       .refusals = {{"(3) {3}", "pack: the sequences are (3) and must be (T, 1, …) with T of at least 3"},
                    {"(2,3,4) {2,3,1}",
                     "pack: the sequences are (2, 3, 4) and must be (T, 3, …) with T of at least 3"},
                    {"(3,2,4) {2,3,1}",
                     "pack: the sequences are (3, 2, 4) and must be (T, 3, …) with T of at least 3"}}},
      {.name = "unpack",
       .call = [](X x, A a) { return unpack(x[0], gradus::Packing(x[1]), a[0]); },
       .value =
           [](V x, I i, A) {
             const std::int64_t n = row_of(places(x[1]), i[0], i[1]);
             if (n < 0) return 0.0;
             Integers index{n};
             index.insert(index.end(), i.begin() + 2, i.end());
             return x[0](index);
           },
       .samples = {"(6,2) {2,3,1} [0] -> (3,3,2)", "(6,2) {2,3,1} [5] -> (5,3,2)", "(1) {1} [0] -> (1,1)",
                   "(7) {0,3,1,3} [3] -> (3,4)", "(6,2) {2,2,2} [2] -> (2,3,2)", "(4,2) {2,2} [3] -> (3,2,2)",
                   "(2,2,3) {2} [0] -> (2,1,2,3)", "(0,1) {0,0} [0] -> (0,2,1)", "(0,1) {0,0} [2] -> (2,2,1)",
                   "(0,2) {} [3] -> (3,0,2)", "(6,0) {1,0,3,2} [0] -> (3,4,0)"},
       .refusals = {{"(5,2) {2,3,1} [0]", "unpack: the packed sequences are (5, 2) and must be (6, …)"},
                    {"() {1} [0]", "unpack: the packed sequences are () and must be (1, …)"},
                    {"(6,2) {2,3,1} [2]", "unpack: cannot pad to 2 steps: the longest sequence has 3"},
                    {"(6,2) {2,3,1} [-1]", "unpack: cannot pad to -1 steps: the longest sequence has 3"}}},
      {.name = "recurrent_sequence",
       .variant = "with a GRU",
       .call = call_recurrent<GatedCell::gru>,
       .value = value_of_gru<GatedCell::gru>,
       .samples = {"(1,3) (3,1) (1,1) {1} (3) [0] -> (2,1)", "(6,9) (9,3) (3,3) {2,3,1} (9) [0] -> (9,3)",
                   "(6,9) (9,3) (3,3) {2,3,1} (9) [1] -> (9,3)", "(6,9) (9,3) (3,3) {2,3,1} [0] -> (9,3)",
                   "(6,9) (9,3) (3,3) {2,3,1} [1] -> (9,3)", "(3,6) (6,2) (4,2) {0,2,0,1} (6) [0] -> (7,2)",
                   "(3,6) (6,2) (4,2) {0,2,0,1} (6) [1] -> (7,2)",
                   "(6,6) (6,2) (3,2) {2,2,2} (6) [0] -> (9,2)", "(6,6) (6,2) (3,2) {2,2,2} (6) [1] -> (9,2)",
                   // enough sequences and steps for packed weights
                   "(33,6) (6,2) (10,2) {4,1,5,2,3,4,0,6,3,5} (6) [0] -> (43,2)",
                   "(33,6) (6,2) (10,2) {4,1,5,2,3,4,0,6,3,5} (6) [1] -> (43,2)",
                   "(0,6) (6,2) (2,2) {0,0} (6) [0] -> (2,2)", "(0,6) (6,2) (0,2) {} (6) [1] -> (0,2)",
                   "(2,0) (0,0) (1,0) {2} (0) [0] -> (3,0)"},
       .refusals =
           {{"(6,6) (6,3) (3,2) {2,3,1} [0]", "recurrent_sequence: weight_hh is (6, 3) and must be (3H, H)"},
            {"(6,6) (6) (3,2) {2,3,1} [0]", "recurrent_sequence: weight_hh is (6) and must be (3H, H)"},
            {"(5,6) (6,2) (3,2) {2,3,1} [0]", "recurrent_sequence: x_parts is (5, 6) and must be (6, 6)"},
            {"(6,8) (6,2) (3,2) {2,3,1} [0]", "recurrent_sequence: x_parts is (6, 8) and must be (6, 6)"},
            {"(6,6) (6,2) (2,2) {2,3,1} [0]", "recurrent_sequence: h_0 is (2, 2) and must be (3, 2)"},
            {"(6,6) (6,2) (3,2) {2,3,1} (2) [0]", "recurrent_sequence: bias_hh is (2) and must be (6)"},
            {"(6,6) (6,2):f32 (3,2) {2,3,1} [0]",
             "recurrent_sequence: (6, 6) is f64 and (6, 2) is f32; convert one with .to(other.dtype())"},
            {"(6,6) (6,2) (3,2):f32 {2,3,1} [0]",
             "recurrent_sequence: (6, 6) is f64 and (3, 2) is f32; convert one with .to(other.dtype())"},
            {"(6,6) (6,2) (3,2) {2,3,1} (6):f32 [0]",
             "recurrent_sequence: (6, 6) is f64 and (6) is f32; convert one with .to(other.dtype())"},
            integers("recurrent_sequence", "(6,6):i64 (6,2):i64 (3,2):i64 {2,3,1} [0]")}},
      {.name = "recurrent_sequence",
       .variant = "with the original GRU",
       .call = call_recurrent<GatedCell::original_gru>,
       .value = value_of_gru<GatedCell::original_gru>,
       .samples = {"(1,3) (3,1) (1,1) {1} (3) [0] -> (2,1)", "(6,9) (9,3) (3,3) {2,3,1} (9) [0] -> (9,3)",
                   "(6,9) (9,3) (3,3) {2,3,1} [1] -> (9,3)", "(3,6) (6,2) (4,2) {0,2,0,1} (6) [1] -> (7,2)",
                   "(33,6) (6,2) (10,2) {4,1,5,2,3,4,0,6,3,5} (6) [0] -> (43,2)",
                   "(0,6) (6,2) (2,2) {0,0} (6) [0] -> (2,2)", "(2,0) (0,0) (1,0) {2} (0) [0] -> (3,0)"},
       .refusals = {{"(6,6) (6,3) (3,2) {2,3,1} [0]",
                     "recurrent_sequence: weight_hh is (6, 3) and must be (3H, H)"}}},
      {.name = "recurrent_sequence",
       .variant = "with an LSTM",
       .call = call_recurrent<GatedCell::lstm>,
       .value = value_of_lstm,
       .samples = {"(1,4) (4,1) (1,1) (1,1) {1} (4) [0] -> (3,1)",
                   "(6,12) (12,3) (3,3) (3,3) {2,3,1} (12) [0] -> (12,3)",
                   "(6,12) (12,3) (3,3) (3,3) {2,3,1} (12) [1] -> (12,3)",
                   "(6,12) (12,3) (3,3) (3,3) {2,3,1} [0] -> (12,3)",
                   "(6,12) (12,3) (3,3) (3,3) {2,3,1} [1] -> (12,3)",
                   "(3,8) (8,2) (4,2) (4,2) {0,2,0,1} (8) [0] -> (11,2)",
                   "(3,8) (8,2) (4,2) (4,2) {0,2,0,1} (8) [1] -> (11,2)",
                   "(6,8) (8,2) (3,2) (3,2) {2,2,2} (8) [0] -> (12,2)",
                   "(6,8) (8,2) (3,2) (3,2) {2,2,2} (8) [1] -> (12,2)",
                   "(33,8) (8,2) (10,2) (10,2) {4,1,5,2,3,4,0,6,3,5} (8) [0] -> (53,2)",
                   "(33,8) (8,2) (10,2) (10,2) {4,1,5,2,3,4,0,6,3,5} (8) [1] -> (53,2)",
                   "(0,8) (8,2) (2,2) (2,2) {0,0} (8) [0] -> (4,2)",
                   "(0,8) (8,2) (0,2) (0,2) {} (8) [1] -> (0,2)",
                   "(2,0) (0,0) (1,0) (1,0) {2} (0) [0] -> (4,0)"},
       .refusals =
           {{"(6,8) (8,3) (3,2) (3,2) {2,3,1} [0]",
             "recurrent_sequence: weight_hh is (8, 3) and must be (4H, H)"},
            {"(6,6) (8,2) (3,2) (3,2) {2,3,1} [0]",
             "recurrent_sequence: x_parts is (6, 6) and must be (6, 8)"},
            {"(6,8) (8,2) (2,2) (3,2) {2,3,1} [0]", "recurrent_sequence: h_0 is (2, 2) and must be (3, 2)"},
            {"(6,8) (8,2) (3,2) (3,1) {2,3,1} [0]", "recurrent_sequence: c_0 is (3, 1) and must be (3, 2)"},
            {"(6,8) (8,2) (3,2) (3,2) {2,3,1} (6) [0]", "recurrent_sequence: bias_hh is (6) and must be (8)"},
            {"(6,8) (8,2) (3,2) (3,2):f32 {2,3,1} [0]",
             "recurrent_sequence: (6, 8) is f64 and (3, 2) is f32; convert one with .to(other.dtype())"},
            integers("recurrent_sequence", "(6,8):i64 (8,2):i64 (3,2):i64 (3,2):i64 {2,3,1} [0]")}},
      {.name = "attention_sequence",
       .call = call_attention<false>,
       .value = value_of_attention<false>,
       // (N,E) (B,H) (T,B,A) (T,B,D) (3H,E+D) (3H,H) (A,H) (A) {target lengths} (3H) (3H) -> (N,H+D+T)
       .samples = {"(1,1) (1,1) (1,1,1) (1,1,1) (3,2) (3,1) (1,1) (1) {1} (3) (3) -> (1,3)",
                   "(6,2) (3,3) (4,3,5) (4,3,2) (9,4) (9,3) (5,3) (5) {2,3,1} (9) (9) -> (6,9)",
                   "(6,2) (3,3) (4,3,5) (4,3,2) (9,4) (9,3) (5,3) (5) {2,3,1} -> (6,9)",
                   "(4,1) (4,2) (1,4,3) (1,4,2) (6,3) (6,2) (3,2) (3) {0,3,0,1} (6) (6) -> (4,5)",
                   "(6,3) (3,2) (2,3,1) (2,3,3) (6,6) (6,2) (1,2) (1) {2,2,2} (6) (6) -> (6,7)",
                   // enough sequences and steps for packed weights
                   "(33,1) (10,2) (3,10,2) (3,10,1) (6,2) (6,2) (2,2) (2) {4,1,5,2,3,4,0,6,3,5} (6) (6) "
                   "-> (33,6)",
                   "(3,2) (2,2) (0,2,3) (0,2,2) (6,4) (6,2) (3,2) (3) {1,2} (6) (6) -> (3,4)",
                   "(3,0) (2,2) (2,2,3) (2,2,2) (6,2) (6,2) (3,2) (3) {1,2} (6) (6) -> (3,6)",
                   "(3,2) (2,2) (2,2,0) (2,2,2) (6,4) (6,2) (0,2) (0) {1,2} (6) (6) -> (3,6)",
                   "(3,2) (2,2) (2,2,3) (2,2,0) (6,2) (6,2) (3,2) (3) {1,2} (6) (6) -> (3,4)",
                   "(3,2) (2,0) (2,2,3) (2,2,2) (0,4) (0,0) (3,0) (3) {1,2} (0) (0) -> (3,4)",
                   "(0,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {0,0} (6) (6) -> (0,6)",
                   "(0,2) (0,2) (2,0,3) (2,0,2) (6,4) (6,2) (3,2) (3) {} (6) (6) -> (0,6)"},
       .refusals =
           {{"(3) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh "
             "(G·H, H), and got (3), (2, 2, 3), (2, 2, 2) and (6, 2)"},
            {"(3,2) (2,2) (2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh "
             "(G·H, H), and got (3, 2), (2, 3), (2, 2, 2) and (6, 2)"},
            {"(3,2) (2,2) (2,2,3) (2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh "
             "(G·H, H), and got (3, 2), (2, 2, 3), (2, 2) and (6, 2)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6) (3,2) (3) {1,2}",
             "attention_sequence: needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh "
             "(G·H, H), and got (3, 2), (2, 2, 3), (2, 2, 2) and (6)"},
            {"(4,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: the input is (4, 2) and must be (3, 2)"},
            {"(3,2) (3,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: s_0 is (3, 2) and must be (2, 2)"},
            {"(3,2) (2,2) (2,3,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: keys is (2, 3, 3) and must be (2, 2, 3)"},
            {"(3,2) (2,2) (2,2,3) (1,2,2) (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: values is (1, 2, 2) and must be (2, 2, 2)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,5) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: weight_ih is (6, 5) and must be (6, 4)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (5,2) (3,2) (3) {1,2}",
             "attention_sequence: weight_hh is (5, 2) and must be (6, 2)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (2,3) (3) {1,2}",
             "attention_sequence: W_a is (2, 3) and must be (3, 2)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (2) {1,2}",
             "attention_sequence: v_a is (2) and must be (3)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} (2) (6)",
             "attention_sequence: bias_ih is (2) and must be (6)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} (6) (3)",
             "attention_sequence: bias_hh is (3) and must be (6)"},
            {"(3,2) (2,2) (2,2,3) (2,2,2):f32 (6,4) (6,2) (3,2) (3) {1,2}",
             "attention_sequence: (3, 2) is f64 and (2, 2, 2) is f32; convert one with "
             ".to(other.dtype())"},
            {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} (6) (6):f32",
             "attention_sequence: (3, 2) is f64 and (6) is f32; convert one with .to(other.dtype())"},
            integers("attention_sequence",
                     "(3,2):i64 (2,2):i64 (2,2,3):i64 (2,2,2):i64 (6,4):i64 (6,2):i64 (3,2):i64 (3):i64 "
                     "{1,2}")}},
      {.name = "attention_sequence",
       .variant = "with source lengths",
       .call = call_attention<true>,
       .value = value_of_attention<true>,
       .samples = {"(6,2) (3,3) (4,3,5) (4,3,2) (9,4) (9,3) (5,3) (5) {2,3,1} {3,1,4} (9) (9) -> (6,9)",
                   "(6,2) (3,3) (4,3,5) (4,3,2) (9,4) (9,3) (5,3) (5) {2,3,1} {4,0,2} -> (6,9)",
                   "(3,1) (2,1) (1,2,1) (1,2,1) (3,2) (3,1) (1,1) (1) {1,2} {0,1} (3) (3) -> (3,3)"},
       .refusals = {{"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} {2,3}",
                     "attention_sequence: length 3 is outside [0, 2]"},
                    {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} {2}",
                     "attention_sequence: the lengths are (1) and must be (2), one per row of the batch"},
                    {"(3,2) (2,2) (2,2,3) (2,2,2) (6,4) (6,2) (3,2) (3) {1,2} (2)",
                     "attention_sequence: the lengths (2) must be i64, and is f64"}}},
      {.name = "attention_sequence",
       .variant = "of an LSTM, by dot products",
       .call = call_dot_attention,
       .value = value_of_dot_attention,
       // (N,E) (B,H) (B,H) (T,B,H) (T,B,D) (4H,E+D) (4H,H) (4H) (4H) {target lengths} -> (N,H+D+T)
       .samples = {"(1,1) (1,1) (1,1) (1,1,1) (1,1,1) (4,2) (4,1) (4) (4) {1} -> (1,3)",
                   "(6,2) (3,3) (3,3) (4,3,3) (4,3,2) (12,4) (12,3) (12) (12) {2,3,1} -> (6,9)",
                   "(33,1) (10,2) (10,2) (3,10,2) (3,10,1) (8,2) (8,2) (8) (8) {4,1,5,2,3,4,0,6,3,5} "
                   "-> (33,6)"},
       .refusals = {{"(3,2) (2,2) (2,1) (2,2,2) (2,2,2) (8,4) (8,2) (8) (8) {1,2}",
                     "attention_sequence: c_0 is (2, 1) and must be (2, 2)"},
                    {"(3,2) (2,2) (2,2) (2,2,3) (2,2,2) (8,4) (8,2) (8) (8) {1,2}",
                     "attention_sequence: keys is (2, 2, 3) and must be (2, 2, 2)"},
                    {"(3,2) (2,2) (2,2) (2,2,2) (2,2,2) (6,4) (8,2) (8) (8) {1,2}",
                     "attention_sequence: weight_ih is (6, 4) and must be (8, 4)"}}},
      {.name = "attention_sequence",
       .variant = "of two layers, with the state before",
       .call = call_layers,
       .value = value_of_layers,
       // (N,E) (B,H) (B,H) (T,B,A) (T,B,D) (A,H) (A) (3H,E+D) (3H,H) (3H,H) (3H,H)
       // {target lengths} {source lengths} -> (N,H+D+T)
       .samples = {"(1,1) (1,1) (1,1) (1,1,1) (1,1,1) (1,1) (1) (3,2) (3,1) (3,1) (3,1) {1} {1} -> (1,3)",
                   "(6,2) (3,3) (3,3) (4,3,5) (4,3,2) (5,3) (5) (9,4) (9,3) (9,3) (9,3) {2,3,1} {3,1,4} "
                   "-> (6,9)",
                   "(33,1) (10,2) (10,2) (3,10,2) (3,10,1) (2,2) (2) (6,2) (6,2) (6,2) (6,2) "
                   "{4,1,5,2,3,4,0,6,3,5} {3,1,2,3,1,2,3,1,2,3} -> (33,6)"},
       .refusals = {{"(3,2) (2,2) (2,2) (2,2,2) (2,2,2) (2,2) (2) (6,4) (6,2) (6,3) (6,2) {1,2} {2,2}",
                     "attention_sequence: weight_ih of layer 1 is (6, 3) and must be (6, 2)"},
                    {"(3,2) (2,2) (2,2) (2,2,2) (2,2,2) (2,2) (2) (6,4) (6,2) (6,2) (6,1) {1,2} {2,2}",
                     "attention_sequence: weight_hh of layer 1 is (6, 1) and must be (6, 2)"}}},
  };
}
