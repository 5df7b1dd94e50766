#include <gradus/error.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kit/invariants.hpp"
#include "parts.hpp"

namespace cho_gru {

namespace {

using gradus::Generator;
using Lengths = std::vector<std::int64_t>;

constexpr std::int64_t T = 6;  // steps
const Lengths no_padding{T, T, T, T}, some_padding{4, T, 1, 0}, short_rows{4, 5, 1, 0};

const Mistake axes_exchanged{"axes-exchanged", "The axes of steps and rows are exchanged.",
                             "Time is first: x[t] is (B, I), and stack(states) is (T, B, H)."};
const Mistake pads_leak{
    "pads-leak", "A state depends on a pad.",
    "Choose by the lengths, with where() or masked_fill(). A product with a mask of zeros and ones "
    "does not remove a NaN: 0 · NaN is NaN."};
const Mistake ended_updated{"ended-updated", "A row is updated after its end.",
                            "From step ℓ_b on, the state of row b stays the same: where(mask, old, new)."};
const Mistake not_carried{"state-not-carried", "Every step starts from `first`.",
                          "Step t reads the state after step t − 1."};

struct Batch {
  Weights p;
  Tensor x;  // (T, B, I)
  Lengths lengths;
  Tensor first;  // (B, H)

  std::int64_t steps() const { return x.size(0); }
  std::int64_t rows() const { return first.size(0); }
  bool is_pad(std::int64_t t, std::int64_t b) const { return t >= lengths[static_cast<std::size_t>(b)]; }
};

Batch batch_of(const Lengths& lengths, std::int64_t steps = T, const Sizes& n = {}) {
  Generator generator(2);
  const std::int64_t B = std::ssize(lengths);
  const Tensor x = normal({steps, B, n.inputs}, 0, 1, generator, Dtype::f64),
               first = normal({B, n.hidden}, 0, 1, generator, Dtype::f64);
  return {random_weights(n), x, lengths, first};
}

// The batch with its pads filled by these numbers in turn.
Batch with_pads(Batch k, const std::vector<double>& numbers) {
  Plain x(k.x);
  std::size_t used = 0;
  for (std::int64_t t = 0; t < k.steps(); ++t)
    for (std::int64_t b = 0; b < k.rows(); ++b)
      for (std::int64_t i = 0; i < x.size(2) && k.is_pad(t, b); ++i)
        x(t, b, i) = numbers[used++ % numbers.size()];
  k.x = x.tensor();
  return k;
}

std::vector<double> not_numbers() {
  return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()};
}

Tensor run(const ChoGru& answer, const Batch& k) {
  return answer.states(k.p, k.x, gradus::tensor(k.lengths), k.first);
}

// --- The states, in plain loops ---

enum class Ended { kept, zeroed, restarted };

// A variant of the loop. The default values give the right states.
struct Loop {
  Ended ended = Ended::kept;
  bool backwards = false;   // reads from the last step to the first; the states stay at their steps
  bool carried = true;      // false: every step starts from `first`
  bool from_zeros = false;  // the start is 0, not `first`
  bool before = false;      // each step returns the state before it
  bool inverted = false;    // a row is updated only after its end
  Form form = {};
};

void copy_row(const Plain& from, std::int64_t b, Plain& to) {
  for (std::int64_t k = 0; k < to.size(1); ++k) to(b, k) = from(b, k);
}

Plain plain_states(const Batch& k, const Lengths& lengths, const Loop& loop = {}) {
  const Plain x(k.x), start = loop.from_zeros ? Plain(k.first.shape()) : Plain(k.first),
                      zeros(k.first.shape());
  const std::int64_t B = k.rows(), H = k.first.size(1);
  Plain h = start, states({k.steps(), B, H}), x_t({B, x.size(2)});
  for (std::int64_t n = 0; n < k.steps(); ++n) {
    const std::int64_t t = loop.backwards ? k.steps() - 1 - n : n;
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t i = 0; i < x.size(2); ++i) x_t(b, i) = x(t, b, i);
    const Plain before = h, next = plain_step(k.p, x_t, loop.carried ? h : start, loop.form);
    for (std::int64_t b = 0; b < B; ++b) {
      if ((t < lengths[static_cast<std::size_t>(b)]) != loop.inverted)
        copy_row(next, b, h);
      else if (loop.ended == Ended::zeroed)
        copy_row(zeros, b, h);
      else if (loop.ended == Ended::restarted)
        copy_row(start, b, h);
    }
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t unit = 0; unit < H; ++unit) states(t, b, unit) = (loop.before ? before : h)(b, unit);
  }
  return states;
}

