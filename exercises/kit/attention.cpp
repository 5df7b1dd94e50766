#include "attention.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "attention_cases.hpp"

namespace exercise {

namespace {

using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using gradus::nn::Attention;
using gradus::nn::Memory;
using Lengths = std::vector<std::int64_t>;

using Case = AttentionCase;

std::unique_ptr<Attention> make(const AttentionTask& task, const AttentionSizes& sizes) {
  auto attention = task.make(sizes);
  attention->to(Dtype::f64);
  attention->eval();
  fill(*attention);
  return attention;
}

Attention::Result run(const Attention& attention, const Case& c) {
  return attention.attend(c.query, attention.prepare(c.values, c.told()), 0, Tensor());
}

// --- Shapes ---

const Mistake context_of_keys{
    "context-of-keys", "The context is a weighted sum of the keys.",
    "Keys only determine the weights; the context is a weighted sum of the values: c = Σ_j α_j h_j."};

const Mistake exchanged{"exchanged", "Context and weights are exchanged.", "Return {context, weights}."};

// True if context and weights are exchanged: each has the shape of the other, and the rows of the context sum
// to 1.
bool is_exchanged(const Attention::Result& result, const Case& c) {
  return result.weights.defined() && result.weights.shape() == Shape{c.B(), c.values.size(2)} &&
         result.context.defined() && result.context.shape() == Shape{c.B(), c.T()} &&
         has_values(sum(result.context, 1), Plain(gradus::ones({c.B()})));
}

void expect_shapes(const Attention::Result& result, const Case& c, std::int64_t key_size) {
  expect_shape("weights", result.weights, {c.B(), c.T()}, "(B, T)",
               is_exchanged(result, c) ? exchanged : Mistake{});
  const bool like_keys = result.context.defined() && result.context.shape() == Shape{c.B(), key_size};
  expect_shape("context", result.context, {c.B(), c.values.size(2)}, "(B, D)",
               like_keys ? context_of_keys : Mistake{});
}

void expect_layout(const std::string& what, const Tensor& kept, const Case& c) {
  if (!kept.defined() || (kept.rank() > 1 && kept.size(1) == c.B())) return;
  throw Finding{.mistake = memory_layout,
                .says = what + " does not have the batch as axis 1.",
                .got = kept.shape().text(),
                .expected = "(T, B, ·), or any other shape (·, B, …); B is " + std::to_string(c.B())};
}

bool has_shapes(const AttentionTask& task, const AttentionSizes& sizes, std::int64_t B, bool masked = false) {
  try {
    const Case c = attention_case(sizes, positions, Lengths(static_cast<std::size_t>(B), positions), masked);
    expect_shapes(run(*make(task, sizes), c), c, sizes.energy);
    return true;
  } catch (...) {  // the caller reports the original case's error
    return false;
  }
}

// Called after a failure. If the code works in a special case, reports this case: the learner learns more
// from the case than from the error `thrown`.
void expect_no_special_case(const AttentionTask& task, const std::string& thrown) {
  const AttentionSizes n = task.sizes;
  const auto expect = [&](bool holds, const Mistake& mistake, const std::string& says) {
    exercise::expect(holds, mistake, says, thrown);
  };
  expect(!has_shapes(task, n, 3, true),
         {"needs-lengths", "Your code reads undefined lengths.",
          "Where lengths.defined() is false, all positions are real."},
         "The attention fails without lengths, but works with them.");
  expect(!has_shapes(task, n, 1),
         {"batch-of-one", "Your code works only for a batch of one sentence.",
          "Axis 1 of the values is the batch: which of your axes are broadcast over it by accident?"},
         "The attention fails for a batch of three sentences, but works for one.");
  expect(
      !has_shapes(task, {n.query, n.query, n.query}, 3),
      {"equal-sizes", "Your code works only when query, values and energies have the same size.",
       "A weight has the shape (outputs, inputs): is each of yours applied to the query or to the values?"},
      "The attention fails for different sizes Q, D and A, but works for equal ones.");
}

// Called after a failure. Reports transposed energies, (T, B) instead of (B, T), if the code works when
// T = B.
void expect_not_time_first(const AttentionTask& task, const std::string& thrown) {
  expect(!has_shapes(task, task.sizes, positions),
         {"time-first", "The energies have the shape (T, B) instead of (B, T).",
          "In the values the position comes first, in the energies the sentence: transpose(x, 0, 1)."},
         "The attention works only when the batch has as many sentences as positions.", thrown);
}

void shapes(const AttentionTask& task) {
  const auto attention = make(task, task.sizes);
  expect_parameters(*attention, task.parameters(task.sizes));
  const Case c = attention_case(task.sizes, positions, all_real, false);
  try {
    expect_shapes(run(*attention, c), c, task.sizes.energy);
  } catch (const Finding& finding) {
    if (finding.mistake.name != context_of_keys.name && finding.mistake.name != exchanged.name)
      expect_no_special_case(task, finding.got);
    throw;
  } catch (const std::exception& error) {
    expect_no_special_case(task, error.what());
    expect_not_time_first(task, error.what());
    throw;
  }
  const Memory memory = attention->prepare(c.values, c.told());
  expect_layout("memory.values", memory.values, c);
  expect_layout("memory.keys", memory.keys, c);
}

// --- Weights and context ---

Plain softmax_over_everything(const Plain& e) {
  double total = 0;
  for (const double x : e.values()) total += std::exp(x);
  Plain weights(e.shape());
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (std::int64_t t = 0; t < e.size(1); ++t) weights(b, t) = std::exp(e(b, t)) / total;
  return weights;
}

Plain softmax_over_batch(const Plain& e) {
  Plain weights(e.shape());
  for (std::int64_t t = 0; t < e.size(1); ++t) {
    double total = 0;
    for (std::int64_t b = 0; b < e.size(0); ++b) total += std::exp(e(b, t));
    for (std::int64_t b = 0; b < e.size(0); ++b) weights(b, t) = std::exp(e(b, t)) / total;
  }
  return weights;
}

template <class F>
Plain mapped(const Plain& x, const F& f) {
  Plain y(x.shape());
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t t = 0; t < x.size(1); ++t) y(b, t) = f(x(b, t), b, t);
  return y;
}

Lengths changed(const Lengths& lengths, std::int64_t by, std::int64_t longest) {
  Lengths out;
  for (const std::int64_t length : lengths) out.push_back(std::clamp<std::int64_t>(length + by, 0, longest));
  return out;
}

// Weights from wrong softmaxes, for sentences without padding.
std::vector<Suspect> softmax_suspects(const Plain& e) {
  return {
      {{"batch-axis", "The softmax was taken over the batch.",
        "The weights of one sentence sum to 1 over its source positions: which axis is that?"},
       softmax_over_batch(e)},
      {{"batch-axis", "The softmax was taken over all sentences at once.",
        "The weights of each sentence sum to 1."},
       softmax_over_everything(e)},
      {{"no-softmax", "These are the energies themselves.", "α_j = exp(e_j) / Σ_k exp(e_k)."}, e},
      {{"not-normalised", "These are exp(e), not divided by their sum.", "α_j = exp(e_j) / Σ_k exp(e_k)."},
       mapped(e, [](double x, auto, auto) { return std::exp(x); })},
      {{"sign", "The energies have the wrong sign.", "A larger energy is a larger weight."},
       plain_weights(mapped(e, [](double x, auto, auto) { return -x; }), all_real)},
      {{"log-softmax", "These are the logarithms of the weights.", "Use softmax, not log_softmax."},
       mapped(plain_weights(e, all_real), [](double x, auto, auto) { return std::log(x); })},
      {{"uniform", "All positions have the same weight.", "α_j = exp(e_j) / Σ_k exp(e_k)."},
       plain_weights(Plain(e.shape()), all_real)},
      {{"softmax-twice", "The softmax was taken twice.",
        "α = softmax(e), once: a second softmax gives nearly uniform weights."},
       plain_weights(plain_weights(e, all_real), all_real)},
  };
}

// Weights from wrong masks.
std::vector<Suspect> mask_suspects(const Plain& e, const Lengths& lengths) {
  const Lengths full(lengths.size(), e.size(1));
  const auto real = [&](std::int64_t b, std::int64_t t) { return t < lengths[static_cast<std::size_t>(b)]; };
  const Plain unmasked = plain_weights(e, full);
  return {
      {{"no-mask", "The pads got weight, as if they were tokens.",
        "Set a pad's energy to −∞ before the softmax: e^−∞ = 0."},
       unmasked},
      {{"zero-score", "The pads' energies were set to 0, not their weights.",
        "e^0 = 1: a pad's energy must be −∞."},
       plain_weights(mapped(e, [&](double x, auto b, auto t) { return real(b, t) ? x : 0; }), full)},
      {{"mask-after-softmax", "The weights were masked after the softmax, so they no longer sum to 1.",
        "Mask the energies, before the softmax."},
       mapped(unmasked, [&](double x, auto b, auto t) { return real(b, t) ? x : 0; })},
      {{"mask-inverted", "The real positions were masked instead of the pads.",
        "The positions before the length are real."},
       mapped(e,
              [&](double x, auto b, auto t) {
                double total = 0;
                for (std::int64_t k = 0; k < e.size(1); ++k) total += real(b, k) ? 0 : std::exp(e(b, k));
                return real(b, t) || total == 0 ? 0 : std::exp(x) / total;
              })},
      {{"mask-too-long", "One pad of each sentence is treated as real.",
        "Positions are numbered from 0: the last real one is length − 1."},
       plain_weights(e, changed(lengths, 1, e.size(1)))},
      {{"mask-too-short", "The last real position of each sentence is masked.",
        "Positions are numbered from 0: the last real one is length − 1."},
       plain_weights(e, changed(lengths, -1, e.size(1)))},
      {{"one-length", "Every sentence is masked with the longest length of the batch.",
        "Each row has its own length."},
       plain_weights(e, Lengths(lengths.size(), *std::max_element(lengths.begin(), lengths.end())))},
      {{"one-length", "Every sentence is masked with the length of the first.",
        "Each row has its own length."},
       plain_weights(e, Lengths(lengths.size(), lengths.front()))},
  };
}

std::vector<Suspect> context_suspects(const Plain& weights, const Plain& energies, const Plain& values) {
  const std::int64_t T = values.size(0), B = values.size(1), D = values.size(2);
  const auto reduced = [&](const auto& weight) {
    Plain c(Shape{B, D});
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t d = 0; d < D; ++d)
        for (std::int64_t t = 0; t < T; ++t) c(b, d) += weight(b, t) * values(t, b, d);
    return c;
  };
  Plain other_sentence(Shape{B, D});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t d = 0; d < D; ++d)
      for (std::int64_t t = 0; t < T; ++t) other_sentence(b, d) += weights(b, t) * values(t, 0, d);
  Plain reshaped(Shape{B, D});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t d = 0; d < D; ++d)
      for (std::int64_t t = 0; t < T; ++t)
        reshaped(b, d) += weights(b, t) * values.values()[static_cast<std::size_t>((b * T + t) * D + d)];
  const Mistake unmasked{"context-unmasked",
                         "The returned weights are masked, but the context uses unmasked ones.",
                         "Compute the context from the weights that you return."};
  return {
      {{"context-mean", "The context is the mean of the values: the weights are not used.",
        "c = Σ_j α_j h_j."},
       reduced([&](auto, auto) { return 1.0 / static_cast<double>(T); })},
      {{"context-sum", "The context is the sum of the values: the weights are not used.", "c = Σ_j α_j h_j."},
       reduced([](auto, auto) { return 1.0; })},
      {{"context-divided", "The context is divided by T.",
        "The weights sum to 1 already: a sum, not a mean."},
       reduced([&](auto b, auto t) { return weights(b, t) / static_cast<double>(T); })},
      {{"context-divided-by-lengths", "The context of each sentence is divided by its length.",
        "The weights sum to 1 already: the values take part as they are."},
       reduced([&](auto b, auto t) {
         std::int64_t length = 0;
         for (std::int64_t k = 0; k < T; ++k) length += weights(b, k) > 0;
         return weights(b, t) / static_cast<double>(length);
       })},
      {{"context-of-energies", "The context is weighted by the energies, not by their softmax.",
        "c = Σ_j α_j h_j."},
       reduced([&](auto b, auto t) { return energies(b, t); })},
      {unmasked, plain_context(plain_weights(energies, Lengths(static_cast<std::size_t>(B), T)), values)},
      {{"context-one-sentence", "Every context is a sum of the first sentence's values.",
        "Row b of the weights belongs to values[:, b]."},
       other_sentence},
      {{"reshaped", "The values (T, B, D) were reshaped to (B, T, D).",
        "reshape keeps the order of the numbers in memory; transpose(x, 0, 1) exchanges the axes."},
       reshaped},
      {{"context-reversed", "Position j's weight multiplies the value counted from the end.",
        "α_tj belongs to h_j."},
       reduced([&](auto b, auto t) { return weights(b, T - 1 - t); })},
  };
}

