#include <gradus/find_row.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>

#include <array>
#include <optional>

namespace gradus::models {
namespace {

// The preset's optimiser, with a constant learning rate. The caller chooses batches, steps and clipping norm.
struct Training {
  const char* optimiser;
  double learning_rate;
};

// AdadeltaRule's defaults are the papers' ρ = 0.95 and ε = 10⁻⁶.
constexpr Training adadelta{"adadelta", 1};

struct Preset {
  std::string_view name;
  ModelOptions (*model)();
  std::optional<Training> training;  // empty if there is no publication
};

// Sizes and training from section 3.4. Three details are not reproduced: the paper halves the learning rate
// of 0.7 every half epoch after the fifth epoch, reverses the source, and draws initial values from U(−0.08,
// 0.08).
ModelOptions sutskever() {
  return {.decoder = "fixed",
          .cell = Cell::lstm,
          .embedding = 1000,
          .hidden = 1000,
          .layers = 4,
          .bidirectional = false,
          .bridge = Bridge::copy,
          .readout = ReadoutForm::state};
}

// Sizes and training (Adadelta) from section 4.1. Initial recurrent matrices are orthogonal, all others from
// N(0, 0.01²).
ModelOptions cho() {
  return {.decoder = "cho",
          .cell = Cell::original_gru,
          .embedding = 100,
          .hidden = 1000,
          .bidirectional = false,
          .readout = ReadoutForm::maxout,
          .maxout = 500,
          .initial = Initial::bahdanau};
}

// Sizes from appendix A.2.3, training with Adadelta from B.2.
ModelOptions bahdanau() {
  return {.cell = Cell::original_gru,
          .embedding = 620,
          .hidden = 1000,
          .energy = 1000,
          .readout = ReadoutForm::maxout_earlier,
          .maxout = 500,
          .initial = Initial::bahdanau};
}

// In d2l, dropout acts only on attention weights and between layers; here it also acts on embeddings and on
// the readout's input.
ModelOptions d2l() {
  return {.embedding = 32,
          .hidden = 32,
          .energy = 32,
          .layers = 2,
          .bidirectional = false,
          .bridge = Bridge::copy,
          .readout = ReadoutForm::state,
          .dropout = 0.1,
          .attention_dropout = 0.1,
          .initial = Initial::xavier};
}

ModelOptions notebook() {
  return {.cell = Cell::rnn,
          .embedding = 32,
          .hidden = 32,
          .energy = 32,
          .bridge = Bridge::zeros,
          .initial = Initial::small};
}

constexpr std::array presets{Preset{"sutskever", sutskever, Training{"sgd", 0.7}},
                             Preset{"cho", cho, adadelta}, Preset{"bahdanau", bahdanau, adadelta},
                             Preset{"d2l", d2l, Training{"adam", 0.005}},
                             Preset{"notebook", notebook, std::nullopt}};

const Preset& find(std::string_view name) {
  return find_row("preset", "preset", name, presets, &Preset::name);
}

}  // namespace

ModelOptions preset(std::string_view name) { return find(name).model(); }

TrainerOptions preset_training(std::string_view name, TrainerOptions options) {
  if (const auto& training = find(name).training) {
    options.optimiser = training->optimiser;
    options.learning_rate = training->learning_rate;
    options.schedule = "constant";
  }
  return options;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

}  // namespace gradus::models
