#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

#include "kit/invariants.hpp"
#include "parts.hpp"

namespace lstm_decoder {

namespace {

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// --- The cell, in plain loops ---

// {h′, c′} of one unit, from the pre-activations of i, f, g and o, and from c.
using Update = std::function<std::pair<double, double>(const std::array<double, 4>& sums, double c)>;

std::pair<double, double> standard(const std::array<double, 4>& sums, double c) {
  const auto& [i, f, g, o] = sums;
  const double next = sigmoid_of(f) * c + sigmoid_of(i) * std::tanh(g);
  return {sigmoid_of(o) * std::tanh(next), next};
}

// A variant of the equations. The default values give the right cell.
struct CellForm {
  std::array<int, 4> blocks{0, 1, 2, 3};      // block index of each gate: i, f, g, o
  std::array<double, 4> bias_ih{1, 1, 1, 1};  // factor of the bias of each gate
  std::array<double, 4> bias_hh{1, 1, 1, 1};
  bool interleaved = false;  // unit k's gates are adjacent: row 4k + gate instead of H · gate + k
  double forget = 0;         // added to f's pre-activation
  double recurrence = 1;     // factor of W_hh h
  bool of_h = false;         // c′ is computed from h instead of c
  Update update = standard;
};

CellState lstm(const CellWeights& w, const Plain& x, const CellState& before, const CellForm& form) {
  const std::int64_t H = before.h.size(1);
  CellState after{Plain(before.h.shape()), Plain(before.h.shape())};
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    for (std::int64_t k = 0; k < H; ++k) {
      std::array<double, 4> sums{0, form.forget, 0, 0};
      for (std::size_t gate = 0; gate < 4; ++gate) {
        const std::int64_t row = form.interleaved ? 4 * k + form.blocks[gate] : form.blocks[gate] * H + k;
        sums[gate] += form.bias_ih[gate] * w.bias_ih(row) + form.bias_hh[gate] * w.bias_hh(row);
        for (std::int64_t n = 0; n < x.size(1); ++n) sums[gate] += w.weight_ih(row, n) * x(b, n);
        for (std::int64_t n = 0; n < H; ++n)
          sums[gate] += form.recurrence * w.weight_hh(row, n) * before.h(b, n);
      }
      std::tie(after.h(b, k), after.c(b, k)) = form.update(sums, form.of_h ? before.h(b, k) : before.c(b, k));
    }
  }
  return after;
}

// --- Wrong cells ---

struct WrongCell {
  Mistake mistake;
  CellForm form;
};

std::vector<WrongCell> wrong_orders() {
  const std::array<char, 4> letters{'i', 'f', 'g', 'o'};
  std::vector<WrongCell> wrong;
  std::array<int, 4> blocks{0, 1, 2, 3};
  while (std::next_permutation(blocks.begin(), blocks.end())) {
    std::array<char, 4> order{};
    for (std::size_t gate = 0; gate < 4; ++gate)
      order[static_cast<std::size_t>(blocks[gate])] = letters[gate];
    std::string sign = "The gates are read in the order ";
    for (const char letter : order) sign += std::string(1, letter) + (letter == order.back() ? "." : ", ");
    wrong.push_back({{"gate-order", sign,
                      "The four blocks of rows are those of i, f, g and o, in this order, as in PyTorch."},
                     {.blocks = blocks}});
  }
  return wrong;
}

std::vector<WrongCell> wrong_biases() {
  const auto twice = [](const std::string& which) {
    return Mistake{"forget-bias", "The forget gate gets " + which + ".",
                   "Each gate adds its part of bias_ih and of bias_hh once, and no other constant."};
  };
  const Mistake missing{"bias-missing", "A bias is missing.", "Each gate adds bias_ih and bias_hh."};
  const Mistake doubled{
      "bias-twice", "All biases are added twice.",
      "linear(x, weight, bias) adds its bias already: each gate adds bias_ih and bias_hh once."};
  return {
      {doubled, {.bias_ih = {2, 2, 2, 2}, .bias_hh = {2, 2, 2, 2}}},
      {doubled, {.bias_ih = {2, 2, 2, 2}}},
      {doubled, {.bias_hh = {2, 2, 2, 2}}},
      {twice("bias_ih twice"), {.bias_ih = {1, 2, 1, 1}}},
      {twice("bias_hh twice"), {.bias_hh = {1, 2, 1, 1}}},
      {twice("its biases twice"), {.bias_ih = {1, 2, 1, 1}, .bias_hh = {1, 2, 1, 1}}},
      {twice("a 1 on top of its biases"), {.forget = 1}},
      {missing, {.bias_ih = {0, 0, 0, 0}}},
      {missing, {.bias_hh = {0, 0, 0, 0}}},
      {missing, {.bias_ih = {0, 0, 0, 0}, .bias_hh = {0, 0, 0, 0}}},
  };
}

// A wrong c′ = cell(i, f, g, c), with the right h′ = o ∘ tanh c′.
Update with_cell(const std::function<double(double i, double f, double g, double c)>& cell) {
  return [cell](const std::array<double, 4>& sums, double c) {
    const double next = cell(sums[0], sums[1], sums[2], c);
    return std::pair(sigmoid_of(sums[3]) * std::tanh(next), next);
  };
}

// The right c′, with a wrong h′ = output(o, c′, c).
Update with_output(const std::function<double(double o, double next, double c)>& output) {
  return [output](const std::array<double, 4>& sums, double c) {
    const double next = standard(sums, c).second;
    return std::pair(output(sums[3], next, c), next);
  };
}

std::vector<WrongCell> wrong_updates() {
  const std::string cell = "c′ = f ∘ c + i ∘ g.", output = "h′ = o ∘ tanh c′.";
  return {
      {{"gates-interleaved", "The gates of one unit are read from neighbouring rows: i, f, g, o, i, f, …",
        "The first H rows belong to i, the next H to f: split(x, {H, H, H, H}, 1), or reshape to (B, 4, H)."},
       {.interleaved = true}},
      {{"no-recurrence", "W_hh h is missing.", "The gates depend on the input and on the previous state."},
       {.recurrence = 0}},
      {{"sigmoid-g", "g uses a sigmoid.", "g is the candidate, a tanh; only the gates are sigmoids."},
       {.update = with_cell([](double i, double f, double g, double c) {
          return sigmoid_of(f) * c + sigmoid_of(i) * sigmoid_of(g);
        })}},
      {{"tanh-gates", "The gates use tanh, not a sigmoid.", "A gate is a factor between 0 and 1."},
       {.update =
            [](const std::array<double, 4>& sums, double c) {
              const double next = std::tanh(sums[1]) * c + std::tanh(sums[0]) * std::tanh(sums[2]);
              return std::pair(std::tanh(sums[3]) * std::tanh(next), next);
            }}},
      {{"tanh-output-gate", "The output gate uses tanh, not a sigmoid.",
        "A gate is a factor between 0 and 1."},
       {.update = with_output([](double o, double next, double) { return std::tanh(o) * std::tanh(next); })}},
      {{"subtracted", "i ∘ g is subtracted, not added.", cell},
       {.update = with_cell([](double i, double f, double g, double c) {
          return sigmoid_of(f) * c - sigmoid_of(i) * std::tanh(g);
        })}},
      {{"candidate-shown", "h′ is computed from g, not from c′.", output},
       {.update =
            [](const std::array<double, 4>& sums, double c) {
              return std::pair(sigmoid_of(sums[3]) * std::tanh(std::tanh(sums[2])), standard(sums, c).second);
            }}},
      {{"no-forget-gate", "c is not multiplied by the forget gate.", cell},
       {.update = with_cell(
            [](double i, double, double g, double c) { return c + sigmoid_of(i) * std::tanh(g); })}},
      {{"no-input-gate", "g is not multiplied by the input gate.", cell},
       {.update = with_cell(
            [](double, double f, double g, double c) { return sigmoid_of(f) * c + std::tanh(g); })}},
      {{"coupled-gates", "1 − f is used in place of i, as in a GRU.", cell},
       {.update = with_cell([](double, double f, double g, double c) {
          return sigmoid_of(f) * c + (1 - sigmoid_of(f)) * std::tanh(g);
        })}},
      {{"coupled-gates", "1 − i is used in place of f, as in a GRU.", cell},
       {.update = with_cell([](double i, double, double g, double c) {
          return (1 - sigmoid_of(i)) * c + sigmoid_of(i) * std::tanh(g);
        })}},
      {{"forget-inverted", "1 − f is used in place of f.", "A forget gate of 1 keeps c. " + cell},
       {.update = with_cell([](double i, double f, double g, double c) {
          return (1 - sigmoid_of(f)) * c + sigmoid_of(i) * std::tanh(g);
        })}},
      {{"cell-unused", "c is not used.", cell}, {.update = with_cell([](double i, double, double g, double) {
                                                   return sigmoid_of(i) * std::tanh(g);
                                                 })}},
      {{"cell-unchanged", "The old c is returned as c′.", "Return both: {h′, c′}. " + cell},
       {.update = [](const std::array<double, 4>& sums,
                     double c) { return std::pair(standard(sums, c).first, c); }}},
      {{"clipped", "c′ is clipped to [−1, 1].", "c may exceed 1: only h′ = o ∘ tanh c′ is bounded."},
       {.update = with_cell([](double i, double f, double g, double c) {
          return std::clamp(sigmoid_of(f) * c + sigmoid_of(i) * std::tanh(g), -1.0, 1.0);
        })}},
      {{"state-for-cell", "h is used in place of c.", cell}, {.of_h = true}},
      {{"output-gate-on-cell", "The output gate is applied to c′, too.",
        "The output gate affects only h′: " + output},
       {.update =
            [](const std::array<double, 4>& sums, double c) {
              const double next = sigmoid_of(sums[3]) * standard(sums, c).second;
              return std::pair(std::tanh(next), next);
            }}},
      {{"state-swapped", "h′ and c′ are swapped.", "forward returns {h′, c′}, in this order."},
       {.update =
            [](const std::array<double, 4>& sums, double c) {
              const auto [h, next] = standard(sums, c);
              return std::pair(next, h);
            }}},
      {{"no-tanh-of-cell", "The tanh of c′ is missing.", output},
       {.update = with_output([](double o, double next, double) { return sigmoid_of(o) * next; })}},
      {{"old-cell-shown", "h′ is computed from c, not from c′.", "Compute c′ first, then h′ from it."},
       {.update = with_output([](double o, double, double c) { return sigmoid_of(o) * std::tanh(c); })}},
      {{"peephole", "The output gate also reads c′.", "o depends on x and h only."},
       {.update = with_output(
            [](double o, double next, double) { return sigmoid_of(o + next) * std::tanh(next); })}},
      {{"peephole", "The output gate also reads c.", "o depends on x and h only."},
       {.update = with_output(
            [](double o, double next, double c) { return sigmoid_of(o + c) * std::tanh(next); })}},
      {{"no-output-gate", "The output gate is not used.", output},
       {.update = with_output([](double, double next, double) { return std::tanh(next); })}},
      {{"output-gate-inside", "The output gate is inside the tanh.", output},
       {.update =
            with_output([](double o, double next, double) { return std::tanh(sigmoid_of(o) * next); })}},
  };
}

// --- The stages of the cell ---

constexpr std::int64_t I = 5;

struct CellCase {
  Tensor x, h, c;  // (B, I), (B, H), (B, H)
};

CellCase cell_case(std::int64_t B = 2, std::uint64_t seed = 2, double size = 1) {
  Generator generator(seed);
  const auto drawn = [&](std::int64_t n) { return normal({B, n}, 0, 1, generator, Dtype::f64); };
  const Tensor x = drawn(I), h = drawn(hidden);
  return {x, h, 3 * size * drawn(hidden)};  // the factor 3 makes some |c′| exceed 1
}

LstmAnswer::Cell make_cell(const LstmAnswer& answer) {
  const LstmAnswer::Cell cell = answer.cell(I, hidden);
  in_double(*cell.module);
  return cell;
}

void cell_shapes(const LstmAnswer& answer) {
  const LstmAnswer::Cell cell = make_cell(answer);
  exercise::expect_parameters(*cell.module, cell_parameters("", I));
  const auto [x, h, c] = cell_case();
  const auto [h_after, c_after] = cell.forward(x, h, c);
  exercise::expect_shape("h′", h_after, h.shape(), "(B, H)");
  exercise::expect_shape("c′", c_after, c.shape(), "(B, H)");
}

exercise::Results cell_results(const LstmAnswer::Cell& cell, const CellCase& k) {
  const auto [h, c] = cell.forward(k.x, k.h, k.c);
  return {{"h′", h}, {"c′", c}};
}

void cell_values(const LstmAnswer& answer) {
  const LstmAnswer::Cell cell = make_cell(answer);
  const CellCase k = cell_case();
  const auto& [x, h, c] = k;
  const CellWeights w = weights_of(*cell.module, "");
  const CellState expected = lstm(w, Plain(x), {Plain(h), Plain(c)});
  // A mistake that leaves c′ right is a suspect for h′. Every other mistake is a suspect for c′.
  std::vector<Suspect> of_h, of_c;
  const auto suspect = [&](const Mistake& mistake, const CellState& after) {
    const bool in_h = after.c.values() == expected.c.values();
    (in_h ? of_h : of_c).push_back({mistake, in_h ? after.h : after.c});
  };
  for (const auto& group : {wrong_orders(), wrong_biases(), wrong_updates()})
    for (const auto& [mistake, form] : group) suspect(mistake, lstm(w, Plain(x), {Plain(h), Plain(c)}, form));
  suspect({"state-exchanged", "The arguments h and c are swapped.", "forward(x, h, c), in this order."},
          lstm(w, Plain(x), {Plain(c), Plain(h)}));
  exercise::expect_deterministic([&] { return cell_results(make_cell(answer), k); });
  const auto [h_after, c_after] = cell.forward(x, h, c);
  exercise::expect_values("c′", c_after, expected.c, of_c);
  exercise::expect_values("h′", h_after, expected.h, of_h);
  const CellCase large = cell_case(2, 2, 30);
  const Mistake limited{"large-values", "Large values are clipped or lose digits.",
                        "c may have any size: only h′ = o ∘ tanh c′ is bounded."};
  expect_same(
      cell_results(cell, large),
      [&] {
        const CellState after = lstm(w, Plain(large.x), {Plain(large.h), Plain(large.c)});
        return std::vector<Plain>{after.h, after.c};
      }(),
      "where c is large", limited);
}

void cell_invariants(const LstmAnswer& answer) {
  const CellCase k = cell_case(), other = cell_case(4, 3);
  const auto alone = [&](const CellCase& x) { return cell_results(make_cell(answer), x); };
  const exercise::Results inputs = {{"x", k.x}, {"h", k.h}, {"c", k.c}};
  const std::vector<Plain> before = exercise::copied(inputs), first = exercise::copied(alone(k));
  expect_same(inputs, before, "after forward", exercise::changes_its_input);
  const LstmAnswer::Cell cell = make_cell(answer);
  exercise::expect_remembers_nothing(
      {[&] { return cell_results(cell, k); }, [&] { return cell_results(cell, other); }},
      {first, exercise::copied(alone(other))});
  exercise::fill(*cell.module, 7);
  const LstmAnswer::Cell fresh = make_cell(answer);
  exercise::fill(*fresh.module, 7);
  expect_same(cell_results(cell, k), exercise::copied(cell_results(fresh, k)), "with other parameters",
              exercise::remembers);
  exercise::expect_same_in_training(*cell.module, [&] { return cell_results(cell, k); });
}

void cell_gradients(const LstmAnswer& answer) {
  const LstmAnswer::Cell cell = make_cell(answer);
  const CellCase k = cell_case();
  exercise::expect_gradients(*cell.module,
                             [&](const std::vector<Tensor>& x) {
                               const auto [h, c] = cell.forward(x[0], x[1], x[2]);
                               return nn::concat_flat({h, c});
                             },
                             {k.x, k.h, k.c}, {"x", "h", "c"});
}

}  // namespace

