// An encoder whose convolution halves the number of annotations: values, padding, gradients, searches.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/gradcheck.hpp>

#include "models/helpers.hpp"
#include "nn/against_golden.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 7, B = 4, H = 4, D = 2 * H;
const Tensor lengths = integers({7, 4, 1, 5});
const Ids halves{4, 2, 1, 3};

// Random ids at all positions. The ids in the padding must have no effect.
Tensor tokens(std::int64_t steps = T) {
  Generator generator(3);
  Ids ids;
  for (std::int64_t i = 0; i < steps * B; ++i)
    ids.push_back(3 + static_cast<std::int64_t>(generator.below(6)));
  return integers(ids).reshape({steps, B});
}

std::unique_ptr<models::Encoder> make_encoder(models::EncoderOptions options) {
  gradus::seed(1);
  options.hidden = H;
  options.embedding = 5;
  options.convolution = true;
  auto encoder = std::make_unique<models::Encoder>(options);
  encoder->to(Dtype::f64);
  return encoder;
}

Model make(bool convolution = true, std::int64_t pyramid = 0) {
  gradus::seed(1);
  Model model = models::make_model(
      {.embedding = 5, .hidden = H, .energy = 3, .pyramid = pyramid, .convolution = convolution},
      {.source = 9, .target = 9});
  model->eval();
  return model;
}

// A model that never writes EOS.
Model endless() {
  Model model = make();
  for (auto& [name, parameter] : model->named_parameters()) {
    if (name == "decoder.readout.bias") Tensor(parameter).mutable_values<float>()[data::eos] -= 1000;
  }
  return model;
}

std::vector<double> at(const Tensor& x, std::int64_t t, std::int64_t b) {
  return x[t][b].to_vector<double>();
}

}  // namespace

TEST_CASE("a convolution halves the number of annotations, of tokens and of vectors",
          "[models][convolution]") {
  const auto counts = [](const models::EncoderOptions& options) {
    return make_encoder(options)->annotation_counts(lengths).to_vector<std::int64_t>();
  };
  CHECK(counts({.vocabulary = 9}) == halves);
  CHECK(counts({.vectors = 3}) == halves);
  CHECK(counts({.vectors = 3, .pyramid = 1}) == Ids{2, 1, 1, 2});
  const auto of_tokens = make_encoder({.vocabulary = 9});
  const nn::Annotations found = of_tokens->forward(tokens(), lengths);
  CHECK(found.h.shape() == Shape{4, B, D});
  CHECK(mismatch(found.lengths, integers(halves)) == "");
  CHECK(of_tokens->convolution->weight.shape() == Shape{D, 2 * D});
  CHECK(mismatch(make_encoder({.vectors = 3, .pyramid = 1})->order(gradus::zeros({T, B, 3}), lengths),
                 expand(gradus::arange(2).reshape({2, 1}), {2, B})) == "");
}

TEST_CASE("a convolution joins pairs of annotations, and keeps the recurrent layer's last states",
          "[models][convolution]") {
  const auto encoder = make_encoder({.vocabulary = 9});
  const nn::Annotations found = encoder->forward(tokens(), lengths);
  const auto [h, last] = encoder->rnn->run(encoder->embedding->forward(tokens()), lengths);
  const auto W = encoder->convolution->weight.to_vector<double>(),
             bias = encoder->convolution->bias.to_vector<double>();
  std::vector<double> expected(4 * B * D, 0.0);
  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(lengths[b].item());
    for (std::int64_t j = 0; j < halves[static_cast<std::size_t>(b)]; ++j) {
      std::vector<double> pair = at(h, 2 * j, b);
      const std::vector<double> second =
          2 * j + 1 < length ? at(h, 2 * j + 1, b) : std::vector<double>(D, 0.0);
      pair.insert(pair.end(), second.begin(), second.end());
      for (std::size_t i = 0; i < D; ++i) {
        double sum = bias[i];
        for (std::size_t k = 0; k < 2 * D; ++k) sum += W[i * 2 * D + k] * pair[k];
        expected[static_cast<std::size_t>(j * B + b) * D + i] = sum;
      }
    }
  }
  CHECK(mismatch(found.h, gradus::tensor(expected, {4, B, D}), rounding) == "");
  CHECK(mismatch(found.last_forward, last[0][0]) == "");
  CHECK(mismatch(found.first_backward, last[0][1]) == "");
  REQUIRE(found.last.size() == last.size());
  CHECK(mismatch(found.last[0], last[0]) == "");
}

