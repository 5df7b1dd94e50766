// Several threads use one model at the same time.

#include <gradus/autograd/recording.hpp>
#include <gradus/models/decode.hpp>

#include <array>
#include <thread>

#include "models/decoding.hpp"

namespace models = gradus::models;

namespace {

// The results of one thread: the outputs of every search, the scores of given targets, and the loss.
struct Outputs {
  std::vector<Ids> tokens;
  std::vector<double> numbers;

  bool operator==(const Outputs&) const = default;
};

Outputs outputs_of(const models::Seq2Seq& model) {
  const std::vector<std::vector<std::int64_t>> sources = {{3, 8, 5, 3}, {6}, {4, 7}};
  Outputs all;
  for (const auto& [name, search] : searches()) {
    for (const auto& found : models::decode(model, sources, search, {.max_steps = {}, .batch_tokens = 8})) {
      for (const models::Decoded& one : found) {
        all.tokens.push_back(one.tokens);
        all.numbers.push_back(one.log_probability);
      }
    }
  }
  for (const models::Forced& one : models::force_decode(model, tiny_pairs)) {
    all.numbers.push_back(one.log_probability);
  }
  const gradus::NoGrad no_grad;
  all.numbers.push_back(models::loss(model, tiny_batch()).total.item());
  return all;
}

}  // namespace

TEST_CASE("a model gives the same results in several concurrent threads as in one", "[models][threads]") {
  for (const Model& model : decisive_models()) {
    model->eval();
    const Outputs alone = outputs_of(*model);
    std::array<Outputs, 4> together;
    std::vector<std::thread> threads;
    for (Outputs& outputs : together) {
      threads.emplace_back([&] {
        for (int repeat = 0; repeat < 3; ++repeat) outputs = outputs_of(*model);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Outputs& outputs : together) CHECK(outputs == alone);
  }
}