Plain expected(const Batch& k) { return plain_states(k, k.lengths); }

Lengths shifted(Lengths lengths, std::int64_t by) {
  for (std::int64_t& length : lengths) length += by;
  return lengths;
}

// The states with the elements of the first axis in another order: result[t] = states[order(t)].
template <class Order>
Plain reordered(const Plain& states, const Order& order) {
  Plain result(states.shape());
  for (std::int64_t t = 0; t < states.size(0); ++t)
    for (std::int64_t b = 0; b < states.size(1); ++b)
      for (std::int64_t unit = 0; unit < states.size(2); ++unit)
        result(t, b, unit) = states(order(t), b, unit);
  return result;
}

// --- Known mistakes ---

std::vector<Suspect> wrong_loops(const Batch& k) {
  const Plain right = expected(k);
  const auto of = [&](const Loop& loop) { return plain_states(k, k.lengths, loop); };
  const std::string next = "h = cho_step(p, x[t], h), from t = 0 to T − 1.";
  std::vector<Suspect> suspects = {
      {{"start-ignored", "The first state is 0, not `first`.", "Step 0 reads `first`."},
       of({.from_zeros = true})},
      {not_carried, of({.carried = false})},
      {{"state-before-step", "Each step returns the state before it.",
        "states[t] is the state after step t."},
       of({.before = true})},
      {{"backwards", "The sequences are read from the last step to the first.", next},
       of({.backwards = true})},
      {{"states-reversed", "The states are listed from the last step to the first.",
        "states[0] is the state after step 0."},
       reordered(right, [&](std::int64_t t) { return T - 1 - t; })},
      {{"only-last-state", "Every step returns the last state.", "states[t] is the state after step t."},
       reordered(right, [](std::int64_t) { return T - 1; })}};
  for (const auto& [mistake, form] : wrong_steps()) suspects.push_back({mistake, of({.form = form})});
  return suspects;
}

std::vector<Suspect> wrong_masks(const Batch& k) {
  const auto with = [&](const Lengths& lengths) { return plain_states(k, lengths); };
  const auto all = [&](std::int64_t length) { return with(Lengths(k.lengths.size(), length)); };
  const Batch zero_pads = with_pads(k, {0});
  const Mistake zeroed{"ended-zeroed", "The states after the end of a row are 0.",
                       "nn::GRU writes zeros in `output`. Here the row's last state stays."};
  const Mistake one_length{"one-length-for-all", "All rows end at the same step.",
                           "Each row has its own length: compare (T, 1) with (B), which gives (T, B)."};
  const auto [shortest, longest] = std::ranges::minmax(k.lengths);
  return {
      {ended_updated, all(T)},
      {{"ended-updated", "The pads are replaced by 0, but a row is still updated after its end.",
        "An input of 0 also changes the state. Keep the old state: where(mask, old, new)."},
       plain_states(zero_pads, Lengths(k.lengths.size(), T))},
      {zeroed, plain_states(k, k.lengths, {.ended = Ended::zeroed})},
      {{"ended-restarted", "After the end of a row, its states are `first`.",
        "Keep the state of the step before."},
       plain_states(k, k.lengths, {.ended = Ended::restarted})},
      {{"mask-late", "A row is updated once too often.", "Steps count from 0: step t is real if t < ℓ_b."},
       with(shifted(k.lengths, 1))},
      {{"mask-early", "A row ends one step too early.", "Steps count from 0: step t is real if t < ℓ_b."},
       with(shifted(k.lengths, -1))},
      {{"mask-inverted", "A row is updated only after its end.",
        "where(mask, a, b) takes a where the mask is not 0, else b."},
       plain_states(k, k.lengths, {.inverted = true})},
      {one_length, all(k.lengths[0])},
      {one_length, all(shortest)},
      {one_length, all(longest)}};
}

