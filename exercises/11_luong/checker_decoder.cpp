// Luong's decoder: eq. 5 and 6, alone and with input feeding (section 3.3).

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace {

using exercise::expect_shape;
using exercise::expect_values;
using exercise::Mistake;
using exercise::parameter;
using exercise::Plain;
using exercise::Suspect;
using gradus::Dtype;
using gradus::Tensor;
using gradus::nn::Annotations;
using gradus::nn::DecoderStep;
using gradus::nn::Memory;
using gradus::nn::State;
using Lengths = std::vector<std::int64_t>;

// No two sizes are the same.
constexpr LuongSizes sizes{.vocabulary = 11, .annotation = 8, .embedding = 5, .hidden = 6, .attentional = 7};
constexpr std::int64_t A = 2, T = 9, B = 3, steps = 4;

struct Task {
  Luong::MakeDecoder make;
  bool feeds;  // whether the cell reads h̃_{t−1}
};

// Any attention would do; this one tells what it was told.
class Watched : public gradus::nn::AdditiveAttention {
 public:
  Watched() : AdditiveAttention(sizes.hidden, sizes.annotation, A) {}

  struct Call {
    std::int64_t step;
    Tensor previous_weights;
  };
  std::vector<Call>* calls = nullptr;  // where to note them

  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    if (calls) calls->push_back({step, previous_weights});
    return AdditiveAttention::attend(query, memory, step, previous_weights);
  }
};

std::unique_ptr<DecoderStep> make(const Task& task, std::unique_ptr<Watched> attention) {
  auto decoder = task.make(sizes, std::move(attention));
  decoder->to(Dtype::f64);
  decoder->eval();
  exercise::fill(*decoder);
  return decoder;
}

std::unique_ptr<DecoderStep> make(const Task& task) { return make(task, std::make_unique<Watched>()); }

// What an encoder might have said of B sources, and the tokens that go in.
struct Case {
  Annotations annotations;
  Lengths lengths;
  Tensor tokens;  // (steps, B)
};

Case example(const Lengths& lengths) {
  gradus::Generator generator(5);
  const auto drawn = [&](const gradus::Shape& shape) {
    return gradus::normal(shape, 0, 1, generator, Dtype::f64);
  };
  const Annotations annotations{.h = drawn({T, B, sizes.annotation}),
                                .lengths = gradus::tensor(lengths),
                                .last_forward = drawn({B, sizes.annotation / 2}),
                                .first_backward = drawn({B, sizes.annotation / 2})};
  const Lengths tokens = {1, 1, 1, 7, 3, 10, 4, 4, 2, 9, 7, 5};
  return {annotations, lengths, gradus::tensor(tokens, {steps, B})};
}

const Lengths all_real = {T, T, T}, some_padding = {7, 9, 4};

// --- the equations, for one sentence, in plain loops

using Vector = std::vector<double>;

Vector times(const Plain& W, const Vector& x) {
  Vector y(static_cast<std::size_t>(W.size(0)));
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += W(o, i) * x[i];
  return y;
}

