#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake forward{"forward", "The function now reads from the first token to the last.",
                      "The direction was right; look at the order of the states in the result."};
const Mistake stored_before{"stored-before",
                            "The state is stored before it is updated: position j holds h_{j+1}.",
                            "Update the state with x_j first, then store it."};
const Mistake tanh_of_product{"tanh-of-product", "The tanh is applied after the multiplication by v_a.",
                              "v_a · tanh(W_a s + U_a h_j): v_a multiplies the tanh."};
const Mistake tanh_outside{"tanh-outside", "The tanh is applied to the whole energy.",
                           "v_a · tanh(W_a s + U_a h_j): apply it before the sum over A."};
const Mistake no_state{"no-state", "h_{j+1} is not used: every h_j depends only on x_j.",
                       "h_j = tanh(W x_j + U h_{j+1}): keep h from one pass of the loop to the next."};
const Mistake tanh_of_one{"tanh-apart", "The tanh is applied to only one of query and keys.",
                          "The query still adds the same number for every j: apply tanh to the sum of both."};
const Mistake tanh_apart{"tanh-apart", "Query and keys have separate tanhs.",
                         "The query still adds the same number for every j: apply tanh to the sum of both."};
const Mistake mean{"mean", "The energies are the mean over A, not the sum.",
                   "v_a · tanh(…) is a sum of A products."};
const Mistake batch_axis{"batch-axis", "The softmax runs over the sentences.",
                         "The weights of each sentence sum to 1 over its positions, axis 0 here."};
const Mistake masked_after{"masked-after", "The weights of pads were set to 0 after the softmax.",
                           "The other weights then sum to less than 1: exclude the pads before the softmax."};
const Mistake only_lower{"only-lower", "A pad's energy is low, but not −∞.", "Only e^−∞ is exactly 0."};
const Mistake zeros_masked{"zeros-masked", "Real positions with an energy of 0 are masked, too.",
                           "Mask by position: t ≥ length. An energy may be 0."};
const Mistake one_too_many{"one-too-many", "One pad of each sentence counts as real.",
                           "Positions count from 0: t < length is real."};
const Mistake no_query{"no-query", "The energies do not depend on the query.",
                       "e_j = v_a · tanh(W_a s + U_a h_j)."};
const Mistake other_function{"sigmoid", "A sigmoid takes the place of the tanh.", "A.1.2 has tanh."};
const Mistake transposed{"transposed", "U is transposed.", "linear(h, U) is already h Uᵀ, which is U h."};
const Mistake other_axis{
    "other-axis", "Another axis than that of the positions is reversed, or several axes are.",
    "stack(states) is (T, B, H): only its axis 0 runs from the last token to the first."};
const Mistake multiplied{"product", "The query and the keys are multiplied.", "A.1.2 adds them."};
const Mistake one_cleared{"one-cleared", "Only the first parameter's gradient was cleared.",
                          "Every parameter has a gradient of its own: clear all of them."};
const Mistake no_step{"no-step", "The gradient was cleared before the update.",
                      "Clear the gradients before backward() or after the update."};

bool same(const Tensor& got, const Plain& expected) {
  if (!got.defined() || got.shape() != expected.shape()) return false;
  const std::vector<double> values = got.to_vector<double>();
  return std::equal(values.begin(), values.end(), expected.values().begin(),
                    [](double a, double b) { return std::abs(a - b) <= 1e-9; });
}

std::string text(double value) { return exercise::text(value, 3); }

// Throws a ToDo with the symptom if the function still shows the planted mistake.
template <class Symptom>
void expect_mended(const Tensor& got, const Plain& planted, const Symptom& symptom) {
  if (same(got, planted)) exercise::to_do(symptom());
}

Tensor random(const Shape& shape, std::uint64_t seed, double deviation = 1) {
  Generator generator(seed);
  return normal(shape, 0, deviation, generator, Dtype::f64);
}

// 1. read_backward

