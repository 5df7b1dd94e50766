// Greedy decoding.

#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/greedy.hpp>

#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

// Writes symbol 3 once per source token, then `end`, then symbol 4. Records its calls.
class Script : public nn::DecoderStep {
 public:
  explicit Script(std::int64_t end = data::eos) : end_(end) {}

  Start start(const nn::Annotations& annotations) const override {
    steps = 0;
    return {.state = {{"left", annotations.lengths}}, .memory = {}};
  }
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory&) const override {
    ++steps;
    recorded = recorded || gradus::is_recording();
    read.push_back(previous.to_vector<std::int64_t>());
    const Ids left = state["left"].to_vector<std::int64_t>();
    Tensor logits = gradus::zeros({std::ssize(left), 5});
    Ids next;
    for (std::size_t b = 0; b < left.size(); ++b) {
      const std::int64_t token = left[b] > 0 ? 3 : left[b] == 0 ? end_ : 4;
      logits.mutable_values<float>()[b * 5 + static_cast<std::size_t>(token)] = 1;
      next.push_back(left[b] - 1);
    }
    return {.logits = logits, .state = {{{"left", integers(next)}}, state.step() + 1}, .weights = {}};
  }

  mutable int steps = 0;
  mutable bool recorded = false;
  mutable std::vector<Ids> read;

 private:
  std::int64_t end_;
};

models::Seq2Seq scripted(std::int64_t end = data::eos) {
  return {{.vocabulary = 5, .embedding = 2, .hidden = 2}, std::make_unique<Script>(end)};
}

const Script& script(const models::Seq2Seq& model) { return static_cast<const Script&>(*model.decoder); }

std::vector<Ids> tokens(const std::vector<models::Decoded>& decoded) {
  std::vector<Ids> result;
  for (const models::Decoded& one : decoded) result.push_back(one.tokens);
  return result;
}

const BatchTensors x(tiny_batch());

}  // namespace

TEST_CASE("each row stops at its own EOS, decoding stops after the last, and nothing is recorded on the tape",
          "[models][greedy]") {
  const models::Seq2Seq model = scripted();
  const Tensor source = gradus::full({3, 3}, 4, gradus::Dtype::i64);
  const auto decoded = models::greedy(model, source, integers({2, 3, 1}), 100);
  CHECK(tokens(decoded) == std::vector<Ids>{{3, 3, 2}, {3, 3, 3, 2}, {3, 2}});
  CHECK(script(model).steps == 4);
  CHECK(script(model).read == std::vector<Ids>{{1, 1, 1}, {3, 3, 3}, {3, 3, 2}, {2, 3, 2}});
  CHECK_FALSE(decoded[0].weights.defined());
  CHECK_FALSE(script(model).recorded);
}

TEST_CASE("rows whose outputs have ended leave a large batch, except in training", "[models][greedy]") {
  const bool training = GENERATE(false, true);
  models::Seq2Seq model = scripted();
  model.train(training);
  constexpr std::int64_t B = 40;
  Ids lengths;
  for (std::int64_t b = 0; b < B; ++b) lengths.push_back(1 + b * 7 % B);  // 1 … 40, unsorted
  const Tensor source = gradus::full({B, B}, 4, gradus::Dtype::i64);
  const auto decoded = models::greedy(model, source, integers(lengths), 100);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    Ids expected(static_cast<std::size_t>(lengths[b]), 3);
    expected.push_back(data::eos);
    CHECK(decoded[b].tokens == expected);
  }
  std::int64_t rows = 0;
  for (std::size_t step = 0; step < script(model).read.size(); ++step) {
    const auto unfinished = B - std::max<std::int64_t>(static_cast<std::int64_t>(step) - 1, 0);
    const std::int64_t there = std::ssize(script(model).read[step]);
    CHECK(there >= unfinished);
    CHECK(there <= (training ? B : std::max<std::int64_t>(16, unfinished * 4 / 3 + 1)));
    rows += there;
  }
  CHECK((rows == B * (B + 1)) == training);
}

TEST_CASE("without EOS, decoding stops at the maximum length", "[models][greedy]") {
  const models::Seq2Seq model = scripted(4);
  const Tensor source = gradus::full({2, 2}, 4, gradus::Dtype::i64);
  CHECK(tokens(models::greedy(model, source, integers({2, 1}), 3)) == std::vector<Ids>{{3, 3, 4}, {3, 4, 4}});
  CHECK(tokens(models::greedy(model, source, integers({2, 1}), 0)) == std::vector<Ids>{{}, {}});
}

TEST_CASE("the default maximum length is twice the source's length plus ten", "[models][greedy]") {
  const models::Seq2Seq model = scripted(4);
  const std::vector<data::Pair> pairs = {{{3}, {2}}, {{3, 3, 4}, {2}}};
  for (const std::int64_t batch_tokens : {1, 100}) {
    const auto decoded = models::greedy(model, pairs, batch_tokens);
    CHECK(decoded[0].tokens.size() == 12);
    CHECK(decoded[1].tokens.size() == 16);
  }
}

TEST_CASE("greedy decoding feeds each token back, one source at a time or in a batch", "[models][greedy]") {
  for (const Model& model : tiny_models()) {
    INFO(*model);
    const auto batch = models::greedy(*model, x.source, x.source_lengths, 7);
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t length = static_cast<std::int64_t>(x.source_lengths[b].item());
      const Tensor source = x.source.slice(b, b + 1, 1).slice(0, length);
      auto [state, memory] = model->decoder->start(model->encoder.forward(source, integers({length})));
      Ids written;
      std::vector<Tensor> weights;
      for (std::int64_t previous = data::bos; previous != data::eos && written.size() < 7;) {
        const auto output = model->decoder->step(integers({previous}), state, memory);
        const Tensor written_ones = output.logits.slice(data::eos, tiny.vocabulary, 1);  // never PAD or BOS
        previous = data::eos + static_cast<std::int64_t>(argmax(written_ones).item());
        written.push_back(previous);
        if (output.weights.defined()) weights.push_back(output.weights[0]);
        state = output.state;
      }
      const models::Decoded& row = batch[static_cast<std::size_t>(b)];
      CHECK(row.tokens == written);
      CHECK(mismatch(row.weights, weights.empty() ? Tensor() : stack(weights), {1e-6, 0}) == "");
    }
  }
}

TEST_CASE("the sources of pairs are decoded in order, without reading the targets", "[models][greedy]") {
  for (const Model& model : tiny_models()) {
    auto pairs = tiny_pairs;
    for (data::Pair& pair : pairs) pair.target = {5, 5, 5, data::eos};
    CHECK(tokens(models::greedy(*model, pairs)) ==
          tokens(models::greedy(*model, x.source, x.source_lengths)));
  }
  CHECK(models::greedy(scripted(), std::vector<data::Pair>{}).empty());
}
