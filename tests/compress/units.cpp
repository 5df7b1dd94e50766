// Models after the removal of some hidden units.

#include <gradus/compress/units.hpp>
#include <gradus/models/model.hpp>

#include <vector>

#include "models/helpers.hpp"

namespace compress = gradus::compress;
namespace models = gradus::models;
using gradus::Tensor;
using models::ModelOptions;

namespace {

ModelOptions options_of(models::Cell cell, models::ReadoutForm readout, std::int64_t hidden) {
  return {.cell = cell, .embedding = 5, .hidden = hidden, .energy = 3, .readout = readout, .maxout = 2};
}

std::unique_ptr<models::Seq2Seq> make(const ModelOptions& options) {
  gradus::seed(4);
  auto model = models::make_model(options, {.source = 9, .target = 8});
  model->eval();
  return model;
}

// Sets one row (axis 0) or one column (axis 1) of a parameter to 0. A unit has no effect if the unit's rows
// in every gate are 0, and the columns that read the unit are 0, too.
void clear(const models::Seq2Seq& model, const std::string& name, int axis, std::int64_t index) {
  for (auto& [found, tensor] : model.state_dict()) {
    if (found != name) continue;
    const std::int64_t columns = tensor.rank() == 2 ? tensor.size(1) : 1;
    const auto values = Tensor(tensor).mutable_values<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      if ((axis == 0 ? i / columns : i % columns) == index) values[static_cast<std::size_t>(i)] = 0;
    }
  }
}

// The logits for a batch of two.
std::vector<float> logits(const models::Seq2Seq& model) {
  const Tensor source = gradus::tensor({{5, 6}, {8, 4}, {3, 7}}, gradus::Dtype::i64),
               target = gradus::tensor({{1, 1}, {4, 5}, {6, 7}}, gradus::Dtype::i64);
  return model.forward(source, integers({3, 2}), target).logits.to_vector<float>();
}

}  // namespace

TEST_CASE("without units whose weights are all 0, the model computes the same", "[compress]") {
  using models::Cell;
  using models::ReadoutForm;
  for (const auto& [cell, gates, readout] : {std::tuple{Cell::gru, 3, ReadoutForm::linear},
                                             {Cell::lstm, 4, ReadoutForm::maxout},
                                             {Cell::rnn, 1, ReadoutForm::linear}}) {
    constexpr std::int64_t H = 6, E = 5;
    const auto model = make(options_of(cell, readout, H));
    const std::string out =
        readout == ReadoutForm::maxout ? "decoder.readout.hidden.weight" : "decoder.readout.weight";
    const std::int64_t parts = cell == Cell::lstm ? 2 : 1;
    for (const auto& [letter, unit] : {std::pair{'f', 1}, {'b', 4}, {'s', 2}, {'f', 3}, {'b', 0}, {'s', 5}}) {
      const std::string rnn = letter == 's' ? "decoder.rnn." : "encoder.rnn.";
      const std::string end = letter == 'b' ? "_l0_reverse" : "_l0";
      for (std::int64_t gate = 0; gate < gates; ++gate) {
        for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
          clear(*model, rnn + name + end, 0, gate * H + unit);
        }
      }
      clear(*model, rnn + "weight_hh" + end, 1, unit);
      if (letter == 's') {
        clear(*model, "decoder.attention.W_a.weight", 1, unit);
        clear(*model, out, 1, unit);
        for (std::int64_t part = 0; part < parts; ++part)
          clear(*model, "decoder.W_s.weight", 0, part * H + unit);
      } else {
        const std::int64_t at = letter == 'f' ? unit : H + unit;
        clear(*model, "decoder.attention.U_a.weight", 1, at);
        clear(*model, out, 1, H + at);
        clear(*model, "decoder.rnn.weight_ih_l0", 1, E + at);
        if (letter == 'b') clear(*model, "decoder.W_s.weight", 1, unit);
      }
    }
    const auto smaller = make(options_of(cell, readout, H - 2));
    smaller->load_state_dict(compress::keep_units(*model, H - 2));
    CHECK(smaller->parameter_count() < model->parameter_count());
    const auto before = logits(*model), after = logits(*smaller);
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(std::abs(before[i] - after[i]) < 1e-6);
  }
}

