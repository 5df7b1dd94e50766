#include <algorithm>

#include "kit/invariants.hpp"
#include "parts.hpp"

namespace cho_gru {

namespace {

using gradus::Generator;

constexpr std::int64_t B = 4;

// --- Wrong steps ---

std::vector<WrongStep> wrong_orders() {
  const std::array<char, 3> letters{'r', 'z', 'n'};
  std::vector<WrongStep> wrong;
  std::array<int, 3> blocks{0, 1, 2};
  while (std::next_permutation(blocks.begin(), blocks.end())) {
    std::array<char, 3> order{};
    for (std::size_t i = 0; i < 3; ++i) order[static_cast<std::size_t>(blocks[i])] = letters[i];
    std::string sign = "The blocks are read in the order ";
    for (const char letter : order) sign += std::string(1, letter) + (letter == order.back() ? "." : ", ");
    wrong.push_back(
        {{"block-order", sign, "The blocks of H rows belong to r, z and n, in this order, as in PyTorch."},
         {.blocks = blocks}});
  }
  wrong.push_back(
      {{"interleaved", "r, z and n of one unit are read from neighbouring rows.",
        "The first H rows belong to r, the next H to z, the last H to n: split(x, {H, H, H}, …)."},
       {.interleaved = true}});
  return wrong;
}

// The place of the reset gate.
std::vector<WrongStep> wrong_resets() {
  const std::string equation = "n = tanh(W_in x + b_in + W_hn (r ∘ h) + b_hn).";
  const Mistake after{"reset-after", "The reset gate acts after the product, as in PyTorch's form.",
                      "In the paper it acts on the state: first r ∘ h, then the product with W_hn."};
  const auto of = [](double (*candidate)(const Unit& u)) { return Form{.candidate = candidate}; };
  return {
      {after, of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.r * (u.of_h + u.b_hn)); })},
      {after, of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.r * u.of_h + u.b_hn); })},
      {{"reset-twice", "The reset gate acts on h, and then on the product again.", equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.r * (u.of_reset + u.b_hn)); })},
      {{"no-reset", "The reset gate is not used.", equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_h + u.b_hn); })},
      {{"reset-inverted", "1 − r is used in place of r.", "r = 1 passes the whole state. " + equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_inverted + u.b_hn); })},
      {{"z-for-r", "z is used in place of r.", equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_z + u.b_hn); })},
      {{"reset-on-input", "The reset gate acts on the input, too.", "r acts only on h. " + equation},
       of([](const Unit& u) { return std::tanh(u.r * (u.x_n + u.b_in + u.of_h + u.b_hn)); })},
      {{"product-twice", "n contains both W_hn h and W_hn (r ∘ h).",
        "Split the weights: the product with h for r and z has only their 2H rows. " + equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_h + u.b_hn + u.of_reset + u.b_hn); })},
      {{"product-twice", "n contains both W_hn h and W_hn (r ∘ h).", equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_h + u.b_hn + u.of_reset); })},
      {{"no-state-in-n", "W_hn (r ∘ h) is missing.", equation},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.b_hn); })},
      {{"not-transposed", "W_hn is not transposed in the product.",
        "W h for the rows of a batch is h Wᵀ: linear(h, W), or matmul(h, transpose(W, 0, 1))."},
       of([](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.across + u.b_hn); })},
      {{"z-of-reset", "z is computed from r ∘ h.", "Only n reads r ∘ h; r and z read h."},
       {.z_of_reset = true}},
  };
}

