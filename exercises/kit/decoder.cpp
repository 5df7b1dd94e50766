#include "decoder.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>

namespace exercise {

namespace {

using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using gradus::nn::Annotations;
using gradus::nn::DecoderStep;
using gradus::nn::State;
using Lengths = std::vector<std::int64_t>;

/// The annotations of B sources, and for each step the input tokens, (B).
struct Batch {
  Annotations annotations;
  std::vector<Tensor> tokens;

  std::int64_t B() const { return annotations.h.size(1); }
};

Batch example(const DecoderTask& task, std::int64_t T, const Lengths& lengths, std::uint64_t seed) {
  gradus::Generator generator(seed);
  const auto drawn = [&](const Shape& shape) { return gradus::normal(shape, 0, 1, generator, Dtype::f64); };
  const auto B = static_cast<std::int64_t>(lengths.size());
  Batch c{{.h = drawn({T, B, task.annotation}),
           .lengths = gradus::tensor(lengths),
           .last_forward = drawn({B, task.annotation / 2}),
           .first_backward = drawn({B, task.annotation / 2})},
          {}};
  for (int t = 0; t < 4; ++t) {
    Lengths ids;
    for (std::int64_t b = 0; b < B; ++b)
      ids.push_back(static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(task.vocabulary))));
    c.tokens.push_back(gradus::tensor(ids));
  }
  return c;
}

Batch usual(const DecoderTask& task, std::uint64_t seed = 5) { return example(task, 6, {4, 6, 3}, seed); }

Results results_of(const DecoderStep::Output& output) {
  Results all = {{"logits", output.logits}, {"weights", output.weights}};
  for (const auto& [name, tensor] : output.state.tensors())
    if (tensor.defined()) all.push_back({name + " in the state", tensor});
  return all;
}

// A copy of the state with these previous weights and this step number.
State with_weights(const DecoderTask& task, const State& state, const Tensor& weights, std::int64_t step) {
  gradus::NamedTensors tensors = state.tensors();
  for (auto& [name, tensor] : tensors)
    if (name == task.weights) tensor = weights;
  return State(tensors, step);
}

Tensor foreign_weights(const Batch& c) {
  gradus::Generator generator(9);
  const Tensor e = gradus::normal({c.B(), c.annotations.h.size(0)}, 0, 1, generator, Dtype::f64);
  return gradus::masked_softmax(e, c.annotations.lengths);
}

void expect_call(const DecoderTask& task, const std::vector<Watched::Call>& calls,
                 const DecoderStep::Output& output, std::int64_t step, const Tensor& weights) {
  expect(calls.size() == 1, {"attends-once", "", "Call attention->attend(…) once per step."},
         "step() did not call attend() exactly once.", std::to_string(calls.size()), "1");
  expect(output.state.step() == step + 1,
         {"step-count", "", "A State counts its steps: nn::State({…}, state.step() + 1)."},
         "The step count of the new state is wrong.", std::to_string(output.state.step()),
         std::to_string(step + 1));
  expect(calls[0].step == step,
         {"told-step", "The attention gets a wrong step number.",
          "Pass state.step() to attend(): local attention depends on it. A constant is wrong at later steps, "
          "and a counter in a member is wrong for a state from elsewhere."},
         "attend() got a wrong step number.", std::to_string(calls[0].step), std::to_string(step));
  expect_values("weights of step " + std::to_string(step), output.weights, Plain(calls[0].weights), {},
                {"other-weights", "The returned weights are not those of attend().",
                 "Return the weights that attend() gives, at every step: gradus align draws them."});
  if (task.weights.empty()) return;
  const Tensor& told = calls[0].previous_weights;
  const Mistake mistake{"previous-weights", "attend() did not get the previous step's weights.",
                        "Pass them on in the state, as \"" + task.weights +
                            "\"; in the first state they are undefined, Tensor()."};
  const auto said = [](const Tensor& x) { return x.defined() ? "weights" : "an undefined tensor"; };
  expect(weights.defined() || !told.defined(),
         {"previous-weights", "attend() got weights in the first step.",
          "There is no previous step: in the first state, the weights are Tensor(), not zeros."},
         "The argument previous_weights of attend() is wrong.", said(told), said(weights));
  expect(told.defined() == weights.defined(), mistake, "The argument previous_weights of attend() is wrong.",
         said(told), said(weights));
  if (weights.defined()) expect_values("previous_weights", told, Plain(weights), {}, mistake);
}

/// Runs a decoder on one batch, step by step. Several objects of this class may use one decoder in turn.
class Course {
 public:
  Course(const DecoderStep& decoder, const Batch& c)
      : decoder_(decoder), c_(c), start_(decoder.start(c.annotations)) {}

  Results step(std::size_t t) {
    const State& before = t == 0 ? start_.state : state_;
    const DecoderStep::Output output = decoder_.step(c_.tokens[t], before, start_.memory);
    state_ = output.state;
    return results_of(output);
  }