// The annotations h_j = tanh(W x_j + U h_{j−1}). If `from_the_end`, the equation has h_{j+1} instead of
// h_{j−1}. If `turned`, the result is in reverse order.
Plain read(const Plain& x, const Plain& W, const Plain& U, bool from_the_end, bool turned) {
  const std::int64_t T = x.size(0), B = x.size(1), H = U.size(0);
  Plain h(Shape{T, B, H});
  for (std::int64_t step = 0; step < T; ++step) {
    const std::int64_t j = from_the_end ? T - 1 - step : step, before = from_the_end ? j + 1 : j - 1;
    for (std::int64_t b = 0; b < B; ++b) {
      for (std::int64_t i = 0; i < H; ++i) {
        double a = 0;
        for (std::int64_t k = 0; k < x.size(2); ++k) a += W(i, k) * x(j, b, k);
        for (std::int64_t k = 0; k < H && step > 0; ++k) a += U(i, k) * h(before, b, k);
        h(j, b, i) = std::tanh(a);
      }
    }
  }
  if (!turned) return h;
  Plain out(h.shape());
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t i = 0; i < H; ++i) out(t, b, i) = h(T - 1 - t, b, i);
  return out;
}

// A mistake: position j holds h_{j+1}, and the last position holds 0.
Plain shifted(const Plain& h) {
  Plain out(h.shape());
  for (std::int64_t t = 0; t + 1 < h.size(0); ++t)
    for (std::int64_t b = 0; b < h.size(1); ++b)
      for (std::int64_t i = 0; i < h.size(2); ++i) out(t, b, i) = h(t + 1, b, i);
  return out;
}

// A table: row j has an x in column k if the annotation h_j changes when token x_k changes.
std::string sensitivity(const BugHunt& answer, const Tensor& x, const Tensor& W, const Tensor& U) {
  const Plain before(answer.read_backward(x, W, U));
  const std::int64_t T = x.size(0);
  std::vector<std::string> rows(static_cast<std::size_t>(T));
  std::string head = "         ";
  for (std::int64_t k = 0; k < T; ++k) {
    head += " x_" + std::to_string(k + 1);
    Plain moved(x);
    moved(k, 0, 0) += 0.5;
    const Plain after(answer.read_backward(moved.tensor(), W, U));
    for (std::int64_t j = 0; j < T; ++j)
      rows[static_cast<std::size_t>(j)] +=
          std::abs(after(j, 0, 0) - before(j, 0, 0)) > 1e-12 ? "   x" : "   ·";
  }
  std::string table = head;
  for (std::size_t j = 0; j < rows.size(); ++j) table += "\n      h_" + std::to_string(j + 1) + rows[j];
  return table;
}

void reading(const BugHunt& answer) {
  const Tensor x = random({4, 2, 3}, 1), W = random({5, 3}, 2), U = random({5, 5}, 3, 0.5);
  const Plain px(x), pW(W), pU(U);
  const Tensor h = answer.read_backward(x, W, U);
  expect_mended(h, read(px, pW, pU, true, true), [&] {
    return "Fix read_backward. h_j must depend on x_j and the tokens after it, but when one token x_k "
           "changes,\n  these annotations change:\n\n" +
           sensitivity(answer, x, W, U);
  });
  exercise::expect_shape("h", h, {4, 2, 5}, "(T, B, H)");
  const auto turned = [&](const auto... axes) {
    return Plain(flip(read(px, pW, pU, true, false).tensor(), {axes...}).clone());
  };
  exercise::expect_values("h", h, read(px, pW, pU, true, false),
                          {{forward, read(px, pW, pU, false, false)},
                           {forward, read(px, pW, pU, false, true)},
                           {stored_before, shifted(read(px, pW, pU, true, false))},
                           {no_state, read(px, pW, Plain(pU.shape()), true, false)},
                           {other_axis, turned(1)},
                           {other_axis, turned(2)},
                           {other_axis, turned(0, 1)},
                           {other_axis, turned(0, 2)},
                           {transposed, read(px, pW, Plain(transpose(U, 0, 1).clone()), true, false)}});
  exercise::expect_gradients([&](const auto& in) { return answer.read_backward(in[0], in[1], in[2]); },
                             {x, W, U}, {"x", "W", "U"});
}

// 2. energies

struct Energies {
  Tensor s = random({2, 3}, 1), h = random({4, 2, 5}, 2), W_a = random({6, 3}, 3), U_a = random({6, 5}, 4),
         v_a = random({6}, 5);