std::vector<WrongStep> wrong_biases() {
  const Mistake missing{"bias-missing", "A bias is missing.",
                        "Each line adds its parts of bias_ih and bias_hh."};
  const Mistake twice{"bias-twice", "A bias is added twice.",
                      "linear(x, weight, bias) adds the bias already: add each bias once."};
  const auto without = [](const std::string& which) {
    return Mistake{"bias-missing", which + " is missing in n.",
                   "Each line adds its parts of bias_ih and bias_hh."};
  };
  const auto of = [](double ih, double hh, double (*candidate)(const Unit& u)) {
    return Form{.bias_ih = ih, .bias_hh = hh, .candidate = candidate};
  };
  return {
      {without("b_hn"), of(1, 1, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset); })},
      {without("b_in"), of(1, 1, [](const Unit& u) { return std::tanh(u.x_n + u.of_reset + u.b_hn); })},
      {missing, of(1, 0, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset); })},
      {missing, of(0, 1, [](const Unit& u) { return std::tanh(u.x_n + u.of_reset + u.b_hn); })},
      {missing, of(0, 0, [](const Unit& u) { return std::tanh(u.x_n + u.of_reset); })},
      {missing, of(1, 0, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset + u.b_hn); })},
      {missing, of(0, 1, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset + u.b_hn); })},
      {twice, of(1, 1, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset + 2 * u.b_hn); })},
      {twice, of(1, 1, [](const Unit& u) { return std::tanh(u.x_n + 2 * u.b_in + u.of_reset + u.b_hn); })},
      {twice, of(1, 2, [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.of_reset + 2 * u.b_hn); })},
      {twice, of(2, 1, [](const Unit& u) { return std::tanh(u.x_n + 2 * u.b_in + u.of_reset + u.b_hn); })},
      {twice,
       of(2, 2, [](const Unit& u) { return std::tanh(u.x_n + 2 * u.b_in + u.of_reset + 2 * u.b_hn); })},
  };
}

std::vector<WrongStep> wrong_functions() {
  const auto n_is = [](double (*candidate)(const Unit& u)) { return Form{.candidate = candidate}; };
  const auto next_is = [](double (*next)(const Unit& u, double n)) { return Form{.next = next}; };
  const std::string blend = "h′ = (1 − z) ∘ n + z ∘ h: the two fractions sum to 1.";
  const Mistake tanh_gates{"tanh-gates", "The gates use tanh, not a sigmoid.",
                           "A gate is a factor between 0 and 1."};
  return {
      {{"sigmoid-n", "n uses a sigmoid.", "Only the gates are sigmoids; n is a tanh."},
       n_is([](const Unit& u) { return sigmoid_of(u.x_n + u.b_in + u.of_reset + u.b_hn); })},
      {{"no-tanh", "The tanh of n is missing.", "n = tanh(…) is between −1 and 1."},
       n_is([](const Unit& u) { return u.x_n + u.b_in + u.of_reset + u.b_hn; })},
      {tanh_gates, {.gate = [](double a) { return std::tanh(a); }}},
      {{"no-sigmoid", "The sigmoids of the gates are missing.", "A gate is a factor between 0 and 1."},
       {.gate = [](double a) { return a; }}},
      {{"no-recurrence", "r and z do not read the state.", "r and z add W_hr h and W_hz h."},
       {.recurrence = 0}},
      {{"not-transposed", "W_hr and W_hz are not transposed in the product.",
        "W h for the rows of a batch is h Wᵀ: linear(h, W), or matmul(h, transpose(W, 0, 1))."},
       {.transposed = true}},
      {{"not-transposed", "The three matrices of W_hh are not transposed in the product.",
        "W h for the rows of a batch is h Wᵀ: linear(h, W), or matmul(h, transpose(W, 0, 1))."},
       {.transposed = true,
        .candidate = [](const Unit& u) { return std::tanh(u.x_n + u.b_in + u.across + u.b_hn); }}},
      {{"z-inverted", "z and 1 − z are exchanged, as in Bahdanau's convention.",
        "Here z = 1 keeps the old state: h′ = (1 − z) ∘ n + z ∘ h."},
       next_is([](const Unit& u, double n) { return u.z * n + (1 - u.z) * u.h; })},
      {{"r-for-z", "r is used in place of z in h′.", blend},
       next_is([](const Unit& u, double n) { return (1 - u.r) * n + u.r * u.h; })},
      {{"not-a-blend", "n is not multiplied by 1 − z.", blend},
       next_is([](const Unit& u, double n) { return n + u.z * u.h; })},
      {{"not-a-blend", "h is not multiplied by z.", blend},
       next_is([](const Unit& u, double n) { return (1 - u.z) * n + u.h; })},
      {{"not-a-blend", "n and h are both multiplied by z.", blend},
       next_is([](const Unit& u, double n) { return u.z * (n + u.h); })},
      {{"old-state-lost", "z ∘ h is missing.", blend},
       next_is([](const Unit& u, double n) { return (1 - u.z) * n; })},
      {{"old-state-lost", "The result is n.", blend}, next_is([](const Unit&, double n) { return n; })},
      {{"state-unchanged", "The result is the old state.", blend},
       next_is([](const Unit& u, double) { return u.h; })},
      {{"reset-state-kept", "z multiplies r ∘ h, not h.",
        "r acts only inside n: h′ keeps a fraction of h itself."},
       next_is([](const Unit& u, double n) { return (1 - u.z) * n + u.z * u.r * u.h; })},
  };
}