Vector beside(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Vector tanh_of(Vector x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// x[i, …], of the last axis
Vector row(const Plain& x, std::integral auto... index) {
  Vector out(static_cast<std::size_t>(x.size(x.shape().rank() - 1)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x(index..., i);
  return out;
}

void put(Plain& x, std::int64_t t, std::int64_t b, const Vector& values) {
  for (std::size_t i = 0; i < values.size(); ++i) x(t, b, i) = values[i];
}

struct Parameters {
  explicit Parameters(const DecoderStep& decoder)
      : E(parameter(decoder, "embedding.weight")),
        W_a(parameter(decoder, "attention.W_a.weight")),
        U_a(parameter(decoder, "attention.U_a.weight")),
        v_a(parameter(decoder, "attention.v_a")),
        W_s(parameter(decoder, "W_s.weight")),
        W_ih(parameter(decoder, "cell.weight_ih")),
        W_hh(parameter(decoder, "cell.weight_hh")),
        b_ih(parameter(decoder, "cell.bias_ih")),
        b_hh(parameter(decoder, "cell.bias_hh")),
        W_c(parameter(decoder, "W_c.weight")),
        W_o(parameter(decoder, "W_o.weight")) {}
  Plain E, W_a, U_a, v_a, W_s, W_ih, W_hh, b_ih, b_hh, W_c, W_o;
};

Vector gru(const Parameters& p, const Vector& x, const Vector& h) {
  const Vector from_x = times(p.W_ih, x), from_h = times(p.W_hh, h);
  const std::size_t H = h.size();
  Vector next(H);
  for (std::size_t i = 0; i < H; ++i) {
    const auto sum = [&](std::size_t k) { return from_x[k] + p.b_ih(k) + from_h[k] + p.b_hh(k); };
    const double r = sigmoid(sum(i)), z = sigmoid(sum(H + i));
    const std::size_t k = 2 * H + i;
    const double n = std::tanh(from_x[k] + p.b_ih(k) + r * (from_h[k] + p.b_hh(k)));
    next[i] = (1 - z) * n + z * h[i];
  }
  return next;
}

// α of sentence b by the query s
Vector attend(const Parameters& p, const Vector& s, const Plain& h, std::int64_t b, std::int64_t length) {
  const Vector query = times(p.W_a, s);
  Vector alpha(T);
  double total = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    const Vector key = times(p.U_a, row(h, t, b));
    double e = 0;
    for (std::size_t a = 0; a < key.size(); ++a) e += p.v_a(a) * std::tanh(query[a] + key[a]);
    total += alpha[static_cast<std::size_t>(t)] = std::exp(e);
  }
  for (double& weight : alpha) weight /= total;
  return alpha;
}

Vector context(const Vector& alpha, const Plain& h, std::int64_t b) {
  Vector c(sizes.annotation);
  for (std::size_t t = 0; t < alpha.size(); ++t)
    for (std::size_t d = 0; d < c.size(); ++d) c[d] += alpha[t] * h(t, b, d);
  return c;
}

Vector softmax(Vector x) {
  double total = 0;
  for (double& value : x) total += value = std::exp(value);
  for (double& value : x) value /= total;
  return x;
}

// Ways to go wrong.
enum class Fault {
  none,
  earlier_query,      // attends by s_{t−1}
  earlier_in_output,  // [c_t; s_{t−1}]
  swapped_output,     // [s_t; c_t]
  linear_output,      // h̃ without its tanh
  no_mask,
  state_not_moved,  // s_{t−1} is s_0 at every step
  probabilities,    // the softmax of the logits
  not_fed,
  fed_two_ago,    // h̃_{t−2}
  swapped_input,  // [h̃; E y]
  linear_fed,     // h̃ before its tanh is what is fed
};

// The first n steps of a decoder, (n, B, ·).
struct Course {
  explicit Course(std::int64_t n)
      : s({n, B, sizes.hidden}),
        weights({n, B, T}),
        h_tilde({n, B, sizes.attentional}),
        logits({n, B, sizes.vocabulary}) {}
  Plain s, weights, h_tilde, logits;
};

Vector first_state(const Parameters& p, const Case& c, std::int64_t b) {
  return tanh_of(times(
      p.W_s, beside(row(Plain(c.annotations.last_forward), b), row(Plain(c.annotations.first_backward), b))));
}

// What the cell reads at a step, when h̃ is fed.
Vector fed(const Vector& y, const Vector& h_tilde, const Vector& older, const Vector& before_tanh,
           Fault fault) {
  switch (fault) {
    case Fault::not_fed:
      return beside(y, Vector(h_tilde.size()));
    case Fault::fed_two_ago:
      return beside(y, older);
    case Fault::swapped_input:
      return beside(h_tilde, y);
    case Fault::linear_fed:
      return beside(y, before_tanh);
    default:
      return beside(y, h_tilde);
  }
}

void unroll(const Parameters& p, const Case& c, bool feeds, std::int64_t b, Fault fault, Course& course) {
  const Plain h(c.annotations.h), tokens(c.tokens);
  const std::int64_t length = fault == Fault::no_mask ? T : c.lengths[static_cast<std::size_t>(b)];
  Vector s = first_state(p, c, b);
  Vector h_tilde(sizes.attentional), older = h_tilde, before_tanh = h_tilde;
  for (std::int64_t t = 0; t < course.s.size(0); ++t) {
    const Vector y = row(p.E, static_cast<std::int64_t>(tokens(t, b)));
    const Vector next = gru(p, feeds ? fed(y, h_tilde, older, before_tanh, fault) : y, s);
    const Vector alpha = attend(p, fault == Fault::earlier_query ? s : next, h, b, length);
    const Vector seen = context(alpha, h, b), state = fault == Fault::earlier_in_output ? s : next;
    older = h_tilde;
    before_tanh = times(p.W_c, fault == Fault::swapped_output ? beside(state, seen) : beside(seen, state));
    h_tilde = fault == Fault::linear_output ? before_tanh : tanh_of(before_tanh);
    const Vector logits = times(p.W_o, h_tilde);
    put(course.s, t, b, fault == Fault::state_not_moved ? s : next);
    put(course.weights, t, b, alpha);
    put(course.h_tilde, t, b, h_tilde);
    put(course.logits, t, b, fault == Fault::probabilities ? softmax(logits) : logits);
    if (fault != Fault::state_not_moved) s = next;
  }
}

Course plain_course(const DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n,
                    Fault fault = Fault::none) {
  const Parameters p(decoder);
  Course course(n);
  for (std::int64_t b = 0; b < B; ++b) unroll(p, c, feeds, b, fault, course);
  return course;
}

struct Known {
  Fault fault;
  Mistake mistake;
};

const std::vector<Known>& known_faults() {
  static const std::vector<Known> known = {
      {Fault::earlier_query,
       {"earlier-state", "It attends by s_{t−1}, as Bahdanau does.",
        "Luong updates the state first, and asks with s_t."}},
      {Fault::earlier_in_output,
       {"earlier-state-in-output", "h̃_t is made of c_t and s_{t−1}.", "Eq. 5 has s_t, the updated state."}},
      {Fault::swapped_output,
       {"output-swapped", "W_c is applied to [s_t; c_t].", "Eq. 5: the first D columns of W_c are for c_t."}},
      // This one before the next: what is fed is the same in both, but the first step is right.
      {Fault::linear_fed,
       {"fed-before-tanh", "What is fed is W_c [c; s], before the tanh.",
        "h̃ is one vector: read out and fed back."}},
      {Fault::linear_output, {"no-tanh", "h̃_t has no tanh.", "Eq. 5: h̃_t = tanh(W_c [c_t; s_t])."}},
      {Fault::no_mask,
       {"no-mask", "The pads got weight: the attention does not know the lengths.",
        "prepare(annotations.h, annotations.lengths) tells them."}},
      {Fault::state_not_moved,
       {"state-not-moved", "Every step begins at s_0.", "The state that step() returns holds s_t."}},
      {Fault::probabilities,
       {"softmax-of-logits", "These are probabilities.",
        "The loss and the searches take the softmax; eq. 6 stops at W_o h̃_t here."}},
      {Fault::not_fed,
       {"not-fed", "The cell reads zeros where h̃_{t−1} should be.",
        "The state that step() returns must hold h̃_t, and the next step must read it."}},
      {Fault::fed_two_ago,
       {"fed-too-late", "The cell reads h̃_{t−2}.",
        "step() puts the h̃ that it has just made into its state."}},
      {Fault::swapped_input,
       {"input-swapped", "The cell reads [h̃_{t−1}; E y_{t−1}].",
        "The first E columns of weight_ih are for the embedding."}},
  };
  return known;
}

// What each known fault would give of one thing.
std::vector<Suspect> suspects(const DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n,
                              Plain Course::*what) {
  std::vector<Suspect> out;
  for (const auto& [fault, mistake] : known_faults()) {
    out.push_back({mistake, plain_course(decoder, c, feeds, n, fault).*what});
  }
  return out;
}

// --- stages

const Mistake not_in_state{"h-tilde-not-in-state", "h̃ is not in the state.",
                           "nn::State is all that a search carries from step to step: h̃ must be in it, as "
                           "\"h_tilde\"."};

void expect_state(const State& state, const Task& task, const std::string& when) {
  expect_shape("s in the state " + when, state.find("s"), {B, sizes.hidden}, "(B, H)");
  if (!task.feeds) return;
  expect_shape("h_tilde in the state " + when, state.find("h_tilde"), {B, sizes.attentional}, "(B, K)",
               state.find("h_tilde").defined() ? Mistake{} : not_in_state);
}

DecoderStep::Start started(const DecoderStep& decoder, const Case& c, const Task& task) {
  const DecoderStep::Start start = decoder.start(c.annotations);
  expect_state(start.state, task, "at the start");
  expect_shape("the memory's values", start.memory.values, {T, B, sizes.annotation}, "(T, B, D)");
  return start;
}

DecoderStep::Output stepped(const DecoderStep& decoder, const Tensor& tokens, const State& state,
                            const Memory& memory, const Task& task) {
  const DecoderStep::Output output = decoder.step(tokens, state, memory);
  expect_shape("logits", output.logits, {B, sizes.vocabulary}, "(B, V)");
  expect_shape("weights", output.weights, {B, T}, "(B, T)");
  expect_state(output.state, task, "after a step");
  return output;
}

std::vector<exercise::Parameter> parameters(bool feeds) {
  const auto& n = sizes;
  const std::int64_t input = n.embedding + (feeds ? n.attentional : 0);
  return {{"embedding.weight", {n.vocabulary, n.embedding}, "(V, E)"},
          {"attention.W_a.weight", {A, n.hidden}, "(A, H)"},
          {"attention.U_a.weight", {A, n.annotation}, "(A, D)"},
          {"attention.v_a", {A}, "(A)"},
          {"W_s.weight", {n.hidden, n.annotation}, "(H, D)"},
          {"cell.weight_ih", {3 * n.hidden, input}, feeds ? "(3H, E + K)" : "(3H, E)"},
          {"cell.weight_hh", {3 * n.hidden, n.hidden}, "(3H, H)"},
          {"cell.bias_ih", {3 * n.hidden}, "(3H)"},
          {"cell.bias_hh", {3 * n.hidden}, "(3H)"},
          {"W_c.weight", {n.attentional, n.annotation + n.hidden}, "(K, D + H)"},
          {"W_o.weight", {n.vocabulary, n.attentional}, "(V, K)"}};
}

void shapes(const Task& task) {
  const auto decoder = make(task);
  expect_parameters(*decoder, parameters(task.feeds));
  const Case c = example(all_real);
  const auto [state, memory] = started(*decoder, c, task);
  stepped(*decoder, c.tokens[0], state, memory, task);
}

Plain rows(const std::function<Vector(std::int64_t b)>& of, std::int64_t size) {
  Plain out({B, size});
  for (std::int64_t b = 0; b < B; ++b) {
    const Vector values = of(b);
    for (std::size_t i = 0; i < values.size(); ++i) out(b, i) = values[i];
  }
  return out;
}

void first_values(const Task& task) {
  const auto decoder = make(task);
  const Case c = example(some_padding);
  const State state = started(*decoder, c, task).state;
  const Parameters p(*decoder);
  const Plain forward(c.annotations.last_forward), backward(c.annotations.first_backward), h(c.annotations.h);
  const auto made = [&](const std::function<Vector(std::int64_t b)>& of) { return rows(of, sizes.hidden); };
  expect_values(
      "s_0", state["s"], made([&](auto b) { return first_state(p, c, b); }),
      {{{"s0-no-tanh", "The tanh is missing.", "s_0 = tanh(W_s [→h_T; ←h_1])."},
        made([&](auto b) { return times(p.W_s, beside(row(forward, b), row(backward, b))); })},
       {{"s0-swapped", "W_s is applied to [←h_1; →h_T].", "The forward half comes first."},
        made([&](auto b) { return tanh_of(times(p.W_s, beside(row(backward, b), row(forward, b)))); })},
       {{"s0-last-annotation", "It is made of the last annotation, which may be a pad.",
         "annotations.last_forward and annotations.first_backward know where each sentence ends."},
        made([&](auto b) { return tanh_of(times(p.W_s, row(h, T - 1, b))); })},
       {{"s0-zero", "It is 0: the decoder does not begin where the encoder ended.",
         "s_0 = tanh(W_s [→h_T; ←h_1])."},
        made([&](auto) { return Vector(sizes.hidden); })}});
  if (task.feeds) {
    expect_values(
        "h̃_0", state["h_tilde"], Plain({B, sizes.attentional}), {},
        {"h-tilde-0", "h̃_0 is not 0.", "Before the first step nothing has been read out: zeros, (B, K)."});
  }
}

// The first n steps.
void golden(const Task& task, const Lengths& lengths, std::int64_t n) {
  const auto decoder = make(task);
  const Case c = example(lengths);
  auto [state, memory] = started(*decoder, c, task);
  std::vector<Tensor> s, weights, h_tilde, logits;
  for (std::int64_t t = 0; t < n; ++t) {
    const DecoderStep::Output output = stepped(*decoder, c.tokens[t], state, memory, task);
    state = output.state;
    s.push_back(state["s"]);
    weights.push_back(output.weights);
    logits.push_back(output.logits);
    if (task.feeds) h_tilde.push_back(state["h_tilde"]);
  }
  const Course expected = plain_course(*decoder, c, task.feeds, n);
  const auto compare = [&](const std::string& name, const std::vector<Tensor>& got, Plain Course::*what) {
    expect_values(name, stack(got), expected.*what, suspects(*decoder, c, task.feeds, n, what));
  };
  compare("s (step, row, element)", s, &Course::s);
  compare("weights (step, row, position)", weights, &Course::weights);
  if (task.feeds) compare("h_tilde (step, row, element)", h_tilde, &Course::h_tilde);
  compare("logits (step, row, token)", logits, &Course::logits);
}

// The attention hears the number of the step and the weights of the step before.
void told(const Task& task) {
  auto attention = std::make_unique<Watched>();
  std::vector<Watched::Call> calls;
  attention->calls = &calls;
  const auto decoder = make(task, std::move(attention));
  const Case c = example(some_padding);
  auto [state, memory] = started(*decoder, c, task);
  Tensor before;
  for (std::int64_t t = 0; t < steps; ++t) {
    calls.clear();
    const DecoderStep::Output output = stepped(*decoder, c.tokens[t], state, memory, task);
    exercise::expect(calls.size() == 1,
                     {"attends-once", "", "One step, one look: attention->attend(…), once."},
                     "The attention was not asked once in a step.", std::to_string(calls.size()), "1");
    exercise::expect(
        output.state.step() == t + 1 && calls[0].step == t,
        {"step-not-counted", "The steps are not counted.",
         "Give state.step() to attend(), and state.step() + 1 to the state that you return: local "
         "attention looks there."},
        "The number of the step is not right.",
        "attend was told " + std::to_string(calls[0].step) + ", and the new state says " +
            std::to_string(output.state.step()),
        std::to_string(t) + " and " + std::to_string(t + 1));
    const Mistake previous{
        "previous-weights", "The attention is not told the weights of the step before.",
        "They go from step to step in the state, as \"weights\"; undefined, Tensor(), at the "
        "start."};
    exercise::expect(calls[0].previous_weights.defined() == before.defined(), previous,
                     "previous_weights of attend() is not right at step " + std::to_string(t) + ".",
                     before.defined() ? "an undefined tensor" : "a tensor",
                     before.defined() ? "the weights of the step before" : "an undefined tensor");
    if (before.defined()) {
      expect_values("previous_weights", calls[0].previous_weights, Plain(before), {}, previous);
    }
    before = output.weights;
    state = output.state;
  }
}

// Beam search goes on from other rows than those of the step before: all that is carried is in the state.
void rows_may_be_chosen(const Task& task) {
  const auto decoder = make(task);
  const Case c = example(some_padding);
  const auto [start, memory] = started(*decoder, c, task);
  const State first = stepped(*decoder, c.tokens[0], start, memory, task).state;
  const Tensor order = gradus::tensor(Lengths{2, 0, 0});
  const Plain expected(index_select(decoder->step(c.tokens[1], first, memory).logits, order));

  const State again = stepped(*decoder, c.tokens[0], start, memory, task).state;
  const DecoderStep::Output chosen =
      stepped(*decoder, index_select(c.tokens[1], order), again.select(order), memory.select(order), task);
  expect_values("logits after State::select", chosen.logits, expected, {},
                {"kept-in-a-member", "Something goes from step to step outside of the state.",
                 "Beam search chooses rows of the state between two steps; what a member of the class keeps "
                 "stays in the old order. Put it into nn::State."});
}

void gradients(const Task& task) {
  const auto decoder = make(task);
  const Case c = example(some_padding);
  exercise::expect_gradients(
      *decoder,
      [&](const std::vector<Tensor>& x) {
        const Annotations annotations{
            .h = x[0], .lengths = c.annotations.lengths, .last_forward = x[1], .first_backward = x[2]};
        auto [state, memory] = decoder->start(annotations);
        std::vector<Tensor> out;
        for (std::int64_t t = 0; t < 3; ++t) {
          const DecoderStep::Output output = decoder->step(c.tokens[t], state, memory);
          out.insert(out.end(), {output.logits, output.weights});
          state = output.state;
        }
        return gradus::nn::concat_flat(out);
      },
      {c.annotations.h, c.annotations.last_forward, c.annotations.first_backward},
      {"h", "last_forward", "first_backward"},
      {"off-the-tape", "Something that goes from step to step has left the tape.",
       "detach(), clone() and values that are copied out carry no gradient: keep the tensor itself in the "
       "state."});
}

std::vector<exercise::Stage> stages(const std::string& part, const Task& task) {
  return of_part(part, {{"shapes and parameters", [=] { shapes(task); }},
                        {"the first state", [=] { first_values(task); }},
                        {"values of the first step", [=] { golden(task, all_real, 1); }},
                        {"values, step by step", [=] { golden(task, all_real, steps); }},
                        {"values, with padding", [=] { golden(task, some_padding, steps); }},
                        {"what the attention is told", [=] { told(task); }},
                        {"rows chosen by a beam", [=] { rows_may_be_chosen(task); }},
                        {"gradients", [=] { gradients(task); }}});
}

}  // namespace

std::vector<exercise::Stage> decoder_stages(const Luong::MakeDecoder& make) {
  return stages("decoder", {make, false});
}

std::vector<exercise::Stage> input_feeding_stages(const Luong::MakeDecoder& make) {
  return stages("input feeding", {make, true});
}