  /// Runs step 1 for selected rows, as beam search does when it continues hypotheses.
  Results selected(const Tensor& rows) const {
    return results_of(
        decoder_.step(index_select(c_.tokens[1], rows), state_.select(rows), start_.memory.select(rows)));
  }

 private:
  const DecoderStep& decoder_;
  const Batch& c_;
  DecoderStep::Start start_;
  State state_;
};

void expect_arguments_unchanged(const DecoderTask& task) {
  const auto decoder = task.make(task.watched());
  const Batch c = usual(task);
  const auto [state, memory] = decoder->start(c.annotations);
  const Results inputs = [&, &state = state, &memory = memory] {
    Results all = {{"annotations.h", c.annotations.h}, {"memory.values", memory.values}};
    for (const auto& [name, tensor] : state.tensors())
      if (tensor.defined()) all.push_back({name + " in the given state", tensor});
    return all;
  }();
  const std::vector<Plain> before = copied(inputs);
  decoder->step(c.tokens[0], state, memory);
  expect_same(inputs, before, "after a step", changes_its_input);
}

// Runs one decoder on several batches in turn: first step 0 of each batch, then step 1 of each, and so on.
void expect_no_memory_of(const DecoderTask& task, const std::vector<Batch>& cases) {
  std::vector<std::vector<Plain>> alone;  // results of separate decoders
  for (const std::size_t t : {0, 1, 2, 3}) {
    for (const Batch& c : cases) {
      const auto decoder = task.make(task.watched());
      Course course(*decoder, c);
      for (std::size_t before = 0; before < t; ++before) course.step(before);
      alone.push_back(copied(course.step(t)));
    }
  }
  const auto decoder = task.make(task.watched());
  std::vector<Course> courses;
  expect_no_exception(
      [&] {
        for (const Batch& c : cases) courses.emplace_back(*decoder, c);
      },
      remembers, "start() fails for a second batch of sentences, but not by itself.");
  std::vector<std::function<Results()>> calls;
  for (const std::size_t t : {0, 1, 2, 3})
    for (Course& course : courses) calls.emplace_back([&course, t] { return course.step(t); });
  expect_remembers_nothing(calls, alone);
}

// One decoder takes a step from each of two states with the same step number and the same memory. The second
// result must not depend on the first state.
void expect_state_decides(const DecoderTask& task) {
  const Batch c = usual(task);
  const auto from = [&](const std::vector<double>& factors) {
    const auto decoder = task.make(task.watched());
    const auto [start, memory] = decoder->start(c.annotations);
    const State state = decoder->step(c.tokens[0], start, memory).state;
    Results last;
    for (const double factor : factors) {
      auto tensors = state.tensors();
      for (auto& [name, tensor] : tensors)
        if (tensor.defined() && name != "weights") tensor = factor * tensor;
      last = results_of(decoder->step(c.tokens[1], State(tensors, state.step()), memory));
    }
    return last;
  };
  expect_same(from({1, 0.5}), copied(from({0.5})), "from a second state with the same step number",
              remembers);
}

// Repeats a step with other step numbers in the state. The results must stay the same, because the attention
// of these checks does not use the step number.
void expect_step_number_unused(const DecoderTask& task) {
  const auto decoder = task.make(task.watched());
  const Batch c = usual(task);
  const auto [start, memory] = decoder->start(c.annotations);
  const State state = decoder->step(c.tokens[0], start, memory).state;
  const auto results = [&, &memory = memory](std::int64_t t) {
    return results_of(decoder->step(c.tokens[1], State(state.tensors(), t), memory));
  };
  const std::vector<Plain> expected = copied(results(1));
  for (const std::int64_t t : {0, 2, 5, 30, 1000})
    expect_same(results(t), expected, "if the state's step is " + std::to_string(t),
                {"depends-on-step", "The result depends on the step number.",
                 "The equations are the same at every step: only attend() gets the step number."});
}

Batch rows_of(const Batch& c, const Lengths& numbers) {
  const Tensor rows = gradus::tensor(numbers);
  Batch part{{.h = gradus::index_select(gradus::transpose(c.annotations.h, 0, 1), rows),
              .lengths = gradus::index_select(c.annotations.lengths, rows),
              .last_forward = gradus::index_select(c.annotations.last_forward, rows),
              .first_backward = gradus::index_select(c.annotations.first_backward, rows)},
             {}};
  part.annotations.h = gradus::transpose(part.annotations.h, 0, 1);
  for (const Tensor& ids : c.tokens) part.tokens.push_back(gradus::index_select(ids, rows));
  return part;
}