// --- The stages ---

struct StepCase {
  Weights p;
  Tensor x, h;  // (B, I), (B, H)
};

StepCase step_case(std::int64_t batch = B, const Sizes& n = {}) {
  Generator generator(2);
  const Tensor x = normal({batch, n.inputs}, 0, 1, generator, Dtype::f64),
               h = normal({batch, n.hidden}, 0, 1, generator, Dtype::f64);
  return {random_weights(n), x, h};
}

Tensor run(const ChoGru& answer, const StepCase& k) { return answer.step(k.p, k.x, k.h); }
Plain expected(const StepCase& k) { return plain_step(k.p, Plain(k.x), Plain(k.h)); }

void expect_right(const ChoGru& answer, const std::string& what, const StepCase& k,
                  const std::vector<Suspect>& suspects = {}, const Mistake& otherwise = {}) {
  const Plain right = expected(k);  // before the answer can change an input
  exercise::expect_values(what, run(answer, k), right, suspects, otherwise);
}

void shapes(const ChoGru& answer) {
  const StepCase k = step_case();
  exercise::expect_shape("h′", run(answer, k), k.h.shape(), "(B, H)");
}

void values(const ChoGru& answer) {
  const StepCase k = step_case();
  std::vector<Suspect> suspects;
  for (const auto& [mistake, form] : wrong_steps())
    suspects.push_back({mistake, plain_step(k.p, Plain(k.x), Plain(k.h), form)});
  expect_right(answer, "h′", k, suspects);
  StepCase retrained = k;
  retrained.p = random_weights({}, 7);
  expect_right(answer, "h′ with other weights", retrained, {}, exercise::remembers);
  StepCase large = k;
  large.h = k.h * 30.0;
  expect_right(answer, "h′ of large states", large, {},
               {"limited", "Large values are limited.",
                "The first state may have any size: limit neither h nor the arguments of σ and tanh."});
  expect_right(answer, "h′ for one row, one input and one unit", step_case(1, {.inputs = 1, .hidden = 1}));
  exercise::expect_with_equal_sizes(
      [&] { expect_right(answer, "h′", step_case(B, {.inputs = B, .hidden = B})); }, "B, I and H");
  const Tensor in_f32 = answer.step(in_dtype(k.p, Dtype::f32), k.x.to(Dtype::f32), k.h.to(Dtype::f32));
  exercise::expect(in_f32.dtype() == Dtype::f32,
                   {"dtype", "A constant has another dtype.", "Use numbers, as in 1.0 - z, or h.dtype()."},
                   "For inputs in f32 the result has another dtype.");
}

void invariants(const ChoGru& answer) {
  const StepCase k = step_case(), other = step_case(2, {.inputs = 4, .hidden = 6});
  exercise::Results inputs = named(k.p);
  inputs.insert(inputs.end(), {{"x", k.x}, {"h", k.h}});
  const std::vector<Plain> before = exercise::copied(inputs);
  run(answer, k);
  expect_same(inputs, before, "after the step", exercise::changes_its_input);
  const auto call = [&answer](const StepCase& c) {
    return [&answer, &c] { return exercise::Results{{"h′", run(answer, c)}}; };
  };
  exercise::expect_remembers_nothing({call(k), call(other)}, {{expected(k)}, {expected(other)}});
}

void gradients(const ChoGru& answer) {
  const StepCase k = step_case(2);
  exercise::expect_gradients(
      [&](const std::vector<Tensor>& v) {
        return answer.step({.weight_ih = v[0], .weight_hh = v[1], .bias_ih = v[2], .bias_hh = v[3]}, v[4],
                           v[5]);
      },
      {k.p.weight_ih, k.p.weight_hh, k.p.bias_ih, k.p.bias_hh, k.x, k.h},
      {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "x", "h"});
}

}  // namespace

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