TEST_CASE("an encoder with a convolution matches PyTorch's GRU and Conv1d", "[models][convolution][golden]") {
  const Golden golden("encoder_convolution");
  const models::Encoder encoder({.vocabulary = 11, .embedding = 2, .hidden = 3, .convolution = true});
  check_against(golden, encoder, [&](const Leaves& /*leaf*/) {
    return gradus::NamedTensors{{"h", encoder.forward(golden["source"], golden["lengths"]).h}};
  });
}

TEST_CASE("a convolution's annotations do not depend on padding", "[models][convolution]") {
  const auto encoder = make_encoder({.vectors = 3, .pyramid = GENERATE(0, 1, 2)});
  Generator generator(2);
  const Tensor x = random({T, B, 3}, generator);
  const nn::Annotations clean = encoder->forward(x, lengths);
  for (const std::int64_t more : {0, 1, 2, 5}) {
    const nn::Annotations padded = encoder->forward(with_garbage(x, lengths, more), lengths);
    CHECK(mismatch(padded.h.slice(0, clean.h.size(0)), clean.h, rounding) == "");
    CHECK(mismatch(padded.lengths, clean.lengths) == "");
  }
  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(lengths[b].item());
    const nn::Annotations one = encoder->forward(x.slice(b, b + 1, 1).slice(0, length), integers({length}));
    CHECK(mismatch(clean.h.slice(b, b + 1, 1).slice(0, one.h.size(0)), one.h, rounding) == "");
    CHECK(mismatch(clean.lengths.slice(b, b + 1), one.lengths) == "");
  }
}

TEST_CASE("a convolution has correct gradients for odd and even lengths",
          "[models][convolution][gradients]") {
  const FusedAndComposed both;
  const std::int64_t pyramid = GENERATE(0, 1);
  const auto encoder = make_encoder({.vectors = 3, .pyramid = pyramid});
  Generator generator(4);
  const Tensor x = random({T, B, 3}, generator);
  const nn::Annotations shapes = encoder->forward(x, lengths);
  const Tensor of_h = random(shapes.h.shape(), generator), of_last = random({B, H}, generator),
               of_first = random({B, H}, generator);
  const auto loss = [&](const std::vector<Tensor>& inputs) {
    const nn::Annotations found = encoder->forward(inputs[0], lengths);
    return sum(found.h * of_h) + sum(found.last_forward * of_last) + sum(found.first_backward * of_first);
  };
  check_gradients(nn::gradcheck(*encoder, loss, {leaf(x.clone())}), encoder->parameters().size() + 1);
  for (Tensor parameter : encoder->parameters()) parameter.zero_grad();
  const Tensor input = leaf(x.clone());
  loss({input}).backward();
  CHECK(mismatch(only_padding(input.grad(), lengths), gradus::zeros(x.shape(), Dtype::f64)) == "");
  // The gradient of b_c is the sum of the gradients of the real annotations.
  CHECK(mismatch(encoder->convolution->bias.grad(), sum(only_real(of_h, shapes.lengths), gradus::Axes{0, 1}),
                 rounding) == "");
}

TEST_CASE("a model with a convolution learns", "[models][convolution]") {
  const Model model = make();
  model->train();
  check_loss_falls(*model);
}

