#include <algorithm>
#include <cmath>

#include "kit/attention.hpp"
#include "kit/decoder.hpp"
#include "parts.hpp"

namespace lstm_decoder {

namespace {

// --- The decoder, in plain loops ---

constexpr LstmAnswer::Sizes sizes{.vocabulary = 11, .annotation = 8, .embedding = 5, .hidden = hidden},
    equal_sizes{.vocabulary = 11, .annotation = 6, .embedding = 6, .hidden = 6};
constexpr std::int64_t half = 4, energy = 6, positions = 7, batch = 2;  // D / 2, A, T, B

struct Made {
  std::unique_ptr<nn::DecoderStep> decoder;
  const nn::Attention* attention;  // owned by decoder
};

Made make_decoder(const LstmAnswer& answer, const LstmAnswer::Sizes& n,
                  std::unique_ptr<exercise::Watched> attention) {
  const nn::Attention* kept = attention.get();
  Made made{answer.decoder(n, std::move(attention)), kept};
  in_double(*made.decoder);
  return made;
}

exercise::DecoderTask any(const LstmAnswer& answer, const LstmAnswer::Sizes& n = sizes) {
  return {.make = [=](auto attention) { return make_decoder(answer, n, std::move(attention)).decoder; },
          .vocabulary = n.vocabulary,
          .annotation = n.annotation,
          .query = n.hidden,
          .energy = energy};
}

Made make_decoder(const LstmAnswer& answer, const LstmAnswer::Sizes& n = sizes) {
  return make_decoder(answer, n, any(answer, n).watched());
}

struct DecoderCase {
  nn::Annotations annotations;
  Tensor tokens, h, c;  // (B), (B, H), (B, H): a state in the middle of a sentence
};

DecoderCase decoder_case(const LstmAnswer::Sizes& n = sizes) {
  Generator generator(4);
  const auto drawn = [&](const Shape& shape) { return normal(shape, 0, 1, generator, Dtype::f64); };
  nn::Annotations annotations{.h = drawn({positions, batch, n.annotation}),
                              .lengths = tensor({7, 4}, Dtype::i64),
                              .last_forward = drawn({batch, n.annotation / 2}),
                              .first_backward = drawn({batch, n.annotation / 2})};
  const Tensor h = drawn({batch, n.hidden});
  return {std::move(annotations), tensor({9, 0}, Dtype::i64), h, drawn({batch, n.hidden})};
}

// x Wᵀ + b, (B, ·); `bias` may be empty.
Plain affine(const Plain& x, const Plain& weight, const Plain& bias = {}) {
  Plain y(Shape{x.size(0), weight.size(0)});
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    for (std::int64_t o = 0; o < y.size(1); ++o) {
      if (!bias.values().empty()) y(b, o) = bias(o);
      for (std::int64_t i = 0; i < x.size(1); ++i) y(b, o) += weight(o, i) * x(b, i);
    }
  }
  return y;
}

Plain side_by_side(const std::vector<Plain>& parts) {
  std::int64_t width = 0;
  for (const Plain& part : parts) width += part.size(1);
  Plain all(Shape{parts[0].size(0), width});
  for (std::int64_t b = 0; b < all.size(0); ++b) {
    std::int64_t at = 0;
    for (const Plain& part : parts)
      for (std::int64_t i = 0; i < part.size(1); ++i) all(b, at++) = part(b, i);
  }
  return all;
}

Plain columns(const Plain& x, std::int64_t begin, std::int64_t end) {
  Plain part(Shape{x.size(0), end - begin});
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t i = begin; i < end; ++i) part(b, i - begin) = x(b, i);
  return part;
}

Plain each(const Plain& x, double (*f)(double)) {
  Plain y(x.shape());
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t i = 0; i < x.size(1); ++i) y(b, i) = f(x(b, i));
  return y;
}

double tanh_of(double x) { return std::tanh(x); }

Plain scaled(Plain x, double by) {
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t i = 0; i < x.size(1); ++i) x(b, i) *= by;
  return x;
}