Weights random_weights(const Sizes& n, std::uint64_t seed) {
  Generator generator(100 + seed);
  const auto drawn = [&](const gradus::Shape& shape) { return normal(shape, 0, 0.7, generator, Dtype::f64); };
  const Tensor weight_ih = drawn({3 * n.hidden, n.inputs}), weight_hh = drawn({3 * n.hidden, n.hidden}),
               bias_ih = drawn({3 * n.hidden}), bias_hh = drawn({3 * n.hidden});
  return {.weight_ih = weight_ih, .weight_hh = weight_hh, .bias_ih = bias_ih, .bias_hh = bias_hh};
}

Weights in_dtype(const Weights& p, Dtype dtype) {
  return {.weight_ih = p.weight_ih.to(dtype),
          .weight_hh = p.weight_hh.to(dtype),
          .bias_ih = p.bias_ih.to(dtype),
          .bias_hh = p.bias_hh.to(dtype)};
}

std::vector<std::pair<std::string, Tensor>> named(const Weights& p) {
  return {
      {"weight_ih", p.weight_ih}, {"weight_hh", p.weight_hh}, {"bias_ih", p.bias_ih}, {"bias_hh", p.bias_hh}};
}

Plain plain_step(const Weights& p, const Plain& x, const Plain& h, const Form& form) {
  const Plain weight_ih(p.weight_ih), weight_hh(p.weight_hh), bias_ih(p.bias_ih), bias_hh(p.bias_hh);
  const std::int64_t H = h.size(1);
  const auto row = [&](std::size_t which, std::int64_t k) {
    return form.interleaved ? 3 * k + form.blocks[which] : form.blocks[which] * H + k;
  };
  Plain next(h.shape());
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    const auto from_x = [&](std::size_t which, std::int64_t k) {
      double sum = 0;
      for (std::int64_t i = 0; i < x.size(1); ++i) sum += weight_ih(row(which, k), i) * x(b, i);
      return sum;
    };
    const auto from_h = [&](std::size_t which, std::int64_t k, bool transposed, const auto& factor) {
      double sum = 0;
      for (std::int64_t j = 0; j < H; ++j)
        sum += (transposed ? weight_hh(row(which, j), k) : weight_hh(row(which, k), j)) * factor(j) * h(b, j);
      return sum;
    };
    const auto whole = [](std::int64_t) { return 1.0; };
    const auto gate = [&](std::size_t which, std::int64_t k, const auto& factor) {
      return form.gate(from_x(which, k) + form.recurrence * from_h(which, k, form.transposed, factor) +
                       form.bias_ih * bias_ih(row(which, k)) + form.bias_hh * bias_hh(row(which, k)));
    };
    const auto r = [&](std::int64_t k) { return gate(0, k, whole); };
    const auto z = [&](std::int64_t k) { return form.z_of_reset ? gate(1, k, r) : gate(1, k, whole); };
    for (std::int64_t k = 0; k < H; ++k) {
      const Unit unit{.r = r(k),
                      .z = z(k),
                      .h = h(b, k),
                      .x_n = from_x(2, k),
                      .b_in = bias_ih(row(2, k)),
                      .b_hn = bias_hh(row(2, k)),
                      .of_h = from_h(2, k, false, whole),
                      .of_reset = from_h(2, k, false, r),
                      .of_inverted = from_h(2, k, false, [&](std::int64_t j) { return 1 - r(j); }),
                      .of_z = from_h(2, k, false, z),
                      .across = from_h(2, k, true, r)};
      next(b, k) = form.next(unit, form.candidate(unit));
    }
  }
  return next;
}

std::vector<WrongStep> wrong_steps() {
  std::vector<WrongStep> all;
  for (const auto& group : {wrong_orders(), wrong_resets(), wrong_biases(), wrong_functions()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<exercise::Stage> step_stages(const ChoGru& answer) {
  return {{"step: shapes", [=] { shapes(answer); }},
          {"step: values", [=] { values(answer); }},
          {"step: independent calls", [=] { invariants(answer); }},
          {"step: gradients", [=] { gradients(answer); }}};
}

}  // namespace cho_gru
