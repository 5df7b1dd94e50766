#include "settings/least_size.hpp"

#include <cmath>
#include <optional>

namespace gradus::tools {
namespace {

using models::Bridge;
using models::ModelOptions;
using models::ReadoutForm;
using models::SourceContext;

double gates(models::Cell cell) {
  if (cell == models::Cell::rnn) return 1;
  return cell == models::Cell::lstm ? 4 : 3;
}

// Sizes, named by the symbols of the equations. g is the number of gates of the cell, D the size of an
// annotation.
struct Sizes {
  double E, H, A, M, L, g, directions, D;

  explicit Sizes(const ModelOptions& model)
      : E(static_cast<double>(model.embedding)),
        H(static_cast<double>(model.hidden)),
        A(static_cast<double>(model.energy)),
        M(static_cast<double>(model.maxout)),
        L(static_cast<double>(model.layers)),
        g(gates(model.cell)),
        directions(model.bidirectional ? 2 : 1),
        D(directions * H) {}

  // The number of elements of one direction's matrices. The first layer's inputs have the size `inputs`, and
  // the inputs of the other layers have the size `between`.
  double recurrent(double inputs, double between) const {
    return g * H * (inputs + H) + (L - 1) * g * H * (between + H);
  }
};

// The number of elements of the encoder's recurrent matrices, in all pyramid levels. `inputs` is the size of
// a source vector.
double encoder(const ModelOptions& model, double inputs, const Sizes& of) {
  double all = 0;
  for (std::int64_t level = 1; level <= model.pyramid; ++level) {
    inputs *= 2;
    if (level == model.pyramid) break;
    all += of.directions * of.g * of.H * (inputs + of.H);
    inputs = of.D;
  }
  return all + of.directions * of.recurrent(inputs, of.D);
}

double attention(const ModelOptions& model, const models::Registry& registry) {
  const auto found = registry.attentions.find(model.attention);
  if (found == registry.attentions.end() || !found->second.weights) return 0;
  return found->second.weights({.query = model.hidden,
                                .value = (model.bidirectional ? 2 : 1) * model.hidden,
                                .energy = model.energy,
                                .dropout = 0,
                                .location = model.location});
}

// The number of elements of the bridge's matrices W_s, which are applied to the encoder's backward state or
// to a summary of size `summary`.
double bridge(const ModelOptions& model, Bridge form, double summary, const Sizes& of) {
  if (form != Bridge::backward && form != Bridge::summary) return 0;
  const double parts = model.cell == models::Cell::lstm ? 2 : 1;
  return parts * of.L * of.H * (form == Bridge::backward ? of.D / 2 : summary);
}

// The number of elements of the output layer's matrices. W_o does not count if it is tied to the embedding.
double readout(const ModelOptions& model, ReadoutForm form, double context, const Sizes& of, double V) {
  const double inputs = form == ReadoutForm::state ? of.H : of.H + context + of.E;
  const bool tied = model.tied != models::Tied::none,
             maxout = form == ReadoutForm::maxout || form == ReadoutForm::maxout_earlier;
  const double between = tied ? of.E : maxout ? of.M : 0;
  return (maxout ? 2 : 1) * between * inputs + (tied ? 0 : V * (between > 0 ? between : inputs));
}

}  // namespace

LeastSize least_size(const ModelOptions& model, const models::Vocabularies& vocabularies,
                     const models::Registry& registry) {
  const Sizes of(model);
  const double V = static_cast<double>(vocabularies.target),
               X = vocabularies.vectors > 0 ? static_cast<double>(vocabularies.vectors) : of.E;
  LeastSize size{
      .parameters = (model.tied == models::Tied::all ? 0 : static_cast<double>(vocabularies.source) * of.E) +
                    encoder(model, X, of),
      .per_source_token =
          X + std::ldexp(of.L * of.directions * (of.g + 1) * of.H, -static_cast<int>(model.pyramid)),
      .per_target_token = 0};
  const std::optional<SourceContext> reads = registry.context_of(model.decoder);
  if (model.convolution && reads.value_or(SourceContext::attention) == SourceContext::attention) {
    size.parameters += 2 * of.D * of.D;
  }
  if (!reads) return size;

  const bool attends = reads == SourceContext::attention, summarises = reads == SourceContext::summary;
  const double context = attends ? of.D : summarises ? of.H : 0;
  const Bridge own = attends && model.bidirectional ? Bridge::backward : Bridge::summary;
  const ReadoutForm form = model.readout.value_or(context > 0 ? ReadoutForm::linear : ReadoutForm::state);
  size.parameters += V * of.E + of.recurrent(of.E + context, of.H) +
                     bridge(model, model.bridge.value_or(own), summarises ? of.H : of.D, of) +
                     readout(model, form, context, of, V) + (summarises ? of.H * of.D : 0);
  if (attends) size.parameters += attention(model, registry);
  size.per_target_token = of.E + context + of.L * (of.g + 1) * of.H + V;
  return size;
}

}  // namespace gradus::tools