// The r for which these weights could be a softmax of r · e. Two positions of row 0 determine r.
std::optional<double> scale_of(const Tensor& weights, const Plain& e) {
  if (!weights.defined() || weights.shape() != e.shape() || e.size(1) < 2) return {};
  const Plain got(weights);
  const double r = std::log(got(0, 0) / got(0, 1)) / (e(0, 0) - e(0, 1));
  return std::isfinite(r) && std::abs(r) > 1e-6 && r != 1 ? std::optional(r) : std::nullopt;
}

// Compares the weights and the context with the right ones. `scale` multiplies the query and the values.
void golden(const AttentionTask& task, const AttentionSizes& sizes, const Lengths& lengths, bool masked,
            double scale = 1) {
  const auto attention = make(task, sizes);
  Case c = attention_case(sizes, positions, lengths, masked);
  c.query = scale * c.query;
  c.values = scale * c.values;
  const Plain query(c.query), values(c.values);
  const Plain energies = task.energies(*attention, query, values);
  const Plain weights = plain_weights(energies, lengths);

  std::vector<Suspect> suspects;
  const auto suspect = [&](const Mistake& mistake, const Plain& e) {
    suspects.push_back({mistake, plain_weights(e, lengths)});
  };
  for (const auto& [mistake, wrong] : task.suspects) suspect(mistake, wrong(*attention, query, values));
  for (const double by : {0.5, 2.0})
    suspect({"factor", "The energies are " + text(by) + " times the equation's.", "Compare the factors."},
            mapped(energies, [=](double x, auto, auto) { return by * x; }));
  suspect({"squared", "The energies are squared.", "Compare the exponents."},
          mapped(energies, [](double x, auto, auto) { return x * x; }));
  suspect({"absolute", "The energies are absolute values.", "Energies may be negative."},
          mapped(energies, [](double x, auto, auto) { return std::abs(x); }));
  suspect({"reshaped", "The energies (T, B) were reshaped to (B, T).",
           "reshape keeps the order of the numbers in memory; transpose(x, 0, 1) exchanges the axes."},
          mapped(energies, [&](double, std::int64_t b, std::int64_t t) {
            const std::int64_t at = b * energies.size(1) + t;  // offset in the (T, B) array
            return energies(at % energies.size(0), at / energies.size(0));
          }));
  Plain reshaped(values.shape());  // the numbers of h, read as (B, T, D)
  for (std::int64_t t = 0; t < c.T(); ++t)
    for (std::int64_t b = 0; b < c.B(); ++b)
      for (std::int64_t d = 0; d < values.size(2); ++d)
        reshaped(t, b, d) = values.values()[static_cast<std::size_t>((b * c.T() + t) * values.size(2) + d)];
  suspect({"reshaped", "The values (T, B, D) were reshaped to (B, T, D).",
           "reshape keeps the order of the numbers in memory; transpose(x, 0, 1) exchanges the axes."},
          task.energies(*attention, query, reshaped));
  const std::vector<Suspect> known = masked ? mask_suspects(energies, lengths) : softmax_suspects(energies);
  suspects.insert(suspects.end(), known.begin(), known.end());

  const Attention::Result result = run(*attention, c);
  expect_shapes(result, c, sizes.energy);
  if (const auto by = scale_of(result.weights, energies)) {
    suspect({"factor", "The energies are " + text(*by, 4) + " times the equation's.", "Compare the factors."},
            mapped(energies, [=](double x, auto, auto) { return *by * x; }));
  }
  const Plain context = plain_context(weights, values);
  expect(!has_values(result.context, context) || has_values(result.weights, weights),
         {"other-weights", "",
          "Return the weights that the context was computed from: gradus align draws them."},
         "The context is right, but the returned weights are not those that it was computed from.");
  expect_deterministic([&] { return named(run(*make(task, sizes), c)); });
  expect_given([&] { return "the energies of row 0: " + row_text(energies, 0); },
               [&] { expect_values("weights", result.weights, weights, suspects); });
  expect_exact_zeros(result.weights, weights);
  expect_given([&] { return "the weights of row 0: " + row_text(weights, 0); },
               [&] {
                 expect_values("context", result.context, context,
                               context_suspects(weights, energies, values));
               });
}

