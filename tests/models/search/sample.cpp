// Decoding by sampling.

#include <gradus/models/sample.hpp>

#include <limits>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Generator;
using gradus::Tensor;

namespace {

const BatchTensors x(tiny_batch());

// The distribution to sample from, computed from the model's p as the header describes.
std::vector<double> expected(std::vector<double> p, const models::SamplingOptions& options) {
  p[data::pad] = p[data::bos] = 0;
  const auto normalise = [&p] {
    double total = 0;
    for (const double value : p) total += value;
    for (double& value : p) value /= total;
  };
  for (double& value : p) value = std::pow(value, 1 / options.temperature);
  normalise();
  std::vector<double> kept = p;
  const auto likelier_than = [&p](std::size_t token) {
    std::int64_t count = 0;
    double probability = 0;
    for (const double value : p) {
      if (value <= p[token]) continue;
      ++count;
      probability += value;
    }
    return std::pair(count, probability);
  };
  for (std::size_t token = 0; token < p.size(); ++token) {
    if (options.top_k > 0 && likelier_than(token).first >= options.top_k) kept[token] = 0;
  }
  p = kept;
  normalise();
  kept = p;
  for (std::size_t token = 0; token < p.size(); ++token) {
    if (likelier_than(token).second >= options.top_p) kept[token] = 0;
  }
  p = kept;
  normalise();
  return p;
}

}  // namespace

TEST_CASE("token frequencies match the probabilities after temperature, top k and top p",
          "[models][sample]") {
  const Model model = std::move(tiny_models()[0]);
  const std::int64_t draws = 20000;
  const Tensor source = gradus::full({1, draws}, 4, gradus::Dtype::i64);
  const Tensor lengths = gradus::ones({draws}, gradus::Dtype::i64);
  const Tensor logits =
      model->forward(source.slice(0, 1, 1), integers({1}), gradus::full({1, 1}, 1, gradus::Dtype::i64))
          .logits;
  const std::vector<double> p = softmax(logits).to_vector<double>();

  const auto options =
      GENERATE(models::SamplingOptions{}, models::SamplingOptions{.temperature = 0.3},
               models::SamplingOptions{.temperature = 3}, models::SamplingOptions{.top_k = 3},
               models::SamplingOptions{.top_k = 100}, models::SamplingOptions{.top_p = 0.6},
               models::SamplingOptions{.temperature = 0.5, .top_k = 4, .top_p = 0.8});
  INFO("temperature " << options.temperature << ", top k " << options.top_k << ", top p " << options.top_p);
  std::vector<double> count(p.size());
  Generator generator(11);
  for (const models::Decoded& one : models::sample(*model, source, lengths, options, generator, 1)) {
    const auto token = static_cast<std::size_t>(one.tokens.at(0));
    ++count[token];
    CHECK(std::abs(one.log_probability - std::log(p[token])) < 1e-5);  // in the model's distribution
  }
  const std::vector<double> q = expected(p, options);
  for (std::size_t token = 0; token < p.size(); ++token) {
    INFO("token " << token);
    const auto n = static_cast<double>(draws);
    CHECK(std::abs(count[token] - n * q[token]) <= 4 * std::sqrt(n * q[token] * (1 - q[token])));
  }
}

TEST_CASE("one kept token, or a temperature near 0, is greedy", "[models][sample]") {
  const auto options = GENERATE(models::SamplingOptions{.top_k = 1}, models::SamplingOptions{.top_p = 1e-9},
                                models::SamplingOptions{.temperature = 1e-9});
  for (const Model& model : decisive_models()) {
    Generator generator(3);
    const auto drawn = models::sample(*model, x.source, x.source_lengths, options, generator);
    const auto greedy = models::greedy(*model, x.source, x.source_lengths);
    for (std::size_t b = 0; b < greedy.size(); ++b) check_same(drawn[b], greedy[b]);
  }
}