  Tensor of(const BugHunt& answer, const Tensor& query) const {
    return answer.energies(query, h, W_a, U_a, v_a);
  }

  // outer(Σ_a v_a inner(W_a s, U_a h_j))
  template <class Inner, class Outer>
  Plain by(const Inner& inner, const Outer& outer) const {
    return of_terms([&](double v, double query, double key) { return v * inner(query, key); }, outer);
  }

  // outer(Σ_a term(v_a, W_a s, U_a h_j))
  template <class Term, class Outer>
  Plain of_terms(const Term& term, const Outer& outer) const {
    const Plain ps(s), ph(h), W(W_a), U(U_a), v(v_a);
    Plain e(Shape{ph.size(0), ph.size(1)});
    for (std::int64_t t = 0; t < ph.size(0); ++t) {
      for (std::int64_t b = 0; b < ph.size(1); ++b) {
        for (std::int64_t a = 0; a < v.size(0); ++a) {
          double query = 0, key = 0;
          for (std::int64_t k = 0; k < ps.size(1); ++k) query += W(a, k) * ps(b, k);
          for (std::int64_t k = 0; k < ph.size(2); ++k) key += U(a, k) * ph(t, b, k);
          e(t, b) += term(v(a), query, key);
        }
        e(t, b) = outer(e(t, b));
      }
    }
    return e;
  }
};

double largest_difference(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item(); }

void asking(const BugHunt& answer) {
  const Energies c;
  const auto as_it_is = [](double e) { return e; };
  const auto tanh_of = [](double e) { return std::tanh(e); };
  const auto add = [](double query, double key) { return query + key; };
  const Tensor e = c.of(answer, c.s);
  expect_mended(e, c.by(add, as_it_is), [&] {
    const Tensor other = c.of(answer, random({2, 3}, 6));
    return "Fix energies. For two different queries s and the same sentences, the energies differ\n  by up "
           "to " +
           text(largest_difference(e, other)) + ", but the weights softmax(e) by at most " +
           text(largest_difference(softmax(e, 0), softmax(other, 0))) +
           ":\n  the decoder attends to the same position at every step.";
  });
  exercise::expect_shape("e", e, {4, 2}, "(T, B)");
  exercise::expect_values(
      "e", e, c.by([](double query, double key) { return std::tanh(query + key); }, as_it_is),
      {{tanh_outside, c.by(add, tanh_of)},
       {tanh_of_product,
        c.of_terms([](double v, double query, double key) { return std::tanh(v * (query + key)); },
                   as_it_is)},
       {tanh_apart,
        c.by([](double query, double key) { return std::tanh(query) + std::tanh(key); }, as_it_is)},
       {tanh_of_one, c.by([](double query, double key) { return std::tanh(query) + key; }, as_it_is)},
       {tanh_of_one, c.by([](double query, double key) { return query + std::tanh(key); }, as_it_is)},
       {multiplied, c.by([](double query, double key) { return std::tanh(query * key); }, as_it_is)},
       {no_query, c.by([](double, double key) { return std::tanh(key); }, as_it_is)},
       {other_function,
        c.by([](double query, double key) { return 1 / (1 + std::exp(-query - key)); }, as_it_is)},
       {mean, c.by([](double query, double key) { return std::tanh(query + key) / 6; }, as_it_is)}});
  exercise::expect_gradients(
      [&](const auto& in) { return answer.energies(in[0], in[1], in[2], in[3], in[4]); },
      {c.s, c.h, c.W_a, c.U_a, c.v_a}, {"s", "h", "W_a", "U_a", "v_a"});
}

// 3. weights

const std::vector<std::int64_t> lengths = {2, 5, 3};

bool real(std::int64_t t, std::int64_t b, std::int64_t more = 0) {
  return t < lengths[static_cast<std::size_t>(b)] + more;
}

// The softmax over the positions for which takes_part(t, b) is true.
template <class TakesPart>
Plain weights_of(const Plain& e, const TakesPart& takes_part) {
  Plain alpha(e.shape());
  for (std::int64_t b = 0; b < e.size(1); ++b) {
    double total = 0;
    for (std::int64_t t = 0; t < e.size(0); ++t)
      if (takes_part(t, b)) total += alpha(t, b) = std::exp(e(t, b));
    for (std::int64_t t = 0; t < e.size(0); ++t) alpha(t, b) /= total;
  }
  return alpha;
}