void without_padding(const AttentionTask& task) {
  golden(task, task.sizes, all_real, false);
  expect_with_equal_sizes([&] { golden(task, equal_sizes, all_real, false, small_inputs); }, "Q, D and A");
}

void with_padding(const AttentionTask& task) {
  for (const Lengths& lengths :
       {some_padding, Lengths{positions, 2, 4}, Lengths{1, 3, positions}, Lengths{3, 3, 3}, Lengths{2}})
    golden(task, task.sizes, lengths, true);
}

// --- Invariants ---

// A batch with only sentence b, without padding.
Case alone(const Case& c, std::int64_t b) {
  const std::int64_t length = c.lengths[static_cast<std::size_t>(b)];
  return {c.query.slice(b, b + 1), c.values.slice(0, length).slice(b, b + 1, 1), {length}, c.masked};
}

void one_by_one(const AttentionTask& task) {
  const auto attention = make(task, task.sizes);
  const Case c = attention_case(task.sizes, positions, some_padding, true);
  const Attention::Result together = run(*attention, c);
  for (std::int64_t b = 0; b < c.B(); ++b) {
    const Case single = alone(c, b);
    expect_values("context of sentence " + std::to_string(b) + " in a padded batch",
                  together.context.slice(b, b + 1), Plain(run(*attention, single).context), {},
                  {"batch-differs", "A sentence gets a different result in a batch than on its own.",
                   "Does a row depend on other rows or on its padding?"});
  }
}

