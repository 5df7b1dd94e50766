// The decoder must equal the paper's equations, computed by PyTorch.

#include <gradus/models/bahdanau_decoder.hpp>

#include "nn/against_golden.hpp"

namespace models = gradus::models;
using gradus::NamedTensors;
using gradus::Tensor;

TEST_CASE("two steps of BahdanauDecoder match PyTorch", "[models][golden]") {
  const Golden golden("bahdanau_step");
  const models::BahdanauDecoder decoder({.vocabulary = 11, .annotation = 4, .embedding = 6, .hidden = 7},
                                        /*energy=*/8);

  check_against(golden, decoder, [&](const Leaves& leaf) {
    const auto [start, memory] = decoder.start({.h = leaf.at("annotations"),
                                                .lengths = golden["lengths"],
                                                .last_forward = {},
                                                .first_backward = leaf.at("backward_h1")});
    const auto first = decoder.step(golden["previous_1"], start, memory);
    const auto second = decoder.step(golden["previous_2"], first.state, memory);
    return NamedTensors{{"s_0", start["s"]},        {"weights_1", first.weights},  {"s_1", first.state["s"]},
                        {"logits_1", first.logits}, {"weights_2", second.weights}, {"s_2", second.state["s"]},
                        {"logits_2", second.logits}};
  });
}

TEST_CASE("BahdanauDecoder keeps its state, its weights and the number of steps", "[models]") {
  const Golden golden("bahdanau_step");
  models::BahdanauDecoder decoder({.vocabulary = 11, .annotation = 4, .embedding = 6, .hidden = 2},
                                  /*energy=*/8);
  decoder.to(gradus::Dtype::f64);
  const auto [start, memory] = decoder.start({.h = golden["annotations"],
                                              .lengths = golden["lengths"],
                                              .last_forward = {},
                                              .first_backward = golden["backward_h1"]});
  CHECK_FALSE(start["weights"].defined());
  CHECK(start.step() == 0);
  const auto first = decoder.step(golden["previous_1"], start, memory);
  CHECK(first.state["weights"].is(first.weights));
  CHECK(first.state.step() == 1);
  CHECK(decoder.step(golden["previous_2"], first.state, memory).state.step() == 2);
}