// The softmax with pad(e) instead of exp(e) at pads. If `keep` is false, the weights of the pads are then set
// to 0.
Plain weights_by(const Plain& e, const std::function<double(double)>& pad, bool keep) {
  Plain alpha(e.shape());
  for (std::int64_t b = 0; b < e.size(1); ++b) {
    double total = 0;
    for (std::int64_t t = 0; t < e.size(0); ++t) total += real(t, b) ? std::exp(e(t, b)) : pad(e(t, b));
    for (std::int64_t t = 0; t < e.size(0); ++t)
      alpha(t, b) = real(t, b) ? std::exp(e(t, b)) / total : keep ? pad(e(t, b)) / total : 0;
  }
  return alpha;
}

// A mistake: the softmax over the sentences b, with weight 0 at pads. If `masked_first`, the softmax's sum
// leaves out the pads.
Plain over_batch(const Plain& e, bool masked_first) {
  Plain alpha(e.shape());
  for (std::int64_t t = 0; t < e.size(0); ++t) {
    const auto power = [&](std::int64_t b) { return !masked_first || real(t, b) ? std::exp(e(t, b)) : 0; };
    double total = 0;
    for (std::int64_t b = 0; b < e.size(1); ++b) total += power(b);
    for (std::int64_t b = 0; b < e.size(1); ++b) alpha(t, b) = real(t, b) ? power(b) / total : 0;
  }
  return alpha;
}

std::string column(const Tensor& alpha) {
  std::string out;
  for (const double weight : alpha.slice(0, 1, 1).to_vector<double>())
    out += (out.empty() ? "" : ", ") + text(weight);
  return out;
}

void looking(const BugHunt& answer) {
  Plain pe(random({5, 3}, 7));
  pe(1, 1) = 0;  // a real position with the energy 0
  const Tensor e = pe.tensor();
  const Tensor alpha = answer.weights(e, tensor(lengths));
  const auto zero = [](double) { return 0.0; };
  const auto one = [](double) { return 1.0; };
  expect_mended(alpha, weights_by(pe, one, true), [&] {
    const Tensor alone = answer.weights(e.slice(0, 2).slice(0, 1, 1), tensor({2}, Dtype::i64));
    return "Fix weights. A sentence of two tokens must have the same weights on its own and with three "
           "pads,\n  in a batch of longer sentences. The weights are:\n\n    on its own   " +
           column(alone) + "\n    with pads    " + column(alpha);
  });
  exercise::expect_shape("α", alpha, {5, 3}, "(T, B)");
  exercise::expect_values(
      "α", alpha, weights_by(pe, zero, false),
      {{batch_axis, over_batch(pe, true)},
       {batch_axis, over_batch(pe, false)},
       {zeros_masked, weights_of(pe, [&](auto t, auto b) { return real(t, b) && pe(t, b) != 0; })},
       {one_too_many, weights_of(pe, [](auto t, auto b) { return real(t, b, 1); })},
       {masked_after, weights_by(
                          pe, [](double pad) { return std::exp(pad); }, false)},
       {masked_after, weights_by(pe, one, false)}});
  // Checks energies above 709, for which exp overflows. Then also gives a pad of sentence 0 the largest
  // energy.
  Plain large(random({5, 3}, 9, 1e5));
  const auto nan = [&](const Plain& energies) {
    const std::vector<double> got = answer.weights(energies.tensor(), tensor(lengths)).to_vector<double>();
    return std::any_of(got.begin(), got.end(), [](double x) { return std::isnan(x); });
  };
  for (const std::int64_t pad : {2, 3, 4}) large(pad, 0) = -1e7;
  for (const std::int64_t pad : {3, 4}) large(pad, 2) = -1e7;
  exercise::expect(!nan(large), exercise::overflow, "With large energies, a weight is NaN.");
  large(3, 0) = 1e7;
  exercise::expect(!nan(large), exercise::max_over_pads, "If a pad has the largest energy, a weight is NaN.");
  const Tensor won = answer.weights(large.tensor(), tensor(lengths));
  exercise::expect(won[3].slice(0, 1).item() == 0, only_lower, "A pad with the largest energy has weight.",
                   text(won[3].slice(0, 1).item()), "0");
  const Tensor low = answer.weights(random({5, 3}, 8, 100), tensor(lengths));
  exercise::expect(low[3].slice(0, 1).item() == 0, only_lower, "With large energies, a pad has weight.",
                   text(low[3].slice(0, 1).item()), "0");
  Plain lowest(random({5, 3}, 10));
  for (std::int64_t t = 0; t < 2; ++t) lowest(t, 0) -= 1e8;
  exercise::expect(!nan(lowest), exercise::max_over_pads,
                   "If the real positions have energies of −10⁸, a weight is NaN.");
  const Tensor under = answer.weights(lowest.tensor(), tensor(lengths));
  exercise::expect(sum(under.slice(2, 5).slice(0, 1, 1)).item() == 0, only_lower,
                   "If the real positions have energies of −10⁸, a pad has weight.",
                   text(sum(under.slice(2, 5).slice(0, 1, 1)).item()), "0");
  exercise::expect_gradients([&](const auto& in) { return answer.weights(in[0], tensor(lengths)); }, {e},
                             {"e"});
}

