// Whole models, from source tokens to the loss and every gradient. They must equal the papers' equations,
// computed by PyTorch in tests/golden/cases_models.py.

#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>

#include "nn/against_golden.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::NamedTensors;
using gradus::Tensor;
using models::ModelOptions;

namespace {

struct Case {
  std::string name;
  ModelOptions options;
  std::int64_t source_vocabulary = 11;
};

ModelOptions small(ModelOptions options) {
  options.embedding = 2;
  options.hidden = 3;
  options.energy = 9;
  options.maxout = 8;
  options.dropout = options.attention_dropout = 0;
  return options;
}

std::vector<Case> cases() {
  ModelOptions sutskever = small(models::preset("sutskever"));
  sutskever.layers = 2;
  return {
      {"sutskever", sutskever},
      {"fixed", small({.decoder = "fixed"})},
      {"cho", small(models::preset("cho"))},
      {"bahdanau", small(models::preset("bahdanau"))},
      {"d2l", small(models::preset("d2l"))},
      {"notebook", small(models::preset("notebook"))},
      {"tied", small({.readout = models::ReadoutForm::maxout, .tied = models::Tied::all}), 10},
      {"dot", small({.attention = "dot"})},
      {"location", small({.attention = "location", .pyramid = 2})},
      {"scaled_dot", small({.attention = "scaled_dot", .cell = models::Cell::lstm, .layers = 2})},
  };
}

data::Batch batch_of(const Golden& golden) {
  const auto ids = [&](const char* name) { return golden[name].to_vector<std::int64_t>(); };
  return {.size = golden["source"].size(1),
          .source_steps = golden["source"].size(0),
          .target_steps = golden["target_in"].size(0),
          .source = ids("source"),
          .source_lengths = ids("source_lengths"),
          .target_in = ids("target_in"),
          .target_out = ids("target_out"),
          .target_lengths = ids("target_lengths")};
}

}  // namespace

TEST_CASE("the logits, weights, loss and gradients of whole models match PyTorch", "[models][golden]") {
  for (const Case& one : cases()) {
    INFO(one.name);
    const Golden golden("model_" + one.name);
    const auto model = models::make_model(one.options, {.source = one.source_vocabulary, .target = 10});
    check_against(golden, *model, [&](const Leaves&) {
      const auto [logits, weights] =
          model->forward(golden["source"], golden["source_lengths"], golden["target_in"]);
      NamedTensors outputs{{"logits", logits}, {"loss", models::loss(*model, batch_of(golden)).total}};
      if (golden.has("weights")) outputs.emplace_back("weights", stack(weights));  // (Ty, B, Tx)
      return outputs;
    });
  }
}