TEST_CASE("ties between tokens keep the lower ids", "[models][sample]") {
  const Model model = std::move(tiny_models()[0]);
  for (Tensor parameter : model->parameters()) overwrite(parameter, 0);
  const auto options = GENERATE(models::SamplingOptions{.top_k = 2}, models::SamplingOptions{.top_p = 0.2});
  Generator generator(3);
  std::vector<int> count(static_cast<std::size_t>(tiny.vocabulary));
  for (int i = 0; i < 50; ++i) {
    for (const models::Decoded& one :
         models::sample(*model, x.source, x.source_lengths, options, generator, 1)) {
      ++count[static_cast<std::size_t>(one.tokens[0])];
    }
  }
  CHECK(count[2] > 0);
  CHECK(count[3] > 0);
  CHECK(count[2] + count[3] == 150);
}

TEST_CASE("equal generators give the same draws, and later draws differ", "[models][sample]") {
  const Model model = std::move(tiny_models()[0]);
  Generator one(3), same(3), other(4);
  const auto draw = [&](Generator& generator) {
    return tokens_of(models::sample(*model, x.source, x.source_lengths, {}, generator, 20));
  };
  const auto first = draw(one);
  CHECK(first == draw(same));
  CHECK(first != draw(other));
  CHECK(first != draw(one));

  const models::Search search = models::sample({}, Generator(3));
  const auto found = [&] {
    std::vector<Ids> tokens;
    for (const auto& list : search(*model, x.source, x.source_lengths, 20)) tokens.push_back(list[0].tokens);
    return tokens;
  };
  CHECK(found() == first);
  CHECK(found() != first);
}

TEST_CASE("each source of a batch may have its own generator", "[models][sample]") {
  const Model model = std::move(tiny_models()[0]);
  Generator all(3), same(3);
  const auto together = models::sample(*model, x.source, x.source_lengths, {}, all, 20);
  std::vector<Generator> generators;
  for (std::size_t b = 0; b < together.size(); ++b) generators.push_back(same.split());
  const models::Search search = models::sample({}, generators);
  for (int call = 0; call < 2; ++call) {  // each call draws the same numbers
    const auto found = search(*model, x.source, x.source_lengths, 20);
    REQUIRE(found.size() == together.size());
    for (std::size_t b = 0; b < found.size(); ++b) check_same(found[b].front(), together[b]);
  }
  CHECK_ERROR(models::sample({}, std::vector<Generator>(2))(*model, x.source, x.source_lengths, 20),
              "sample: found 2 generators for 3 sources; give one per source");
}

TEST_CASE("options of sampling outside their ranges are refused", "[models][sample]") {
  const Model model = std::move(tiny_models()[0]);
  const auto check_refused = [&](const models::SamplingOptions& options, const std::string& message) {
    Generator generator(1);
    CHECK_ERROR(models::sample(*model, x.source, x.source_lengths, options, generator), message);
    CHECK(generator.state() == Generator(1).state());
    CHECK_ERROR(models::sample(options, generator), message);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::string temperature = "sample: the temperature must be above 0, and is ";
  check_refused({.temperature = 0}, temperature + "0; for the likeliest tokens, use greedy()");
  check_refused({.temperature = infinity}, "sample: the temperature must be finite, and is inf");
  check_refused({.temperature = -1}, temperature + "-1; for the likeliest tokens, use greedy()");
  check_refused({.temperature = std::nan("")}, temperature + "nan; for the likeliest tokens, use greedy()");
  check_refused({.top_k = -1}, "sample: top_k must be at least 0 (all tokens), and is -1");
  check_refused({.top_p = 0}, "sample: top_p must be above 0 and at most 1 (all tokens), and is 0");
  check_refused({.top_p = 1.5}, "sample: top_p must be above 0 and at most 1 (all tokens), and is 1.5");
  check_refused({.top_p = std::nan("")},
                "sample: top_p must be above 0 and at most 1 (all tokens), and is nan");
}
