// The decoder, with and without input feeding.

#include <gradus/autograd/ops.hpp>

#include "course.hpp"
#include "kit/decoder.hpp"
#include "parts.hpp"

namespace {

using course::B;
using course::Case;
using course::Course;
using course::example;
using course::Fault;
using course::Lengths;
using course::sizes;
using course::StartFault;
using course::steps;
using course::T;
using exercise::expect_shape;
using exercise::expect_values;
using exercise::Mistake;
using exercise::Plain;
using exercise::Suspect;
using gradus::Tensor;
using gradus::nn::DecoderStep;
using gradus::nn::Memory;
using gradus::nn::State;

struct Task {
  Luong::MakeDecoder make;
  bool feeds;  // true if the cell reads h̃_{t−1}
  LuongSizes n = sizes;
};

std::unique_ptr<DecoderStep> make(const Task& task, std::unique_ptr<exercise::Watched> attention) {
  auto decoder = task.make(task.n, std::move(attention));
  decoder->to(gradus::Dtype::f64);
  decoder->eval();
  exercise::fill(*decoder);
  return decoder;
}

exercise::DecoderTask any(const Task& task) {
  return {.make = [=](auto attention) { return make(task, std::move(attention)); },
          .vocabulary = task.n.vocabulary,
          .annotation = task.n.annotation,
          .query = task.n.hidden,
          .energy = course::A,
          .weights = "weights"};
}

std::unique_ptr<DecoderStep> make(const Task& task) { return make(task, any(task).watched()); }

const Lengths all_real = {T, T, T}, some_padding = {7, 9, 4};

struct Known {
  Fault fault;
  Mistake mistake;
};

const std::vector<Known>& known_faults() {
  static const std::vector<Known> known = {
      {Fault::earlier_query,
       {"earlier-state", "The query is s_{t−1}, as in Bahdanau's decoder.",
        "Luong updates the state first: the query is s_t."}},
      {Fault::earlier_in_output,
       {"earlier-state-in-output", "h̃_t is computed from c_t and s_{t−1}.",
        "Eq. 5 uses s_t, the updated state."}},
      {Fault::swapped_output,
       {"output-swapped", "W_c is applied to [s_t; c_t].",
        "Eq. 5: the first D columns of W_c belong to c_t."}},
      // linear_fed must precede linear_output. Both give the same wrong s in the second step, and the first
      // match is reported. If the mistake were linear_output, the first step would be wrong too, and its
      // stage would already have reported linear_output.
      {Fault::linear_fed,
       {"fed-before-tanh", "The cell reads W_c [c; s], before the tanh.",
        "Feed the same h̃ that the logits are computed from."}},
      {Fault::linear_output, {"no-tanh", "h̃_t lacks the tanh.", "Eq. 5: h̃_t = tanh(W_c [c_t; s_t])."}},
      {Fault::no_mask,
       {"no-mask", "The pads got weight.",
        "Pass the lengths to the attention: prepare(annotations.h, annotations.lengths)."}},
      {Fault::state_not_moved,
       {"state-not-moved", "Every step starts from s_0.", "Return a state with s_t from step()."}},
      {Fault::probabilities,
       {"softmax-of-logits", "The result contains probabilities.",
        "Return W_o h̃_t: the loss and the decoding apply the softmax of eq. 6."}},
      {Fault::log_probabilities,
       {"softmax-of-logits", "The result contains log-probabilities.",
        "Return W_o h̃_t: the loss and the decoding apply the softmax of eq. 6."}},
      {Fault::late_weights,
       {"late-weights", "The returned weights are those of the previous step.",
        "Return the weights that attend() gives in this step."}},
      {Fault::state_from_zero,
       {"state-from-zero", "The cell starts from 0 at every step.",
        "cell.forward(input, state[\"s\"]): without its second argument, the state is 0."}},
      {Fault::tanh_of_logits,
       {"tanh-of-logits", "The tanh is applied to the logits, not to h̃_t.",
        "Eq. 5: h̃_t = tanh(W_c [c_t; s_t]). Eq. 6 has no tanh."}},
      {Fault::not_fed,
       {"not-fed", "The cell reads zeros in place of h̃_{t−1}.",
        "Return h̃_t in the state of step(), and read it in the next step."}},
      {Fault::h_tilde_not_moved,
       {"h-tilde-not-moved", "The state contains h̃_0 at every step.", "Return h̃_t in the state of step()."}},
      {Fault::fed_two_ago,
       {"fed-too-late", "The cell reads h̃_{t−2}.", "Put the h̃_t of this step into the returned state."}},
      {Fault::swapped_input,
       {"input-swapped", "The cell reads [h̃_{t−1}; E y_{t−1}].",
        "The first E columns of weight_ih belong to the embedding."}},
  };
  return known;
}

// The results of n steps, (n, B, ·), under each known fault, as suspects.
std::vector<Suspect> suspects(const DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n,
                              Plain Course::* what) {
  std::vector<Suspect> out;
  for (const auto& [fault, mistake] : known_faults()) {
    out.push_back({mistake, course::unroll(decoder, c, feeds, n, fault).*what});
  }
  return out;
}

const Mistake not_in_state{
    "h-tilde-not-in-state", "h̃ is not in the state.",
    "Decoding passes only nn::State from step to step: put h̃ into it, as \"h_tilde\"."};

void expect_state(const State& state, const Task& task, const std::string& when) {
  expect_shape("s in the state " + when, state.find("s"), {B, task.n.hidden}, "(B, H)");
  if (!task.feeds) return;
  expect_shape("h_tilde in the state " + when, state.find("h_tilde"), {B, task.n.attentional}, "(B, K)",
               state.find("h_tilde").defined() ? Mistake{} : not_in_state);
}

DecoderStep::Start started(const DecoderStep& decoder, const Case& c, const Task& task) {
  const DecoderStep::Start start = decoder.start(c.annotations);
  expect_state(start.state, task, "at the start");
  expect_shape("the memory's values", start.memory.values, {T, B, task.n.annotation}, "(T, B, D)");
  return start;
}

DecoderStep::Output stepped(const DecoderStep& decoder, const Tensor& tokens, const State& state,
                            const Memory& memory, const Task& task) {
  const DecoderStep::Output output = decoder.step(tokens, state, memory);
  expect_shape("logits", output.logits, {B, task.n.vocabulary}, "(B, V)");
  expect_shape("weights", output.weights, {B, T}, "(B, T)");
  expect_state(output.state, task, "after a step");
  return output;
}

std::vector<exercise::Parameter> parameters(bool feeds) {
  const auto& n = sizes;
  const std::int64_t input = n.embedding + (feeds ? n.attentional : 0);
  return {{"embedding.weight", {n.vocabulary, n.embedding}, "(V, E)"},
          {"attention.W_a.weight", {course::A, n.hidden}, "(A, H)"},
          {"attention.U_a.weight", {course::A, n.annotation}, "(A, D)"},
          {"attention.v_a", {course::A}, "(A)"},
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

void first_values(const Task& task) {
  const auto decoder = make(task);
  const Case c = example(some_padding);
  const State state = started(*decoder, c, task).state;
  const auto wrong = [&](StartFault fault) { return course::first_state(*decoder, c, fault); };
  const std::string equation = "s_0 = tanh(W_s [→h_S; ←h_1]).";
  expect_values(
      "s_0", state["s"], course::first_state(*decoder, c),
      {{{"s0-no-tanh", "The tanh is missing.", equation}, wrong(StartFault::no_tanh)},
       {{"s0-swapped", "W_s is applied to [←h_1; →h_S].", equation}, wrong(StartFault::swapped)},
       {{"s0-last-annotation", "s_0 is computed from the last annotation, which may be a pad.",
         "Use annotations.last_forward and annotations.first_backward, which respect each "
         "sentence's length."},
        wrong(StartFault::last_annotation)},
       {{"s0-last-position", "→h is taken from the last position, which may be a pad.",
         "Use annotations.last_forward, which respects each sentence's length."},
        wrong(StartFault::last_position)},
       {{"s0-forward-twice", "W_s is applied to [→h_S; →h_S].", equation}, wrong(StartFault::forward_twice)},
       {{"s0-backward-twice", "W_s is applied to [←h_1; ←h_1].", equation},
        wrong(StartFault::backward_twice)},
       {{"s0-mean", "s_0 is computed from the mean of the annotations.", equation}, wrong(StartFault::mean)},
       {{"s0-first-annotation", "s_0 is computed from the first annotation.", equation},
        wrong(StartFault::first_annotation)},
       {{"s0-zero", "s_0 is 0.", equation}, wrong(StartFault::zero)}});
  if (!task.feeds) return;
  expect_values("h̃_0", state["h_tilde"], Plain({B, sizes.attentional}), {},
                {"h-tilde-0", "h̃_0 is not 0.", "There is no h̃ before the first step: use zeros, (B, K)."});
}

// Compares the first n steps.
void golden(const Task& task, const Lengths& lengths, std::int64_t n) {
  const auto decoder = make(task);
  const Case c = example(lengths, task.n);
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
  const Course expected = course::unroll(*decoder, c, task.feeds, n);
  const auto compare = [&](const std::string& name, const std::vector<Tensor>& got, Plain Course::* what) {
    expect_values(name, stack(got), expected.*what, suspects(*decoder, c, task.feeds, n, what));
  };
  compare("s (step, row, element)", s, &Course::s);
  compare("weights (step, row, position)", weights, &Course::weights);
  if (task.feeds) compare("h_tilde (step, row, element)", h_tilde, &Course::h_tilde);
  compare("logits (step, row, token)", logits, &Course::logits);
}

void golden_of_equal_sizes(Task task) {
  task.n = course::equal_sizes;
  exercise::expect_with_equal_sizes([&] { golden(task, all_real, steps); }, "D, E, H and K");
}

void gradients(const Task& task) {
  const std::string hint =
      "detach(), clone() and copied values have no gradient: keep the tensor itself in the state, the "
      "weights, too.";
  expect_decoder_gradients(any(task), 1,
                           {"off-the-tape", "A value inside a step was detached from the tape.", hint});
  expect_decoder_gradients(
      any(task), 3, {"off-the-tape", "A value passed from step to step was detached from the tape.", hint});
}

std::vector<exercise::Stage> stages(const std::string& part, const Task& task) {
  return of_part(part, {{"shapes and parameters", [=] { shapes(task); }},
                        {"the first state", [=] { first_values(task); }},
                        {"values of the first step", [=] { golden(task, all_real, 1); }},
                        {"values, step by step",
                         [=] {
                           golden(task, all_real, steps);
                           golden_of_equal_sizes(task);
                         }},
                        {"values, with padding", [=] { golden(task, some_padding, steps); }},
                        {"arguments of attend()", [=] { expect_told(any(task)); }},
                        {"independent steps, and beam search", [=] { expect_independent_steps(any(task)); }},
                        {"gradients", [=] { gradients(task); }}});
}

}  // namespace

std::vector<exercise::Stage> decoder_stages(const Luong::MakeDecoder& make) {
  return stages("decoder", {make, false});
}

std::vector<exercise::Stage> input_feeding_stages(const Luong::MakeDecoder& make) {
  return stages("input feeding", {make, true});
}
