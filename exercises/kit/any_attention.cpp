#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attention.hpp"
#include "attention_cases.hpp"

namespace exercise {

namespace {

using gradus::Dtype;
using gradus::Tensor;
using gradus::nn::Attention;
using gradus::nn::Memory;
using Lengths = std::vector<std::int64_t>;
using Case = AttentionCase;

std::int64_t step_of(const AnyAttention& any) { return any.step.value_or(0); }

Attention::Result run(const AnyAttention& any, const Attention& attention, const Case& c) {
  return attention.attend(c.query, attention.prepare(c.values, c.told()), step_of(any), Tensor());
}

Attention::Result run(const AnyAttention& any, const Case& c) { return run(any, *any.make(), c); }

void expect_inputs_unchanged(const AnyAttention& any) {
  const auto attention = any.make();
  const Case c = attention_case(any.sizes, positions, some_padding);
  const Tensor lengths = c.told();
  Results inputs = {{"query", c.query}, {"values", c.values}, {"lengths", lengths}};
  const std::vector<Plain> given = copied(inputs);
  const Memory memory = attention->prepare(c.values, lengths);
  expect_same(inputs, given, "after prepare", changes_its_input);
  if (memory.keys.defined()) inputs.emplace_back("memory.keys", memory.keys);
  inputs.emplace_back("memory.values", memory.values);
  const std::vector<Plain> before = copied(inputs);
  const auto attend = [&] { return named(attention->attend(c.query, memory, step_of(any), Tensor())); };
  const std::vector<Plain> first = copied(attend());
  expect_same(inputs, before, "after attend", changes_its_input);
  expect_same(attend(), first, "at the second call", remembers);
}

// Runs one attention on several batches. Calls prepare() for all batches before the first attend().
void expect_no_memory_of(const AnyAttention& any, const std::vector<Case>& cases) {
  std::vector<std::vector<Plain>> alone;
  for (const Case& c : cases) alone.push_back(copied(named(run(any, c))));
  const auto attention = any.make();
  std::vector<Memory> memories;
  expect_no_exception(
      [&] {
        for (const Case& c : cases) memories.push_back(attention->prepare(c.values, c.told()));
      },
      remembers, "prepare() fails for a second batch of sentences, but not by itself.");
  std::vector<std::function<Results()>> calls;
  for (std::size_t i = 0; i < cases.size(); ++i)
    calls.emplace_back(
        [&, i] { return named(attention->attend(cases[i].query, memories[i], step_of(any), Tensor())); });
  expect_remembers_nothing(calls, alone);
}

void expect_no_memory_of_other_sentences(const AnyAttention& any) {
  const Case first = attention_case(any.sizes, positions, some_padding);
  expect_no_memory_of(any, {first, attention_case(any.sizes, positions, {5, 3, 4}, true, 4)});
  expect_no_memory_of(any, {first, attention_case(any.sizes, positions + 3, {7, 2, 8, 5, 1}, true, 5),
                            attention_case(any.sizes, 2, {2}, true, 6)});
}

// Runs a batch of five sentences and five positions. The first three sentences must get the same results in a
// batch of three.
void expect_axes_by_order(const AnyAttention& any) {
  const Case whole = attention_case(any.sizes, positions, {5, 3, 4, 2, 5}, true, 8);
  Case part = whole;
  part.query = whole.query.slice(0, 3);
  part.values = whole.values.slice(0, 3, 1);
  part.lengths.resize(3);
  Results first = named(run(any, whole));
  for (auto& [name, tensor] : first) tensor = tensor.slice(0, 3);
  expect_same(first, copied(named(run(any, part))), "with as many sentences as positions",
              {"by-size", "The axes are distinguished by their sizes.",
               "A batch may have as many sentences as positions: choose axes by their order."});
}

// Selects five rows (hypotheses) from a batch of three sentences, as beam search does.
void expect_rows_selectable(const AnyAttention& any) {
  const Case c = attention_case(any.sizes, positions, some_padding);
  const Tensor rows = gradus::tensor(Lengths{2, 0, 0, 1, 2}), query = index_select(c.query, rows);
  Results whole = named(run(any, c));
  for (auto& [name, tensor] : whole) tensor = index_select(tensor, rows);
  const std::vector<Plain> expected = copied(whole);
  const auto attention = any.make();
  const Memory memory = attention->prepare(c.values, c.told()).select(rows);
  expect_no_exception(
      [&] {
        expect_same(named(attention->attend(query, memory, step_of(any), Tensor())), expected,
                    "of rows that beam search selected", memory_layout);
      },
      memory_layout, "attend() fails for five rows that were selected from a batch of three.");
}

// Random previous weights, which the attention itself did not return.
Tensor foreign_weights(const Case& c) {
  gradus::Generator generator(17);
  const Tensor e = gradus::normal({c.B(), c.T()}, 0, 1, generator, Dtype::f64);
  return plain_weights(Plain(e), c.lengths).tensor();
}

void expect_past_unused(const AnyAttention& any) {
  const Case c = attention_case(any.sizes, positions, some_padding);
  const std::vector<Plain> first = copied(named(run(any, c)));
  const auto attention = any.make();
  const Memory memory = attention->prepare(c.values, c.told());
  const Mistake mistake{"depends-on-step", "The result depends on the step or on the previous weights.",
                        "Which arguments of attend() does the equation contain?"};
  const auto expect_first = [&](std::int64_t t, const Tensor& previous, const std::string& when) {
    expect_same(named(attention->attend(c.query, memory, t, previous)), first, when, mistake);
  };
  expect_first(step_of(any), foreign_weights(c), "with other previous weights");
  if (any.step) return;
  for (const std::int64_t t : {1, 3, 7, 20, 50, 1000}) {
    expect_first(t, Tensor(), "at step " + std::to_string(t));
    expect_first(t, foreign_weights(c), "at step " + std::to_string(t) + " with other previous weights");
  }
}

// Calls attend() with several queries for the same sentences. Each query must give its own result.
void expect_every_query_used(const AnyAttention& any) {
  const Case c = attention_case(any.sizes, positions, some_padding);
  const auto attention = any.make();
  const Memory memory = attention->prepare(c.values, c.told());
  for (const std::int64_t t : {0, 1, 2, 5}) {
    Case other = c;
    other.query =
        attention_case(any.sizes, positions, some_padding, true, 20 + static_cast<std::uint64_t>(t)).query;
    const std::vector<Plain> alone = copied(named(run(any, other)));
    expect_same(named(attention->attend(other.query, memory, any.step.value_or(t), Tensor())), alone,
                "for another query to the same sentences", remembers);
  }
}

// Enlarges the parameters until an energy exceeds 1e5. If there are no parameters, enlarges the query.
void enlarge(const AnyAttention& any, Attention& attention, Case& c) {
  const bool query_only = attention.named_parameters().empty();
  const Tensor query = c.query;
  for (double size = 10; size < 1e7; size *= 10) {
    fill(attention, 1, 0.5 * size);
    if (query_only) c.query = query * size;
    const Plain e = any.energies(attention, Plain(c.query), Plain(c.values));
    if (*std::max_element(e.values().begin(), e.values().end()) > 1e5) return;
  }
}

// Replaces vectors of c.values so that pads get large energies and the other positions small ones. At each
// position, the candidates are the original vector and 20 random vectors.
void favour_pads(const AnyAttention& any, const Attention& attention, Case& c) {
  gradus::Generator generator(19);
  Plain values(c.values), best = any.energies(attention, Plain(c.query), values);
  for (int i = 0; i < 20; ++i) {
    const Plain other(gradus::normal(c.values.shape(), 0, 2, generator, Dtype::f64));
    const Plain e = any.energies(attention, Plain(c.query), other);
    for (std::int64_t t = 0; t < c.T(); ++t) {
      for (std::int64_t b = 0; b < c.B(); ++b) {
        const bool pad = t >= c.lengths[static_cast<std::size_t>(b)];
        if (pad ? e(b, t) <= best(b, t) : e(b, t) >= best(b, t)) continue;
        best(b, t) = e(b, t);
        for (std::int64_t d = 0; d < values.size(2); ++d) values(t, b, d) = other(t, b, d);
      }
    }
  }
  c.values = values.tensor();
}

// Expects every weight of at least 1e-250 to have a small relative error.
void expect_small_weights(const AnyAttention& any) {
  const Case c = attention_case(any.sizes, positions, some_padding);
  for (const double size : {3.0, 10.0, 30.0}) {
    const auto attention = any.make();
    Case larger = c;
    if (attention->named_parameters().empty()) larger.query = c.query * size;
    fill(*attention, 1, 0.5 * size);
    const Plain got(run(any, *attention, larger).weights), weights = any.weights(*attention, larger);
    for (std::int64_t b = 0; b < c.B(); ++b)
      for (std::int64_t t = 0; t < c.T(); ++t)
        expect(weights(b, t) < 1e-250 || std::abs(got(b, t) / weights(b, t) - 1) < 1e-6, small_weights,
               "A small weight is wrong.", text(got(b, t)), text(weights(b, t)));
  }
}

// Makes the energies of all real positions very low. An attention that uses a finite number such as −10⁵ in
// place of −∞ then gives weight to pads. (In additive attention, all energies of this check are above −10⁹,
// so the check accepts that number.)
void expect_no_low_pads(const AnyAttention& any) {
  Case c = attention_case(any.sizes, positions, some_padding);
  const auto attention = any.make();
  favour_pads(any, *attention, c);
  constexpr double size = 1e6;
  if (attention->named_parameters().empty()) c.query = c.query * size;
  fill(*attention, 1, 0.5 * size);
  const Plain got(run(any, *attention, c).weights);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = c.lengths[static_cast<std::size_t>(b)]; t < c.T(); ++t)
      expect(got(b, t) == 0, pads_leak, "A pad has weight, where the real positions have very low energies.",
             text(got(b, t)), "0");
}

// The values of the case, with large positive and negative numbers at the pads.
Tensor with_large_pads(const Case& c) {
  Plain values(c.values);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = c.lengths[static_cast<std::size_t>(b)]; t < c.T(); ++t)
      for (std::int64_t d = 0; d < values.size(2); ++d) values(t, b, d) = (t + b) % 2 == 0 ? 1e4 : -1e4;
  return values.tensor();
}