// Each row divided by its Euclidean length.
Plain unit_rows(Plain x) {
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    double squares = 0;
    for (std::int64_t i = 0; i < x.size(1); ++i) squares += x(b, i) * x(b, i);
    for (std::int64_t i = 0; i < x.size(1); ++i) x(b, i) /= std::sqrt(squares);
  }
  return x;
}

// One step of the right decoder in plain loops, with the parameters of the learner's decoder `decoder_`.
class PlainDecoder {
 public:
  PlainDecoder(const Made& made, const DecoderCase& k)
      : decoder_(*made.decoder), attention_(*made.attention), k_(k), w_(weights_of(*made.decoder, "cell.")) {}

  Plain y() const {  // E y_{t−1}, (B, E)
    const Plain rows = exercise::parameter(decoder_, "embedding.weight");
    const std::vector<std::int64_t> ids = k_.tokens.to_vector<std::int64_t>();
    Plain y(Shape{batch, rows.size(1)});
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t e = 0; e < y.size(1); ++e) y(b, e) = rows(ids[static_cast<std::size_t>(b)], e);
    return y;
  }
  Plain weights(const Plain& query) const {  // α, (B, T)
    return exercise::plain_weights(exercise::additive_energies(attention_, query, Plain(k_.annotations.h)),
                                   k_.annotations.lengths.to_vector<std::int64_t>());
  }
  Plain context(const Plain& query) const {  // z, (B, D)
    return exercise::plain_context(weights(query), Plain(k_.annotations.h));
  }
  CellState advance(const Plain& x, const CellState& before) const { return lstm(w_, x, before); }
  Plain read(const std::vector<Plain>& parts) const {
    return affine(side_by_side(parts), exercise::parameter(decoder_, "W_o.weight"),
                  exercise::parameter(decoder_, "W_o.bias"));
  }
  Plain bridge(const Tensor& read) const {  // W_s read, (B, 2H); right if `read` is ←h_1
    return affine(Plain(read), exercise::parameter(decoder_, "W_s.weight"));
  }

 private:
  const nn::DecoderStep& decoder_;
  const nn::Attention& attention_;
  const DecoderCase& k_;
  CellWeights w_;
};

// --- The stages of the decoder ---