// --- The stages ---

// True if the answer treats the first axis of x as the batch axis. Only a batch with as many rows as steps
// shows this.
bool reads_batch_first(const ChoGru& answer) {
  Batch k = batch_of({4, 4, 4, 4}, 4);
  Batch turned = k;
  turned.x = transpose(k.x, 0, 1);
  const Tensor right = expected(turned).tensor();  // (T, B, H)
  try {
    const Tensor got = run(answer, k);
    return exercise::has_values(got, Plain(right)) ||
           exercise::has_values(got, Plain(transpose(right, 0, 1)));
  } catch (const gradus::Error&) {
    return false;
  }
}

Mistake shape_mistake(const Tensor& got, const Batch& k) {
  if (!got.defined()) return {};
  const std::int64_t B = k.rows(), H = k.first.size(1), longest = *std::ranges::max_element(k.lengths);
  const gradus::Shape shape = got.shape();
  if (shape == gradus::Shape{B, k.steps(), H}) return axes_exchanged;
  if (shape == gradus::Shape{B, H})
    return {"only-last-state", "Only one state is returned.",
            "Collect the states of all steps, and stack them."};
  if (shape == gradus::Shape{k.steps() + 1, B, H})
    return {"start-included", "`first` is among the states.", "states[0] is the state after step 0."};
  if (shape == gradus::Shape{longest, B, H})
    return {"stops-at-longest", "The states end at the longest length.",
            "T is x.size(0), which may be larger."};
  return {};
}

void shapes(const ChoGru& answer) {
  for (const Lengths& lengths : {no_padding, short_rows}) {
    const Batch k = batch_of(lengths);
    const Tensor states = [&] {
      try {
        return run(answer, k);
      } catch (const gradus::Error& error) {
        if (!reads_batch_first(answer)) throw;
        throw exercise::Finding{.mistake = axes_exchanged,
                                .says = "An operation fails for x (T, B, I) with T = 6 and B = 4.",
                                .got = error.what()};
      }
    }();
    exercise::expect_shape("The result", states, {k.steps(), k.rows(), k.first.size(1)}, "(T, B, H)",
                           shape_mistake(states, k));
  }
}

// Expects every bit of a row's state to stay the same after the end of the row.
void expect_kept_exactly(const Batch& k, const Tensor& states) {
  const Plain got(states), first(k.first);
  Plain kept = got;
  for (std::int64_t t = 0; t < k.steps(); ++t)
    for (std::int64_t b = 0; b < k.rows(); ++b)
      for (std::int64_t unit = 0; unit < kept.size(2); ++unit)
        if (k.is_pad(t, b)) kept(t, b, unit) = t == 0 ? first(b, unit) : kept(t - 1, b, unit);
  exercise::expect_values("states", states, kept, {},
                          {"not-exact", "After the end of a row, its state changes by a rounding error.",
                           "A gate near 1 is not 1: choose the old state with where()."},
                          0);
}

void expect_right(const ChoGru& answer, const std::string& what, const Batch& k,
                  const std::vector<Suspect>& suspects = {}, const Mistake& otherwise = {}) {
  const Plain right = expected(k);  // before the answer can change an input
  exercise::expect_values(what, run(answer, k), right, suspects, otherwise);
}