void permuted(const AttentionTask& task) {
  const auto attention = make(task, task.sizes);
  const Case c = attention_case(task.sizes, positions, all_real, false);
  Case reversed = c;
  std::vector<Tensor> steps;
  for (std::int64_t t = positions; t-- > 0;) steps.push_back(c.values.slice(t, t + 1));
  reversed.values = gradus::concat(steps, 0);
  expect_values("context with the positions in another order", run(*attention, reversed).context,
                Plain(run(*attention, c).context), {},
                {"order-matters", "The order of the positions changes the context.",
                 "Attention by content does not use positions: equal values get equal weights."});
}

void one_position(const AttentionTask& task) {
  const auto attention = make(task, task.sizes);
  const Case c = attention_case(task.sizes, 1, {1, 1}, false);
  expect_values("the context of a source of one token", run(*attention, c).context, Plain(c.values[0]), {},
                {"one-position", "With one position, the context must be its value.",
                 "A softmax over one energy is 1, whatever the energy."});
}

AnyAttention any_of(const AttentionTask& task) {
  return {.make = [=] { return make(task, task.sizes); },
          .sizes = task.sizes,
          .energies = task.energies,
          .weights =
              [=](const Attention& attention, const Case& c) {
                return plain_weights(task.energies(attention, Plain(c.query), Plain(c.values)), c.lengths);
              }};
}

}  // namespace

