#include <gradus/autograd/checks.hpp>
#include <gradus/models/model.hpp>

#include <array>
#include <utility>

#include "names.hpp"

namespace gradus::models {
namespace {

using Preset = std::pair<std::string_view, ModelOptions (*)()>;

// Section 3.4. Their source is reversed, and their initial values are U(−0.08, 0.08).
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

// Section 4.1; the recurrent matrices orthogonal, all others N(0, 0.01²).
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

// Appendix A.2.3.
ModelOptions bahdanau() {
  return {.cell = Cell::original_gru,
          .embedding = 620,
          .hidden = 1000,
          .energy = 1000,
          .readout = ReadoutForm::maxout_earlier,
          .maxout = 500,
          .initial = Initial::bahdanau};
}

// Their dropout is of the weights and between layers alone.
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

constexpr std::array presets{Preset{"sutskever", sutskever}, Preset{"cho", cho}, Preset{"bahdanau", bahdanau},
                             Preset{"d2l", d2l}, Preset{"notebook", notebook}};

}  // namespace

ModelOptions preset(std::string_view name) {
  for (const auto& [known, make] : presets) {
    if (known == name) return make();
  }
  fail("preset", "there is no preset '", name, "'; these there are: ", listed(preset_names()));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : presets) names.emplace_back(name);
  return names;
}

}  // namespace gradus::models