void values(const ChoGru& answer) {
  const Batch whole = batch_of(no_padding), other = batch_of({2, 3}, 3, {.inputs = 4, .hidden = 6});
  std::vector<Suspect> suspects = wrong_masks(whole), loops = wrong_loops(whole);
  std::ranges::move(loops, std::back_inserter(suspects));
  exercise::expect_right_again([&] { expect_right(answer, "states without padding", whole, suspects); },
                               [&] { return exercise::Results{{"states", run(answer, whole)}}; },
                               [&] { run(answer, other); });
  for (const Lengths& lengths : {some_padding, short_rows}) {
    const Batch k = batch_of(lengths);
    expect_right(answer, "states of a padded batch", k, wrong_masks(k));
    expect_kept_exactly(k, run(answer, k));
  }
  expect_right(answer, "states for T, B, I and H of 1", batch_of({1}, 1, {.inputs = 1, .hidden = 1}));
  exercise::expect_with_equal_sizes(
      [&] { expect_right(answer, "states", batch_of({2, 4, 0, 3}, 4, {.inputs = 4, .hidden = 4})); },
      "T, B, I and H");
  const Batch k = batch_of(some_padding);
  const Tensor in_f32 = answer.states(in_dtype(k.p, Dtype::f32), k.x.to(Dtype::f32),
                                      gradus::tensor(k.lengths), k.first.to(Dtype::f32));
  exercise::expect(in_f32.dtype() == Dtype::f32,
                   {"dtype", "A constant has another dtype.", "Convert a mask with mask.to(x.dtype())."},
                   "For inputs in f32 the result has another dtype.");
}

void pads(const ChoGru& answer) {
  const Batch k = batch_of(some_padding);
  const std::string what = "states of a batch with ";
  expect_right(answer, what + "zeros in the pads", with_pads(k, {0}), {}, pads_leak);
  expect_right(answer, what + "large numbers in the pads", with_pads(k, {1e4, -1e4}), {}, pads_leak);
  // The right states do not depend on the pads, so NaN in the pads does not change them.
  exercise::expect_values(what + "NaN and infinity in the pads", run(answer, with_pads(k, not_numbers())),
                          expected(k), {}, pads_leak);

  Batch zero_input = batch_of(no_padding);
  Plain x(zero_input.x);
  for (std::int64_t i = 0; i < x.size(2); ++i) x(2, 1, i) = x(T - 1, 3, i) = 0;
  zero_input.x = x.tensor();
  expect_right(answer, "states where a real input is 0", zero_input, {},
               {"zero-input", "A real step is skipped because its input is 0.",
                "A pad is a step t ≥ ℓ_b: use the lengths, not the numbers in x."});

  for (std::int64_t b = 0; b < k.rows(); ++b) {
    Batch alone = k;
    alone.x = k.x.slice(b, b + 1, 1);
    alone.lengths = {k.lengths[static_cast<std::size_t>(b)]};
    alone.first = k.first.slice(b, b + 1);
    expect_right(answer, "states of row " + std::to_string(b) + " on its own", alone, {},
                 {"depends-on-batch", "A row has other states on its own than in a batch.",
                  "The state of a row depends on the row's inputs, its length and its first state only."});
  }
}

void invariants(const ChoGru& answer) {
  const Batch k = with_pads(batch_of(some_padding), not_numbers()),
              other = batch_of({2, 3}, 3, {.inputs = 4, .hidden = 6});
  const Plain right = expected(k);
  const Tensor lengths = gradus::tensor(k.lengths);
  exercise::Results inputs = named(k.p);
  inputs.insert(inputs.end(), {{"x", k.x}, {"first", k.first}, {"lengths", lengths}});
  const std::vector<Plain> before = exercise::copied(inputs);
  answer.states(k.p, k.x, lengths, k.first);
  expect_same(inputs, before, "after the call", exercise::changes_its_input);
  const auto call = [&answer](const Batch& batch) {
    return [&answer, &batch] { return exercise::Results{{"states", run(answer, batch)}}; };
  };
  exercise::expect_remembers_nothing({call(k), call(other)}, {{right}, {expected(other)}});
}