void expect_right(const AnyAttention& any, const Attention& attention, const Case& c, const std::string& when,
                  const Mistake& if_nan, const Mistake& otherwise = pads_leak) {
  const Attention::Result result = run(any, attention, c);
  const Plain weights = any.weights(attention, c), context = plain_context(weights, Plain(c.values));
  const std::vector<double> got = result.weights.to_vector<double>();
  const bool nan = std::any_of(got.begin(), got.end(), [](double x) { return std::isnan(x); });
  const bool near = has_values(result.weights, weights, 1e-5) && has_values(result.context, context, 1e-5);
  expect_same(named(result), {weights, context}, when, near ? Mistake{} : nan ? if_nan : otherwise);
}

// True if backward() from `part` of the result gives `input` a gradient that is not 0.
bool goes_back(const AnyAttention& any, std::int64_t T, Tensor Attention::Result::* part,
               Tensor Case::* input) {
  Case c = attention_case(any.sizes, T, {T, T, T});
  (c.*input).set_requires_grad();
  const Tensor y = run(any, c).*part;
  if (!y.requires_grad()) return false;
  gradus::Generator generator(5);
  y.backward(gradus::normal(y.shape(), 0, 1, generator, Dtype::f64));
  if (!(c.*input).grad().defined()) return false;
  const std::vector<double> gradient = (c.*input).grad().to_vector<double>();
  return std::any_of(gradient.begin(), gradient.end(), [](double g) { return g != 0; });
}