// 4. descend

const Mistake one_by_one{"one-by-one",
                         "The later parameters get the gradient of a loss with the earlier ones changed.",
                         "Call loss() and backward() once per step, before the loop over the parameters."};

void stepping(const BugHunt& answer) {
  // L = 3 p + q₁ − 2 q₂ has constant gradients.
  const Tensor p = tensor({1}, Dtype::f64).set_requires_grad(),
               q = tensor({2, 4}, Dtype::f64).set_requires_grad();
  const Tensor slopes = tensor({1, -2}, Dtype::f64);
  std::vector<double> at = {1};
  for (int step = 0; step < 3; ++step) {
    answer.descend({p, q}, [&] { return sum(3.0 * p) + sum(slopes * q); }, 0.1);
    at.push_back(p.item());
  }
  const Tensor moves = tensor(std::vector{at[1] - at[0], at[2] - at[1], at[3] - at[2]});
  const auto expected = [](double first, double second, double third) {
    return Plain(tensor(std::vector{first, second, third}));
  };
  expect_mended(moves, expected(-0.3, -0.6, -0.9), [&] {
    return "Fix descend. L = 3 θ has a constant gradient, so that with η = 0.1 each step must change θ by "
           "−0.3.\n  Three steps changed it by " +
           text(at[1] - at[0]) + ", " + text(at[2] - at[1]) + ", " + text(at[3] - at[2]) + ".";
  });
  exercise::expect_values("the change of θ in each step, for L = 3 θ", moves, expected(-0.3, -0.3, -0.3),
                          {{no_step, expected(0, 0, 0)}});
  exercise::expect_values("a second parameter, after three steps", q,
                          Plain(tensor(std::vector{2 - 0.3, 4 + 0.6})),
                          {{one_cleared, Plain(tensor(std::vector{2 - 0.6, 4 + 1.2}))}});
  // L = a b. Each gradient must use the old values of both parameters.
  const auto step_of_product = [&](double first = 2, double second = 5) {
    const Tensor a = tensor({first}, Dtype::f64).set_requires_grad(),
                 b = tensor({second}, Dtype::f64).set_requires_grad();
    answer.descend({a, b}, [&] { return sum(a * b); }, 0.1);
    return concat({a, b}, 0).detach();
  };
  const Plain at_old(tensor(std::vector{2 - 0.5, 5 - 0.2})), at_new(tensor(std::vector{2 - 0.5, 5 - 0.15}));
  exercise::expect_right_again(
      [&] {
        exercise::expect_values("a and b after a step, for L = a b", step_of_product(), at_old,
                                {{one_by_one, at_new}});
      },
      [&] { return exercise::Results{{"a and b", step_of_product()}}; }, [&] { step_of_product(-3, 8); });
}

}  // namespace

exercise::Exercise bug_hunt_exercise(const BugHunt& answer) {
  return {.name = "bug_hunt",
          .stages = {{"read_backward", [=] { reading(answer); }},
                     {"energies", [=] { asking(answer); }},
                     {"weights", [=] { looking(answer); }},
                     {"descend", [=] { stepping(answer); }}}};
}