// The gradients of Σ g ∘ states, with random g, with respect to the weights, x and `first`. If `last_only`,
// the sum has only the states of the last step.
exercise::Results gradients_of(const ChoGru& answer, const Batch& batch, bool last_only = false) {
  const auto leaf = [](const Tensor& x) { return x.detach().clone().set_requires_grad(); };
  const Batch k{.p = {.weight_ih = leaf(batch.p.weight_ih),
                      .weight_hh = leaf(batch.p.weight_hh),
                      .bias_ih = leaf(batch.p.bias_ih),
                      .bias_hh = leaf(batch.p.bias_hh)},
                .x = leaf(batch.x),
                .lengths = batch.lengths,
                .first = leaf(batch.first)};
  const Tensor states = run(answer, k);
  if (!states.requires_grad())
    throw exercise::Finding{.mistake = {"off-the-tape", "The result was detached from the tape.",
                                        "detach(), NoGrad, item() and copied values have no gradient."},
                            .says = "The result needs no gradient, although the inputs do."};
  Generator generator(6);
  const Tensor g = normal(states.shape(), 0, 1, generator, Dtype::f64);
  sum(last_only ? states[k.steps() - 1] * g[0] : states * g).backward();
  exercise::Results all;
  exercise::Results leaves = named(k.p);
  leaves.insert(leaves.end(), {{"x", k.x}, {"first", k.first}});
  for (const auto& [name, tensor] : leaves)
    all.emplace_back("d/d " + name,
                     tensor.grad().defined() ? tensor.grad() : gradus::zeros(tensor.shape(), Dtype::f64));
  return all;
}

bool is_zero(const Plain& gradient, std::int64_t row) {
  for (std::int64_t unit = 0; unit < gradient.size(1); ++unit)
    if (gradient(row, unit) != 0) return false;
  return true;
}

void gradients(const ChoGru& answer) {
  const Plain of_first(gradients_of(answer, batch_of(no_padding), true).back().second);
  exercise::expect(!is_zero(of_first, 0),
                   {"detached-state", "The state was detached from the tape.",
                    "Gradients flow back through the states of all steps: remove detach() and NoGrad."},
                   "No gradient flows from the last state to the first.");
  const Batch k = batch_of(some_padding);
  const Plain of_ended(gradients_of(answer, k, true).back().second);
  for (std::int64_t b = 0; b < k.rows(); ++b)
    exercise::expect(
        !is_zero(of_ended, b),
        {"ended-detached", "The kept state was detached from the tape.",
         "A loss at the last step uses the kept state: its gradient must reach the row's last real step."},
        "No gradient flows from the last state of row " + std::to_string(b) + " to its first state.");
  exercise::expect_gradients(
      [&](const std::vector<Tensor>& v) {
        return answer.states({.weight_ih = v[0], .weight_hh = v[1], .bias_ih = v[2], .bias_hh = v[3]}, v[4],
                             gradus::tensor(k.lengths), v[5]);
      },
      {k.p.weight_ih, k.p.weight_hh, k.p.bias_ih, k.p.bias_hh, k.x, k.first},
      {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "x", "first"});
  const Mistake nan_gradient{
      "pads-in-gradient", "A step that was not chosen contains NaN. Its gradient is 0, and 0 · NaN is NaN.",
      "Replace the pads in x before a step reads them: masked_fill(x, pads, 0)."};
  expect_same(gradients_of(answer, with_pads(k, not_numbers())), exercise::copied(gradients_of(answer, k)),
              "with NaN and infinity in the pads", nan_gradient);
}

}  // namespace

std::vector<exercise::Stage> padded_stages(const ChoGru& answer) {
  return {{"padded: shapes", [=] { shapes(answer); }},
          {"padded: values", [=] { values(answer); }},
          {"padded: pads", [=] { pads(answer); }},
          {"padded: independent calls", [=] { invariants(answer); }},
          {"padded: gradients", [=] { gradients(answer); }}};
}

}  // namespace cho_gru