CellWeights weights_of(const nn::Module& module, const std::string& path) {
  const auto at = [&](const char* name) { return exercise::parameter(module, path + name); };
  return {at("weight_ih"), at("weight_hh"), at("bias_ih"), at("bias_hh")};
}

std::vector<exercise::Parameter> cell_parameters(const std::string& path, std::int64_t inputs) {
  return {{path + "weight_ih", {4 * hidden, inputs}, "(4H, I)"},
          {path + "weight_hh", {4 * hidden, hidden}, "(4H, H)"},
          {path + "bias_ih", {4 * hidden}, "(4H)"},
          {path + "bias_hh", {4 * hidden}, "(4H)"}};
}

CellState lstm(const CellWeights& w, const Plain& x, const CellState& before) {
  return lstm(w, x, before, {});
}

void in_double(nn::Module& module) {
  module.to(Dtype::f64);
  module.eval();
  exercise::fill(module);
}

std::vector<exercise::Stage> cell_stages(const LstmAnswer& answer) {
  return {{"the cell: shapes and parameters", [=] { cell_shapes(answer); }},
          {"the cell: values", [=] { cell_values(answer); }},
          {"the cell: invariants", [=] { cell_invariants(answer); }},
          {"the cell: gradients", [=] { cell_gradients(answer); }}};
}

}  // namespace lstm_decoder