// Decodes parts of a batch: three sentences one by one, with their padding, then two sentences of equal
// length together.
void expect_rows_independent(const DecoderTask& task) {
  const Batch whole = example(task, 6, {4, 6, 3, 4}, 10);
  const auto decoded = [&](const Batch& c) {
    const auto decoder = task.make(task.watched());
    Course course(*decoder, c);
    Results all;
    for (const std::size_t t : {0, 1, 2})
      for (const auto& result : course.step(t)) all.push_back(result);
    return all;
  };
  const Results together = decoded(whole);
  for (const Lengths& numbers : std::vector<Lengths>{{0}, {1}, {2}, {0, 3}}) {
    Results expected = together;
    for (auto& [name, tensor] : expected) tensor = index_select(tensor, gradus::tensor(numbers));
    expect_same(
        decoded(rows_of(whole, numbers)), copied(expected),
        numbers.size() == 1 ? "for a batch of one padded sentence" : "for equal lengths that are less than T",
        {"batch-differs", "A sentence gets a different result in another batch.",
         "Does start() or step() treat some batches differently, or does a row depend on others?"});
  }
}

// Selects five rows (hypotheses) from a batch of three sentences, as beam search does.
void expect_rows_selectable(const DecoderTask& task) {
  const Batch c = usual(task);
  const Tensor rows = gradus::tensor(Lengths{2, 0, 0, 1, 2});
  const auto decoder = task.make(task.watched());
  Course course(*decoder, c);
  course.step(0);
  Results whole = course.step(1);
  for (auto& [name, tensor] : whole) tensor = tensor.defined() ? index_select(tensor, rows) : tensor;
  const std::vector<Plain> expected = copied(whole);
  const Mistake mistake{
      "remembers", remembers.sign,
      "Beam search selects rows of the state and of the memory, but not of a member: what a "
      "step passes on must be in nn::State, with the batch as its first axis."};
  course.step(0);
  expect_no_exception(
      [&] { expect_same(course.selected(rows), expected, "of rows that beam search selected", mistake); },
      mistake, "A step fails for five rows that were selected from a batch of three.");
}

// Runs the library's beam search with the decoder. Then runs the decoder on each output with teacher forcing,
// and expects the probability and the weights that the beam search returned.
void expect_beam_search(const DecoderTask& task) {
  gradus::models::Seq2Seq model(
      {.vocabulary = task.vocabulary, .embedding = 4, .hidden = task.annotation / 2},
      task.make(task.watched()));
  model.to(Dtype::f32);
  fill(model, 3, 0.7);
  model.eval();
  std::vector<Lengths> sources = {{3, 5, 4, 6}, {4, 3}, {6, 6, 3, 5, 4, 3}};
  std::vector<gradus::data::Pair> pairs;
  for (Lengths& source : sources) {
    for (std::int64_t& token : source) token = 3 + (token - 3) % (task.vocabulary - 3);
    pairs.push_back({source, {gradus::data::eos}});
  }
  const gradus::data::Batch batch = gradus::data::make_batch(pairs);
  const auto found =
      gradus::models::beam_search(model, gradus::tensor(batch.source, {batch.source_steps, batch.size}),
                                  gradus::tensor(batch.source_lengths), {.width = 4, .n_best = 3}, 7);
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    for (const gradus::models::Decoded& output : found[b]) {
      pairs[b].target = output.tokens;
      const auto alone = gradus::models::force_decode(model, {&pairs[b], 1})[0];
      const Mistake mistake{"beam-search", remembers.sign,
                            "Beam search reorders the rows of the state and of the memory between two steps. "
                            "Whatever a step passes on must be in nn::State."};
      expect_value("ln p of an output that beam search finds", output.log_probability, alone.log_probability,
                   mistake, 1e-4);
      expect_values("the weights of an output that beam search finds", output.weights, Plain(alone.weights),
                    {}, mistake, 1e-4);
    }
  }
}

}  // namespace

Watched::Result Watched::attend(const Tensor& query, const gradus::nn::Memory& memory, std::int64_t step,
                                const Tensor& previous_weights) const {
  if (!follows || !previous_weights.defined()) {
    const Result result = AdditiveAttention::attend(query, memory, step, previous_weights);
    if (calls) calls->push_back({step, previous_weights, result.weights});
    return result;
  }
  const Tensor e = energies(query, memory, step, previous_weights) - 2.0 * previous_weights;
  const Tensor alpha = gradus::masked_softmax(e, memory.lengths);
  return {gradus::weighted_sum(alpha, memory.values, memory.lengths), alpha};
}