AttentionCase attention_case(const AttentionSizes& n, std::int64_t T, const Lengths& lengths, bool masked,
                             std::uint64_t seed) {
  gradus::Generator generator(seed);
  const auto B = static_cast<std::int64_t>(lengths.size());
  return {gradus::normal({B, n.query}, 0, 1, generator, Dtype::f64),
          gradus::normal({T, B, n.value}, 0, 1, generator, Dtype::f64), lengths, masked};
}

Plain plain_weights(const Plain& energies, const Lengths& lengths) {
  Plain weights(energies.shape());
  for (std::int64_t b = 0; b < energies.size(0); ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    double total = 0, largest = length == 0 ? 0 : energies(b, 0);
    for (std::int64_t t = 0; t < length; ++t) largest = std::max(largest, energies(b, t));
    for (std::int64_t t = 0; t < length; ++t) total += std::exp(energies(b, t) - largest);
    for (std::int64_t t = 0; t < length; ++t) weights(b, t) = std::exp(energies(b, t) - largest) / total;
  }
  return weights;
}

Plain plain_context(const Plain& weights, const Plain& values) {
  Plain context(Shape{values.size(1), values.size(2)});
  for (std::int64_t t = 0; t < values.size(0); ++t)
    for (std::int64_t b = 0; b < values.size(1); ++b)
      for (std::int64_t d = 0; d < values.size(2); ++d) context(b, d) += weights(b, t) * values(t, b, d);
  return context;
}