// Reports detached tensors by name, before gradients are compared. The attention's values have a test of
// their own, with one position. Its weight is always 1, so no gradient passes through the weights. The
// gradient can then reach the values only through the weighted sum.
void ways_back(const AnyAttention& any) {
  constexpr auto weights = &Attention::Result::weights, context = &Attention::Result::context;
  const std::string hint =
      "detach(), NoGrad and copied values remove a tensor from the tape: nothing before them learns.";
  const bool query_learns = goes_back(any, positions, context, &Case::query);
  expect(!query_learns || goes_back(any, positions, weights, &Case::query), returned_weights_detached,
         "A gradient flows from the context to the query, but none from the weights.");
  expect(goes_back(any, positions, weights, &Case::query),
         {"detached-query", "The query was detached from the tape.", hint},
         "No gradient flows from the weights to the query: the decoder cannot learn its queries.");
  expect(
      goes_back(any, positions, weights, &Case::values),
      {"detached-keys", "The keys, or the values they are computed from, were detached from the tape.", hint},
      "No gradient flows from the weights to the values: the encoder cannot learn to attract attention.");
  expect(goes_back(any, 1, context, &Case::values),
         {"detached-values", "The values were detached from the tape.", hint},
         "No gradient flows from the context to the values: the encoder cannot learn the context's content.");
  expect(query_learns,
         {"detached-weights", "The weights that the context is computed from were detached from the tape.",
          hint},
         "No gradient flows from the context to the query: the decoder cannot learn where to attend.");
}

}  // namespace

