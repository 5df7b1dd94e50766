// Modules, losses and optimisers must give PyTorch's numbers, forward and backward.

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/loss.hpp>
#include <gradus/nn/optim.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;
using gradus::Tensor;

TEST_CASE("GRUCell matches PyTorch", "[nn][golden]") {
  const FusedAndComposed both;
  const nn::GRUCell cell(3, 4);
  check_against(Golden("gru_cell"), cell, [&](const Leaves& leaf) {
    return NamedTensors{{"output", cell.forward(leaf.at("x"), leaf.at("h"))}};
  });
}

TEST_CASE("GRU in both directions over padded sequences matches PyTorch", "[nn][golden]") {
  const FusedAndComposed both;
  const Golden golden("gru");
  const nn::GRU gru(3, 5, {.bidirectional = true});
  check_against(golden, gru, [&](const Leaves& leaf) {
    const auto [output, h_n] = gru.forward(leaf.at("x"), golden["lengths"]);
    return NamedTensors{{"output", output}, {"h_n", h_n}};
  });
}

TEST_CASE("GRU from a given state matches PyTorch", "[nn][golden]") {
  const FusedAndComposed both;
  const nn::GRU gru(3, 5);
  check_against(Golden("gru_plain"), gru, [&](const Leaves& leaf) {
    const auto [output, h_n] = gru.forward(leaf.at("x"), Tensor(), leaf.at("h_0"));
    return NamedTensors{{"output", output}, {"h_n", h_n}};
  });
}

TEST_CASE("AdditiveAttention gives the paper's equations", "[nn][golden]") {
  const FusedAndComposed both;
  const Golden golden("additive_attention");
  const nn::AdditiveAttention attention(3, 5, 4);
  check_against(golden, attention, [&](const Leaves& leaf) {
    const nn::Memory memory = attention.prepare(leaf.at("values"), golden["lengths"]);
    const auto [context, weights] = attention.attend(leaf.at("query"), memory, 0, Tensor());
    return NamedTensors{{"context", context}, {"weights", weights}};
  });
}

TEST_CASE("cross_entropy matches PyTorch", "[nn][golden]") {
  const Golden golden("cross_entropy");
  const nn::Module none;
  check_against(golden, none, [&](const Leaves& leaf) {
    return NamedTensors{{"loss", cross_entropy(leaf.at("logits"), golden["targets"], 0)}};
  });
}

TEST_CASE("masked_cross_entropy is PyTorch's cross-entropy of the real tokens", "[nn][golden]") {
  const Golden golden("cross_entropy");
  const nn::Module none;
  // PyTorch's loss ignored the rows 1, 4 and 8. Here, these rows are behind the ends of the sequences.
  const Tensor rows = integers({0, 2, 3, 5, 1, 6, 7, 4, 8}), lengths = integers({3, 1, 2});
  check_against(golden, none, [&](const Leaves& leaf) {
    const Tensor logits = index_select(leaf.at("logits"), rows).reshape({3, 3, 5});
    const Tensor targets = index_select(golden["targets"], rows).reshape({3, 3});
    return NamedTensors{{"loss", nn::masked_cross_entropy(logits, targets, lengths)}};
  });
}

TEST_CASE("five steps of Adam match PyTorch", "[nn][golden]") {
  const Golden golden("adam");
  for (const Precision& precision : precisions) {
    INFO(name(precision.dtype));
    NamedTensors parameters;
    for (const char* name : {"weight", "bias"}) {
      parameters.emplace_back(name, leaf(golden[name].to(precision.dtype)));
    }
    nn::Adam adam({parameters[0].second, parameters[1].second}, {.learning_rate = 0.01});
    for (const char* step : {"1.", "2.", "3.", "4.", "5."}) {
      for (auto [name, parameter] : parameters) {
        parameter.set_grad(golden[std::string("grad_") + step + name].to(precision.dtype));
      }
      adam.step();
      for (const auto& [name, parameter] : parameters) {
        INFO("step " << step << name);
        CHECK(mismatch(parameter, golden[std::string("step_") + step + name], precision.values) == "");
      }
    }
  }
}

TEST_CASE("clip_grad_norm matches PyTorch, above and below max_norm", "[nn][golden]") {
  const Golden golden("clip");
  const std::string which = GENERATE("above.", "below.");
  for (const Precision& precision : precisions) {
    INFO(which << name(precision.dtype));
    std::vector<Tensor> parameters;
    for (const char* name : {"a", "b"}) {
      const Tensor gradient = golden[which + "before." + name].to(precision.dtype).clone();
      parameters.push_back(leaf(gradient));
      parameters.back().set_grad(gradient);
    }
    const Tensor norm = gradus::full({}, nn::clip_grad_norm(parameters, 1), gradus::Dtype::f64);
    CHECK(mismatch(norm, golden[which + "norm"], precision.values) == "");
    CHECK(mismatch(parameters[0].grad(), golden[which + "after.a"], precision.values) == "");
    CHECK(mismatch(parameters[1].grad(), golden[which + "after.b"], precision.values) == "");
  }
}