TEST_CASE("searches share an annotation's weight among its tokens", "[models][convolution][search]") {
  const std::int64_t pyramid = GENERATE(0, 1);
  const std::int64_t n = std::int64_t{2} << pyramid;
  const Model model = make(true, pyramid);
  CHECK(model->encoder.steps_per_annotation() == n);
  const auto greedy = models::greedy(*model, tokens(), lengths);
  const auto beam = models::beam_search(*model, tokens(), lengths, {.width = 1});
  const auto wide =
      models::beam_search(*model, tokens(), lengths, {.width = 4, .n_best = 2, .coverage_penalty = 0.2});
  for (std::int64_t b = 0; b < B; ++b) {
    const models::Decoded& output = greedy[static_cast<std::size_t>(b)];
    const auto length = static_cast<std::int64_t>(lengths[b].item()), steps = std::ssize(output.tokens);
    REQUIRE(output.weights.shape() == Shape{steps, length});
    CHECK(beam[static_cast<std::size_t>(b)][0].tokens == output.tokens);
    CHECK(mismatch(beam[static_cast<std::size_t>(b)][0].weights, output.weights, {1e-6, 0}) == "");
    CHECK(wide[static_cast<std::size_t>(b)][1].weights.size(1) == length);
    // The weights over the annotations when the decoder reads the tokens of `output`.
    const Tensor source = tokens().slice(b, b + 1, 1).slice(0, length);
    Ids before{data::bos};
    before.insert(before.end(), output.tokens.begin(), output.tokens.end() - 1);
    const auto weights =
        model->forward(source, integers({length}), integers(before).reshape({steps, 1})).weights;
    for (std::int64_t t = 0; t < steps; ++t) {
      std::vector<double> expected;
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t j = i / n, covered = std::min(n, length - j * n);
        expected.push_back(weights[static_cast<std::size_t>(t)][0][j].item() / static_cast<double>(covered));
      }
      CHECK(mismatch(output.weights[t], gradus::tensor(expected, {length}), {1e-6, 0}) == "");
    }
    data::Pair pair{source.to_vector<std::int64_t>(), output.tokens};
    CHECK(mismatch(models::force_decode(*model, {&pair, 1})[0].weights, output.weights, {1e-6, 0}) == "");
  }
}

TEST_CASE("a convolution does not shorten the longest output for a source of tokens",
          "[models][convolution][search]") {
  const Model model = endless();
  const auto greedy = models::greedy(*model, tokens(), lengths);
  const auto beam = models::beam_search(*model, tokens(), lengths, {.width = 2});
  for (std::size_t b = 0; b < greedy.size(); ++b) {
    const auto length = static_cast<std::int64_t>(lengths[static_cast<std::int64_t>(b)].item());
    CHECK(std::ssize(greedy[b].tokens) == 2 * length + 10);
    CHECK(std::ssize(beam[b][0].tokens) == 2 * length + 10);
  }
}

TEST_CASE("an ensemble needs a convolution in all members or in none", "[models][convolution][search]") {
  const Model with = make(), without = make(false);
  CHECK_ERROR(models::greedy(models::Ensemble({with.get(), without.get()}), tokens(), lengths),
              "decode: the ensemble's members shorten their sources differently; give models with the same "
              "pyramid, convolution and silence");
}

TEST_CASE("silence is left out after the convolution", "[models][convolution][silence]") {
  const auto encoder = make_encoder({.vectors = 3, .silence = 8}), all = make_encoder({.vectors = 3});
  Generator generator(5);
  std::vector<double> loudness(T, 0.1);
  loudness[2] = loudness[3] = loudness[6] = 1;
  const Tensor x = random({T, B, 3}, generator) * gradus::tensor(loudness, {T, 1, 1});
  const nn::Annotations loud = encoder->forward(x, lengths), every = all->forward(x, lengths);
  CHECK(mismatch(loud.lengths, integers({2, 1, 1, 1})) == "");
  const Tensor order = encoder->order(x, lengths);
  CHECK(order.shape() == Shape{4, B});
  CHECK(transpose(order, 0, 1)[0].to_vector<std::int64_t>() == Ids{1, 3, 0, 2});
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto j = static_cast<std::int64_t>(order[i][b].item());
      CHECK(at(loud.h, i, b) == at(every.h, j, b));
    }
  }
}