void expect_told(const DecoderTask& task) {
  auto attention = task.watched();
  std::vector<Watched::Call> calls;
  attention->calls = &calls;
  const auto decoder = task.make(std::move(attention));
  const Batch c = usual(task);
  const auto [start, memory] = decoder->start(c.annotations);
  State state = start;
  Tensor weights;
  const auto step = [&, &memory = memory](std::int64_t t) {
    calls.clear();
    const DecoderStep::Output output =
        decoder->step(c.tokens[static_cast<std::size_t>(t % 4)], state, memory);
    expect_call(task, calls, output, t, weights);
    state = output.state;
    weights = output.weights;
  };
  for (const std::int64_t t : {0, 1, 2}) step(t);
  weights = foreign_weights(c);
  state = with_weights(task, state, weights, 7);
  step(7);
  state = with_weights(task, start, Tensor(), 0);  // back to the first state
  weights = Tensor();
  step(0);
}

void expect_independent_steps(const DecoderTask& task) {
  const Batch first = usual(task);
  expect_arguments_unchanged(task);
  expect_deterministic([&] {
    const auto decoder = task.make(task.watched());
    return Course(*decoder, first).step(0);
  });
  expect_no_memory_of(task, {first, example(task, 6, {6, 2, 5}, 6)});
  expect_no_memory_of(task, {first, example(task, 8, {8, 3, 7, 5}, 7), example(task, 2, {2}, 8)});
  expect_step_number_unused(task);
  expect_state_decides(task);
  expect_rows_independent(task);
  expect_rows_selectable(task);
  expect_beam_search(task);
  const auto decoder = task.make(task.watched());
  expect_same_in_training(*decoder, [&] {
    Course course(*decoder, first);
    Results both = course.step(0);
    for (const auto& result : course.step(1)) both.push_back(result);
    return both;
  });
}

// The names of the first state's tensors that get a gradient from the logits of step `last`.
std::vector<std::string> reached(const DecoderTask& task, std::int64_t last) {
  const auto decoder = task.make(task.watched());
  const Batch c = usual(task);
  const auto [start, memory] = decoder->start(c.annotations);
  Results leaves;
  for (const auto& [name, tensor] : start.tensors()) {
    if (tensor.defined()) leaves.emplace_back(name, Plain(tensor).tensor());
  }
  gradus::NamedTensors tensors = start.tensors();
  for (auto& [name, leaf] : leaves) {
    leaf.set_requires_grad();
    for (auto& [own, tensor] : tensors)
      if (own == name) tensor = leaf;
  }
  State state(tensors, start.step());
  DecoderStep::Output output;
  for (std::int64_t t = 0; t <= last; ++t) {
    output = decoder->step(c.tokens[static_cast<std::size_t>(t % 4)], state, memory);
    state = output.state;
  }
  std::vector<std::string> names;
  gradus::Generator generator(6);
  if (output.logits.requires_grad())
    output.logits.backward(gradus::normal(output.logits.shape(), 0, 1, generator, Dtype::f64));
  for (const auto& [name, leaf] : leaves) {
    if (!leaf.grad().defined()) continue;
    const std::vector<double> gradient = leaf.grad().to_vector<double>();
    if (std::ranges::any_of(gradient, [](double g) { return g != 0; })) names.push_back(name);
  }
  return names;
}

// A gradient that reaches the first state from step 2 must also reach it from step 20.
void expect_long_gradients(const DecoderTask& task) {
  const std::vector<std::string> near = reached(task, 2), far = reached(task, 20);
  for (const std::string& name : near) {
    expect(std::ranges::find(far, name) != far.end(),
           {"gradient-cut", "Some steps cut the gradient off.",
            "Every step passes its gradient to the step before: call detach() at none of them."},
           "No gradient flows from the logits of step 20 to " + name + " in the first state.");
  }
}

void expect_decoder_gradients(const DecoderTask& task, std::int64_t steps, const Mistake& mistake) {
  auto attention = task.watched();
  attention->follows = !task.weights.empty();
  const auto decoder = task.make(std::move(attention));
  const Batch c = usual(task);
  const auto run = [&](const std::vector<Tensor>& x) {
    Annotations annotations = c.annotations;
    annotations.h = x[0];
    annotations.last_forward = x[1];
    annotations.first_backward = x[2];
    auto [state, memory] = decoder->start(annotations);
    std::vector<Tensor> out;
    for (std::int64_t t = 0; t < steps; ++t) {
      const DecoderStep::Output output = decoder->step(c.tokens[static_cast<std::size_t>(t)], state, memory);
      out.insert(out.end(), {output.logits, output.weights});
      state = output.state;
    }
    return out;
  };
  expect(run({c.annotations.h, c.annotations.last_forward, c.annotations.first_backward})[1].requires_grad(),
         returned_weights_detached, "No gradient flows from the returned weights.");
  expect_gradients(*decoder, [&](const std::vector<Tensor>& x) { return gradus::nn::concat_flat(run(x)); },
                   {c.annotations.h, c.annotations.last_forward, c.annotations.first_backward},
                   {"h", "last_forward", "first_backward"}, mistake, {"last_forward"});
  expect_long_gradients(task);
}

}  // namespace exercise
