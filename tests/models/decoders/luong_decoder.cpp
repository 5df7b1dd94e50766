// Luong's decoder, added at the extension point nn::DecoderStep. Its state has additional entries.

#include "models/luong_decoder.hpp"

#include <gradus/nn/additive_attention.hpp>

#include "models/extension.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

models::Seq2Seq additive() {
  gradus::seed(3);
  return luong_model(std::make_unique<nn::AdditiveAttention>(8, 4, 3), 8);
}

}  // namespace

TEST_CASE("Luong's decoder with input feeding works", "[models][extension]") {
  models::Seq2Seq model = additive();
  check_extension(model);
}

TEST_CASE("select() also selects a decoder's own state entries", "[models][extension]") {
  const models::Seq2Seq model = additive();
  const BatchTensors x(tiny_batch());
  const auto [start, memory] = model.decoder->start(model.encoder.forward(x.source, x.source_lengths));
  const auto first = model.decoder->step(x.target_in[0], start, memory);

  // Reordering the rows of the batch before the second step must give the same logits and state as reordering
  // the second step's results.
  const Tensor order = integers({2, 0, 1}), previous = index_select(x.target_in[1], order);
  const auto chosen = [&](const Tensor& memory_part) {
    return transpose(index_select(transpose(memory_part, 0, 1), order), 0, 1);
  };
  const nn::Memory reordered{chosen(memory.values), chosen(memory.keys), index_select(memory.lengths, order)};
  const auto before = model.decoder->step(previous, first.state.select(order), reordered);
  const auto after = model.decoder->step(x.target_in[1], first.state, memory);
  CHECK(mismatch(before.logits, index_select(after.logits, order), {1e-6, 0}) == "");
  CHECK(mismatch(before.state["h_tilde"], after.state.select(order)["h_tilde"], {1e-6, 0}) == "");
  CHECK(before.state.step() == 2);
}