std::vector<exercise::Parameter> decoder_parameters() {
  const std::int64_t D = sizes.annotation, E = sizes.embedding, V = sizes.vocabulary;
  std::vector<exercise::Parameter> all = cell_parameters("cell.", E + D);
  const std::vector<exercise::Parameter> others = {
      {"embedding.weight", {V, E}, "(V, E)"},
      {"W_s.weight", {2 * hidden, half}, "(2H, D/2)"},
      {"W_o.weight", {V, hidden + D + E}, "(V, H + D + E)"},
      {"W_o.bias", {V}, "(V)"},
      {"attention.v_a", {energy}, "(A)"},
      {"attention.W_a.weight", {energy, hidden}, "(A, H)"},
      {"attention.U_a.weight", {energy, D}, "(A, D)"},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

// Returns the state's tensor `name` (h or c). Expects the shape (B, H): beam search needs one row per
// hypothesis.
Tensor part(const nn::State& state, const char* name, const std::string& of) {
  std::string names;
  for (const auto& [there, tensor] : state.tensors()) names += (names.empty() ? "" : ", ") + there;
  exercise::expect(
      state.find(name).defined(),
      {"state-names", "", "A step passes h and c to the next one in its State, under these names."},
      "The state " + of + " does not contain " + std::string(name) + ".",
      names.empty() ? "no tensors" : names, "h, c");
  exercise::expect_shape(name + (" " + of), state[name], {batch, hidden}, "(B, H)");
  return state[name];
}

nn::Memory memory_of(const Made& made, const DecoderCase& k) {
  return made.attention->prepare(k.annotations.h, k.annotations.lengths);
}

nn::State state_of(const DecoderCase& k) { return nn::State({{"h", k.h}, {"c", k.c}}, 2); }

void expect_output(const nn::DecoderStep::Output& output) {
  exercise::expect_shape("logits", output.logits, {batch, sizes.vocabulary}, "(B, V)");
  part(output.state, "h", "after a step");
  part(output.state, "c", "after a step");
  exercise::expect_shape("weights", output.weights, {batch, positions}, "(B, T)",
                         {"no-weights", "", "Return the weights from attend(); gradus align draws them."});
  exercise::expect(output.state.step() == 3,
                   {"step-count", "", "A State counts its steps: nn::State({…}, state.step() + 1)."},
                   "The state's step count did not increase by 1.", std::to_string(output.state.step()), "3");
}

void decoder_shapes(const LstmAnswer& answer) {
  const Made made = make_decoder(answer);
  exercise::expect_parameters(*made.decoder, decoder_parameters());
  const DecoderCase k = decoder_case();
  const auto [state, memory] = made.decoder->start(k.annotations);
  part(state, "h", "at the start");
  part(state, "c", "at the start");
  exercise::expect(state.step() == 0, {"step-count", "", "nn::State({…}) has step count 0."},
                   "The first state's step count is not 0.", std::to_string(state.step()), "0");
  exercise::expect_shape(
      "memory.values", memory.values, k.annotations.h.shape(), "(T, B, D)",
      {"memory", "", "Return the memory from attention->prepare(annotations.h, annotations.lengths)."});
  exercise::expect_shape(
      "memory.lengths", memory.lengths, {batch}, "(B)",
      {"memory", "", "Return the memory from attention->prepare(annotations.h, annotations.lengths)."});
  expect_output(made.decoder->step(k.tokens, state_of(k), memory_of(made, k)));
}

void decoder_start(const LstmAnswer& answer) {
  const Made made = make_decoder(answer);
  const DecoderCase k = decoder_case();
  const PlainDecoder plain(made, k);
  const Plain sums = plain.bridge(k.annotations.first_backward), both = each(sums, tanh_of);
  const auto from = [&](const Tensor& read) { return each(plain.bridge(read), tanh_of); };
  const Tensor& annotations = k.annotations.h;
  const Plain forward = from(k.annotations.last_forward);
  const Plain first = from(annotations[0].slice(0, half, 1)),
              last = from(annotations[-1].slice(half, 2 * half, 1));
  const Plain h = columns(both, 0, hidden), c = columns(both, hidden, 2 * hidden);
  const Mistake exchanged{"start-exchanged", "h_0 and c_0 are swapped.",
                          "The first H columns are h_0, the others c_0."};
  const Mistake no_tanh{"start-without-tanh", "The tanh is missing.", "[h_0; c_0] = tanh(W_s ←h_1)."};
  const auto every_second = [](const Plain& x, std::int64_t begin) {
    Plain part(Shape{x.size(0), x.size(1) / 2});
    for (std::int64_t b = 0; b < x.size(0); ++b)
      for (std::int64_t i = 0; i < part.size(1); ++i) part(b, i) = x(b, 2 * i + begin);
    return part;
  };
  const Mistake interleaved{"start-interleaved", "h_0 and c_0 are interleaved.",
                            "The first H columns are h_0, the others c_0: split, or reshape to (B, 2, H)."};
  const Mistake other_state{
      "start-other-end", "The first state is computed from one half of h_j.",
      "Use ←h_1, annotations.first_backward: the backward state after the whole source."};
  const Mistake other_end{"start-other-end", "The first state is computed from the forward state.",
                          "Use ←h_1, annotations.first_backward: the backward state after the whole source."};
  const Mistake zero{"start-zero", "The first state is 0.", "[h_0; c_0] = tanh(W_s ←h_1)."};
  const Plain zeros(h.shape());
  const nn::State state = made.decoder->start(k.annotations).state;
  exercise::expect_values("h_0", state["h"], h,
                          {{exchanged, c},
                           {no_tanh, columns(sums, 0, hidden)},
                           {other_end, columns(forward, 0, hidden)},
                           {other_state, columns(first, 0, hidden)},
                           {other_state, columns(last, 0, hidden)},
                           {interleaved, every_second(both, 0)},
                           {zero, zeros}});
  exercise::expect_values(
      "c_0", state["c"], c,
      {{{"start-one-part", "c_0 equals h_0.", "Half of W_s's rows give h_0, the others c_0."}, h},
       {no_tanh, columns(sums, hidden, 2 * hidden)},
       {other_end, columns(forward, hidden, 2 * hidden)},
       {zero, zeros}});
}

Plain softmaxed(const Plain& logits, bool logarithm) {
  Plain y(logits.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double total = 0;
    for (std::int64_t v = 0; v < y.size(1); ++v) total += std::exp(logits(b, v));
    for (std::int64_t v = 0; v < y.size(1); ++v)
      y(b, v) = logarithm ? logits(b, v) - std::log(total) : std::exp(logits(b, v)) / total;
  }
  return y;
}

void decoder_step(const LstmAnswer& answer) {
  const Made made = make_decoder(answer);
  const DecoderCase k = decoder_case();
  const PlainDecoder plain(made, k);
  const CellState before{Plain(k.h), Plain(k.c)};
  const Plain y = plain.y(), z = plain.context(before.h), nothing(before.h.shape());
  const CellState after = plain.advance(side_by_side({y, z}), before);

  std::vector<Suspect> of_h;
  const auto suspect = [&](const std::string& name, const std::string& sign, const std::string& hint,
                           const Plain& h) { of_h.push_back({{name, sign, hint}, h}); };
  suspect("input-order", "The cell's input is [z; E y].", "The order is [E y; z].",
          plain.advance(side_by_side({z, y}), before).h);
  Plain masked = y;
  for (std::int64_t e = 0; e < sizes.embedding; ++e) masked(1, e) = 0;
  suspect("token-0", "The embedding of token 0 is replaced by 0.",
          "Every token has a row of the table, 0 as well: the loss leaves the pads out, not the decoder.",
          plain.advance(side_by_side({masked, z}), before).h);
  suspect(
      "scaled-embedding", "The embedding is multiplied by √E.", "Only Transformers scale it: E y as it is.",
      plain.advance(side_by_side({scaled(y, std::sqrt(static_cast<double>(sizes.embedding))), z}), before).h);
  suspect("normalised-context", "The context is divided by its length before the cell reads it.",
          "The cell reads z as attend() returns it.",
          plain.advance(side_by_side({y, unit_rows(z)}), before).h);
  suspect("cell-not-carried", "The cell starts from c = 0 at every step.",
          "Read c from the previous state and put c′ into the new one, like h.",
          plain.advance(side_by_side({y, z}), {before.h, nothing}).h);
  suspect("state-not-carried", "The cell starts from h = 0 at every step.",
          "Read h from the previous state and put h′ into the new one, like c.",
          plain.advance(side_by_side({y, z}), {nothing, before.c}).h);
  suspect("state-exchanged", "h and c are swapped in the call of the cell.",
          "forward(x, h, c): state[\"h\"] before state[\"c\"].",
          plain.advance(side_by_side({y, z}), {before.c, before.h}).h);
  suspect("state-exchanged", "h and c are swapped in the new state.", "forward returns {h′, c′}.", after.c);
  suspect("state-unchanged", "The new state equals the old one.", "Put h′ and c′ into the new state.",
          before.h);

  const nn::DecoderStep::Output output = made.decoder->step(k.tokens, state_of(k), memory_of(made, k));
  expect_output(output);
  exercise::expect_values(
      "weights", output.weights, plain.weights(before.h),
      {{{"query-is-cell", "The query is c.", "The query is h, the LSTM's output; c is internal to the cell."},
        plain.weights(before.c)},
       {{"query-after-update", "The query is h_t, the state after the update, as in Luong's decoder.",
         "Bahdanau's decoder attends with h_{t−1}, before the update."},
        plain.weights(after.h)}});
  exercise::expect_values("h after a step", output.state["h"], after.h, of_h);
  exercise::expect_values(
      "c after a step", output.state["c"], after.c,
      {{{"cell-unchanged", "c did not change.", "Put c′ into the new state, beside h′."}, before.c}});

  const Plain logits = plain.read({after.h, z, y});
  const Mistake order{"readout-order", "The input of W_o is concatenated in another order.",
                      "The order is [h_t; z_t; E y]."};
  const Mistake probabilities{"not-logits", "The result contains probabilities or log-probabilities.",
                              "Return W_o […] + b_o: the loss applies the softmax."};
  exercise::expect_values(
      "logits", output.logits, logits,
      {{{"readout-of-old-state", "The logits are computed from h_{t−1}.",
         "Advance the cell first, then compute the logits."},
        plain.read({before.h, z, y})},
       {{"readout-of-cell", "The logits are computed from c_t.", "The output of an LSTM is h."},
        plain.read({after.c, z, y})},
       {{"readout-of-next-context", "The logits are computed from a second context, with the query h_t.",
         "Attend once per step: the cell and the logits use the same z_t."},
        plain.read({after.h, plain.context(after.h), y})},
       {order, plain.read({after.h, y, z})},
       {order, plain.read({y, z, after.h})},
       {order, plain.read({y, after.h, z})},
       {order, plain.read({z, after.h, y})},
       {order, plain.read({z, y, after.h})},
       {probabilities, softmaxed(logits, false)},
       {probabilities, softmaxed(logits, true)}});
}

void step_of_equal_sizes(const LstmAnswer& answer) {
  const Made made = make_decoder(answer, equal_sizes);
  const DecoderCase k = decoder_case(equal_sizes);
  const PlainDecoder plain(made, k);
  const CellState before{Plain(k.h), Plain(k.c)};
  const Plain y = plain.y(), z = plain.context(before.h);
  const CellState after = plain.advance(side_by_side({y, z}), before);
  const nn::DecoderStep::Output output = made.decoder->step(k.tokens, state_of(k), memory_of(made, k));
  exercise::expect_with_equal_sizes(
      [&] {
        exercise::expect_values("weights", output.weights, plain.weights(before.h));
        exercise::expect_values("h after a step", output.state["h"], after.h);
        exercise::expect_values("c after a step", output.state["c"], after.c);
        exercise::expect_values("logits", output.logits, plain.read({after.h, z, y}));
      },
      "D, E and H");
}

// True if the gradient of a new h or c (`next`) reaches the previous h or c (`before`).
bool goes_back(const LstmAnswer& answer, const char* next, Tensor DecoderCase::* before) {
  const Made made = make_decoder(answer);
  DecoderCase k = decoder_case();
  (k.*before).set_requires_grad();
  const Tensor y = made.decoder->step(k.tokens, state_of(k), memory_of(made, k)).state[next];
  if (!y.requires_grad()) return false;
  y.backward(ones(y.shape(), Dtype::f64));
  return (k.*before).grad().defined();
}

void decoder_gradients(const LstmAnswer& answer) {
  const Mistake cut{"detached-state", "The state was detached from the tape.",
                    "Gradients flow back through h and c of all steps: remove detach() and NoGrad."};
  exercise::expect(goes_back(answer, "h", &DecoderCase::h), cut, "No gradient flows from h_t to h_{t−1}.");
  exercise::expect(goes_back(answer, "c", &DecoderCase::c), cut, "No gradient flows from c_t to c_{t−1}.");
  expect_decoder_gradients(any(answer), 2, {});
}

}  // namespace

std::vector<exercise::Stage> decoder_stages(const LstmAnswer& answer) {
  return {{"the decoder: shapes and parameters", [=] { decoder_shapes(answer); }},
          {"the decoder: start()", [=] { decoder_start(answer); }},
          {"the decoder: step()",
           [=] {
             decoder_step(answer);
             step_of_equal_sizes(answer);
           }},
          {"the decoder: the arguments of attend()", [=] { expect_told(any(answer)); }},
          {"the decoder: independent steps, and beam search", [=] { expect_independent_steps(any(answer)); }},
          {"the decoder: gradients", [=] { decoder_gradients(answer); }}};
}

}  // namespace lstm_decoder
