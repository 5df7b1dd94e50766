// The gradus command with the learner's classes: --decoder luong_input_feeding --attention local_p

#include EXERCISE_FILE

#include "kit/cli.hpp"

#include <gradus/models/model.hpp>
#include <gradus/nn/projected_query.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace {

using gradus::models::AttentionSizes;
using gradus::models::DecoderOptions;
using gradus::models::Registry;

constexpr double half_window = 2;

// dot needs states and annotations of equal size. By default the sizes differ; then dot gets a projected
// query, W s.
std::unique_ptr<gradus::nn::Attention> make_dot(const AttentionSizes& n) {
  auto dot = std::make_unique<LuongDot>();
  if (n.query == n.value) return dot;
  return std::make_unique<gradus::nn::ProjectedQuery>(n.query, n.value, std::move(dot));
}

template <class Decoder>
std::unique_ptr<gradus::nn::DecoderStep> make_decoder(
    const DecoderOptions& options, const std::function<std::unique_ptr<gradus::nn::Attention>()>& attention) {
  return std::make_unique<Decoder>(LuongSizes{.vocabulary = options.vocabulary,
                                              .annotation = options.annotation,
                                              .embedding = options.embedding,
                                              .hidden = options.hidden,
                                              .attentional = options.hidden},
                                   attention());
}

}  // namespace

int main(int argc, char** argv) {
  Registry registry = Registry::standard();
  registry.attentions["luong_dot"] = {make_dot};
  registry.attentions["luong_general"] = {
      [](const AttentionSizes& n) { return std::make_unique<LuongGeneral>(n.query, n.value); }};
  registry.attentions["luong_concat"] = {
      [](const AttentionSizes& n) { return std::make_unique<LuongConcat>(n.query, n.value, n.energy); }};
  registry.attentions["local_m"] = {[](const AttentionSizes& n) {
    return std::make_unique<LocalMonotonic>(n.query, n.value, half_window);
  }};
  registry.attentions["local_p"] = {[](const AttentionSizes& n) {
    return std::make_unique<LocalPredictive>(n.query, n.value, n.energy, half_window);
  }};
  registry.decoders["luong"] = {make_decoder<LuongDecoder>};
  registry.decoders["luong_input_feeding"] = {make_decoder<LuongInputFeeding>};
  return exercise::cli(argc, argv, registry);
}