double additive_term(double v, double query, double key) { return v * std::tanh(query + key); }

Plain additive_energies(const gradus::nn::Module& attention, const Plain& query, const Plain& values,
                        const AdditiveTerm& term) {
  const Plain W = parameter(attention, "W_a.weight"), U = parameter(attention, "U_a.weight"),
              v = parameter(attention, "v_a");
  Plain e(Shape{values.size(1), values.size(0)});
  for (std::int64_t b = 0; b < values.size(1); ++b) {
    for (std::int64_t t = 0; t < values.size(0); ++t) {
      for (std::int64_t a = 0; a < v.size(0); ++a) {
        double x = 0, y = 0;
        for (std::int64_t q = 0; q < query.size(1); ++q) x += W(a, q) * query(b, q);
        for (std::int64_t d = 0; d < values.size(2); ++d) y += U(a, d) * values(t, b, d);
        e(b, t) += term(v(a), x, y);
      }
    }
  }
  return e;
}

std::vector<Stage> attention_stages(const AttentionTask& task) {
  return {{"shapes and parameters", [=] { shapes(task); }},
          {"values, without padding", [=] { without_padding(task); }},
          {"values, with padding", [=] { with_padding(task); }},
          {"invariants",
           [=] {
             expect_only_its_arguments(any_of(task));
             expect_any_sentences(any_of(task));
             one_by_one(task);
             permuted(task);
             one_position(task);
           }},
          {"large energies, and other pads", [=] { expect_any_energies(any_of(task)); }},
          {"gradients", [=] { expect_attention_gradients(any_of(task)); }}};
}

}  // namespace exercise