void expect_any_sentences(const AnyAttention& any) {
  const auto check = [&](const Case& c, const std::string& when, const Mistake& mistake) {
    const auto attention = any.make();
    const Plain weights = any.weights(*attention, c), context = plain_context(weights, Plain(c.values));
    expect_same(named(run(any, *attention, c)), {weights, context}, when, mistake);
  };
  const std::string hint = "A mask depends on the lengths only: not on the batch's size, nor on the values.";
  check(attention_case(any.sizes, positions, {2}), "for a batch of one padded sentence",
        {"batch-of-one-padded", "A batch of one padded sentence is treated differently.", hint});
  check(attention_case(any.sizes, positions, {3, 3, 3}), "for equal lengths that are less than T",
        {"equal-lengths", "A batch of equal lengths is treated as if it had no padding.", hint});
  Case c = attention_case(any.sizes, positions, some_padding);
  Plain values(c.values);
  for (std::int64_t d = 0; d < values.size(2); ++d) values(1, 0, d) = 0;
  c.values = values.tensor();
  check(c, "where a real position's value is 0",
        {"zero-value", "A real position is masked because its value is 0.", hint});
  for (std::int64_t d = 0; d < values.size(2); ++d) values(1, 0, d) = values(0, 0, d);
  c.values = values.tensor();
  check(c, "where two positions of a sentence have equal values",
        {"equal-values", "Positions with equal values are treated as one position.",
         "A sentence may have the same word twice: each position has its own weight."});
  check(attention_case(any.sizes, 40, {40, 29}), "for a sentence of 40 positions",
        {"long-sentence", "The result is wrong for long sentences.",
         "The equation is the same for every T: look for a fixed size in your code."});
}

void expect_only_its_arguments(const AnyAttention& any) {
  expect_inputs_unchanged(any);
  expect_no_memory_of_other_sentences(any);
  expect_axes_by_order(any);
  expect_rows_selectable(any);
  expect_past_unused(any);
  expect_every_query_used(any);
  const Case c = attention_case(any.sizes, positions, some_padding);
  const auto attention = any.make();
  expect_same_in_training(*attention, [&] { return named(run(any, *attention, c)); });
}

void expect_any_energies(const AnyAttention& any) {
  const auto attention = any.make();
  Case real = attention_case(any.sizes, positions, all_real);
  enlarge(any, *attention, real);
  expect_right(any, *attention, real, "with energies above 709", overflow,
               {"large-energies", "Large energies are clipped, or excluded ones are not low enough.",
                "The softmax needs no limits. An excluded position has the energy −∞."});

  Case c = attention_case(any.sizes, positions, some_padding);
  const Tensor query = std::exchange(c.query, real.query);
  favour_pads(any, *attention, c);
  expect_right(any, *attention, c, "where the pads have the largest energies", max_over_pads);

  c.query = query;
  c.values = with_large_pads(c);
  expect_right(any, *any.make(), c, "with large values at the pads", max_over_pads);
  expect_small_weights(any);
  expect_no_low_pads(any);
}

void expect_exact_zeros(const Tensor& weights, const Plain& expected) {
  const Plain got(weights);
  for (std::int64_t b = 0; b < got.size(0); ++b)
    for (std::int64_t t = 0; t < got.size(1); ++t)
      expect(expected(b, t) != 0 || got(b, t) == 0, pads_leak, "A position without weight has a small one.",
             text(got(b, t)), "0");
}

void expect_attention_gradients(const AnyAttention& any, const Mistake& mistake) {
  ways_back(any);
  const auto attention = any.make();
  const Case c = attention_case(any.sizes, positions, some_padding);
  const Tensor lengths = c.told();
  // Uses a later step, because a wrong attention may detach the query in all steps except the first.
  const std::int64_t step = any.step.value_or(3);
  expect_gradients(
      *attention,
      [&](const std::vector<Tensor>& x) {
        const auto [context, weights] =
            attention->attend(x[0], attention->prepare(x[1], lengths), step, foreign_weights(c));
        return gradus::nn::concat_flat({context, weights});
      },
      {c.query, c.values}, {"query", "values"}, mistake);
}

}  // namespace exercise
