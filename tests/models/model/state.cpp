// A whole model as a module: its state, frozen parts, and paths in its error messages.

#include <gradus/nn/safetensors.hpp>

#include <filesystem>

#include "models/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

const BatchTensors x(tiny_batch());

Tensor logits(const gradus::models::Seq2Seq& model) {
  return model.forward(x.source, x.source_lengths, x.target_in).logits;
}

}  // namespace

TEST_CASE("a model can be saved and loaded, bit for bit", "[models][state]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "model.safetensors";
  const auto saved = tiny_models();
  gradus::seed(2);
  auto loaded = gradus::models::make_bahdanau(tiny);
  REQUIRE(mismatch(logits(*loaded), logits(*saved[0])) != "");
  nn::save(*saved[0], path, {{"steps", "100"}});
  CHECK(nn::load(*loaded, path) == nn::Metadata{{"steps", "100"}});
  CHECK(mismatch(logits(*loaded), logits(*saved[0])) == "");
}

TEST_CASE("another model's state is refused, and the message lists every path", "[models][state]") {
  const auto all = tiny_models();
  const auto before = snapshot(*all[0]);
  CHECK_ERROR(
      all[0]->load_state_dict(all[1]->state_dict(), "the model without attention"),
      "load_state_dict: the model without attention does not fit, so nothing was loaded: missing "
      "'decoder.attention.v_a', 'decoder.attention.W_a.weight', 'decoder.attention.U_a.weight'; "
      "'decoder.W_s.weight' is (4, 8) and must be (4, 4); 'decoder.rnn.weight_ih_l0' is (12, 5) and must be "
      "(12, 13); 'decoder.readout.weight' is (9, 4) and must be (9, 17); give the state of a module made "
      "with "
      "the same sizes");
  CHECK(snapshot(*all[0]) == before);
}

TEST_CASE("an error in the deepest module carries its whole path", "[models][state]") {
  const auto error_with = [](const std::string& broken) {
    const auto all = tiny_models();
    for (auto [path, parameter] : all[0]->named_parameters()) {
      if (path == broken) parameter.replace(gradus::zeros({3, 7}));
    }
    try {
      logits(*all[0]);
    } catch (const gradus::Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(error_with("decoder.attention.U_a.weight") ==
        "linear: the last axis of the input (4, 3, 8) must be axis 1 of the weight (3, 7), 7 [in "
        "decoder.attention.U_a]");
  CHECK(error_with("decoder.attention.W_a.weight") ==
        "attention_sequence: W_a is (3, 7) and must be (3, 4) [in decoder]");
}

TEST_CASE("training does not change a frozen encoder", "[models][state]") {
  const auto all = tiny_models();
  gradus::models::Seq2Seq& model = *all[0];
  model.encoder.freeze();
  const auto encoder = snapshot(model.encoder), decoder = snapshot(*model.decoder);
  gradus::models::train(model, reversals(1), {.steps = 3, .learning_rate = 0.01});
  CHECK(snapshot(model.encoder) == encoder);
  CHECK(snapshot(*model.decoder) != decoder);
}

TEST_CASE("a printed model shows its parts, and which are frozen", "[models][state]") {
  const auto all = tiny_models();
  all[2]->encoder.freeze();
  CHECK(printed(*all[2]) ==
        "parameters: 415, 177 frozen\n"
        "  encoder: 177, frozen\n"
        "    embedding: 45, frozen\n"
        "      weight (9, 5): 45, frozen\n"
        "    rnn: 132, frozen\n"
        "      weight_ih_l0 (12, 5): 60, frozen\n"
        "      weight_hh_l0 (12, 4): 48, frozen\n"
        "      bias_ih_l0 (12): 12, frozen\n"
        "      bias_hh_l0 (12): 12, frozen\n"
        "  decoder: 238\n"
        "    embedding: 45\n"
        "      weight (9, 5): 45\n"
        "    W_s: 16\n"
        "      weight (4, 4): 16\n"
        "    rnn: 132\n"
        "      weight_ih_l0 (12, 5): 60\n"
        "      weight_hh_l0 (12, 4): 48\n"
        "      bias_ih_l0 (12): 12\n"
        "      bias_hh_l0 (12): 12\n"
        "    readout: 45\n"
        "      weight (9, 4): 36\n"
        "      bias (9): 9\n");
}