TEST_CASE("with a shared matrix of the attention, decoder and both directions keep the same units",
          "[compress]") {
  constexpr std::int64_t H = 6, E = 5;
  ModelOptions options = options_of(models::Cell::gru, models::ReadoutForm::linear, H);
  options.attention = "shared_additive";
  const auto model = make(options);
  // Clears unit `unit` of one direction ('f' or 'b') or of the decoder ('s'), but not the unit's column of
  // W_a.
  const auto clear_unit = [&](char letter, std::int64_t unit) {
    const std::string rnn = letter == 's' ? "decoder.rnn." : "encoder.rnn.";
    const std::string end = letter == 'b' ? "_l0_reverse" : "_l0";
    for (std::int64_t gate = 0; gate < 3; ++gate) {
      for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
        clear(*model, rnn + name + end, 0, gate * H + unit);
      }
    }
    clear(*model, rnn + "weight_hh" + end, 1, unit);
    const std::int64_t at = letter == 's' ? unit : letter == 'f' ? H + unit : 2 * H + unit;
    clear(*model, "decoder.readout.weight", 1, at);
    if (letter != 's') clear(*model, "decoder.rnn.weight_ih_l0", 1, E + at - H);
    if (letter != 'f') clear(*model, "decoder.W_s.weight", letter == 's' ? 0 : 1, unit);
  };
  // The two directions and the decoder must lose the same unit. Unit 1 has no effect in any of the three, and
  // is removed. In the forward direction, unit 4 has no effect either. If each part chose its own unit, the
  // forward direction would lose unit 4, the last of its two units without effect.
  for (const char letter : {'f', 'b', 's'}) clear_unit(letter, 1);
  clear(*model, "decoder.attention.W_a.weight", 1, 1);
  clear_unit('f', 4);
  options.hidden = H - 1;
  const auto smaller = make(options);
  smaller->load_state_dict(compress::keep_units(*model, H - 1));
  const auto before = logits(*model), after = logits(*smaller);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(std::abs(before[i] - after[i]) < 1e-6);
}

TEST_CASE("keeping all units changes nothing, and a summary bridge reads both directions", "[compress]") {
  ModelOptions options = options_of(models::Cell::gru, models::ReadoutForm::linear, 4);
  options.bridge = models::Bridge::summary;
  const auto model = make(options);
  const auto same = compress::keep_units(*model, 4);
  for (const auto& [name, tensor] : model->state_dict()) {
    const auto found = std::ranges::find(same, name, &gradus::NamedTensors::value_type::first);
    CHECK(mismatch(found->second, tensor) == "");
  }
  options.hidden = 3;
  CHECK_NOTHROW(make(options)->load_state_dict(compress::keep_units(*model, 3)));
}

TEST_CASE("models whose units are not known, and numbers of units out of range are refused", "[compress]") {
  const auto model = make(options_of(models::Cell::gru, models::ReadoutForm::linear, 4));
  CHECK_THROWS_WITH(compress::keep_units(*model, 0),
                    "keep_units: the number of hidden units must be from 1 to 4, the model's, and is 0");
  CHECK_THROWS_WITH(compress::keep_units(*model, 5),
                    "keep_units: the number of hidden units must be from 1 to 4, the model's, and is 5");
  ModelOptions deep = options_of(models::Cell::gru, models::ReadoutForm::linear, 4);
  deep.layers = 2;
  CHECK_THROWS_WITH(compress::keep_units(*make(deep), 2),
                    "keep_units: 'encoder.rnn.weight_ih_l1' (12, 8) is not a parameter of an encoder in both "
                    "directions with "
                    "additive attention, a BahdanauDecoder and one layer; only such models can lose units");
  for (const char* attention : {"dot", "scaled_dot"}) {
    ModelOptions other = options_of(models::Cell::gru, models::ReadoutForm::linear, 4);
    other.attention = attention;
    CHECK_THROWS_WITH(compress::keep_units(*make(other), 2),
                      Catch::Matchers::StartsWith(
                          "keep_units: 'decoder.attention.W_a.weight' (8, 4) is not a parameter of"));
  }
  CHECK_THROWS_WITH(compress::keep_units(*models::make_fixed_context(tiny), 2),
                    Catch::Matchers::ContainsSubstring("keep_units: 'decoder."));
}
