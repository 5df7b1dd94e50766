#include <gradus/autograd/ops.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/recurrent_decoder.hpp>

#include <string>
#include <utility>

#include "encoders/drop.hpp"

namespace gradus::models {
namespace {

bool is_maxout(ReadoutForm form) {
  return form == ReadoutForm::maxout || form == ReadoutForm::maxout_earlier;
}

// The name of a layer's state: "s" for the top layer; "s.0", "s.1" … for the layers below, lowest first.
std::string state_name(std::int64_t layer, std::int64_t layers) {
  return layer == layers - 1 ? "s" : "s." + std::to_string(layer);
}

nn::EmbeddingOptions embedding_options(bool shared) {
  return {.deviation = embedding_deviation, .shared = shared};
}

Tensor joined(const std::vector<Tensor>& parts) {
  std::vector<Tensor> defined;
  for (const Tensor& part : parts) {
    if (part.defined()) defined.push_back(part);
  }
  return defined.size() == 1 ? defined[0] : concat(defined, -1);
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const Form& form, const DecoderOptions& options)
    : embedding(options.tied_embedding.defined()
                    ? nn::Embedding(options.tied_embedding, embedding_options(true))
                    : nn::Embedding(options.vocabulary, options.embedding, embedding_options(false))),
      rnn(make_recurrent(options.cell, options.embedding + form.context, options.hidden,
                         {.layers = options.layers, .dropout = options.dropout})),
      readout(options.readout.value_or(form.readout) == ReadoutForm::state
                  ? options.hidden
                  : options.hidden + form.context + options.embedding,
              options.vocabulary, is_maxout(options.readout.value_or(form.readout)) ? options.maxout : 0,
              options.tied ? embedding.weight : Tensor()),
      name_(form.name),
      bridge_(options.bridge.value_or(form.bridge)),
      form_(options.readout.value_or(form.readout)),
      context_size_(form.context),
      dropout_(options.dropout) {
  if (bridge_ == Bridge::backward || bridge_ == Bridge::summary) {
    const std::int64_t read = bridge_ == Bridge::backward ? options.annotation / 2 : form.summary;
    const auto parts = static_cast<std::int64_t>(rnn->state_parts());
    W_s.emplace(read, parts * options.layers * options.hidden, false);
  }
  add_module("embedding", embedding);
  if (W_s) add_module("W_s", *W_s);
  add_module("rnn", *rnn);
  add_module("readout", readout);
}

Tensor RecurrentDecoder::summary(const nn::Annotations& annotations) {
  if (!annotations.first_backward.defined()) return annotations.last_forward;
  return concat({annotations.last_forward, annotations.first_backward}, 1);
}

nn::RecurrentState RecurrentDecoder::bridge(const nn::Annotations& annotations) const {
  if (bridge_ == Bridge::backward && !annotations.first_backward.defined()) {
    fail(name_,
         "s_0 is computed from the backward state of the first token; the encoder must be bidirectional");
  }
  if (bridge_ != Bridge::copy) {
    return bridge(bridge_ == Bridge::backward ? annotations.first_backward : summary(annotations));
  }
  const nn::RecurrentState& last = annotations.last;
  const std::int64_t L = rnn->layers();
  if (last.size() != rnn->state_parts() || last[0].size(0) != L || last[0].size(2) != rnn->hidden()) {
    fail(name_, "s_0 is the encoder's last state, so the encoder must have the decoder's cell, ", L,
         L == 1 ? " layer" : " layers", " of ", rnn->hidden(),
         " and one direction; or choose another bridge");
  }
  nn::RecurrentState first;
  for (const Tensor& part : last) {
    for (std::int64_t layer = 0; layer < L; ++layer) first.push_back(part[layer]);
  }
  return first;
}

nn::RecurrentState RecurrentDecoder::bridge(const Tensor& read) const {
  const std::int64_t H = rnn->hidden();
  const auto count = static_cast<std::int64_t>(rnn->state_parts()) * rnn->layers();
  const Tensor all = W_s ? tanh(W_s->forward(read)) : zeros({read.size(0), count * H}, read.dtype());
  if (count == 1) return {all};
  nn::RecurrentState first;
  for (std::int64_t i = 0; i < count; ++i) first.push_back(all.slice(i * H, (i + 1) * H, 1));
  return first;
}

nn::DecoderStep::Start RecurrentDecoder::start(const nn::Annotations& annotations) const {
  const Scope scope = enter();
  return {.state = state_of(bridge(annotations), {}, 0), .memory = {}};
}

nn::RecurrentState RecurrentDecoder::cells(const nn::State& state) const {
  const std::int64_t L = rnn->layers();
  nn::RecurrentState cells;
  for (std::int64_t layer = 0; layer < L; ++layer) cells.push_back(state[state_name(layer, L)]);
  if (rnn->state_parts() == 1) return cells;
  for (std::int64_t layer = 0; layer < L; ++layer) cells.push_back(state["cell." + std::to_string(layer)]);
  return cells;
}

nn::State RecurrentDecoder::state_of(const nn::RecurrentState& cells, const NamedTensors& kept,
                                     std::int64_t step) const {
  const std::int64_t L = rnn->layers();
  NamedTensors tensors;
  for (std::int64_t i = 0; i < std::ssize(cells); ++i) {
    tensors.emplace_back(i < L ? state_name(i, L) : "cell." + std::to_string(i - L),
                         cells[static_cast<std::size_t>(i)]);
  }
  tensors.insert(tensors.end(), kept.begin(), kept.end());
  return {std::move(tensors), step};
}

Tensor RecurrentDecoder::embed(const Tensor& tokens) const {
  return drop(embedding.forward(tokens), dropout_, *this);
}

Tensor RecurrentDecoder::read(const Tensor& features, const Tensor& y) const {
  return reads_state_alone() ? features : joined({features, y});
}

Tensor RecurrentDecoder::features(const Tensor& s, const Tensor& context) const {
  return reads_state_alone() ? s : joined({s, context});
}

Tensor RecurrentDecoder::read_out(const Tensor& features, const Tensor& y) const {
  return readout.forward(drop(read(features, y), dropout_, *this));
}

RecurrentDecoder::Step RecurrentDecoder::advance(const Tensor& y, const nn::State& state,
                                                 const nn::Memory& memory) const {
  const auto [context, kept, weights] = find_context(state, memory);
  nn::State next = state_of(rnn->step(joined({y, context}), cells(state)), kept, state.step() + 1);
  const Tensor& s = reads_earlier_state() ? state["s"] : next["s"];
  return {.features = features(s, context), .state = std::move(next), .weights = weights};
}

nn::DecoderStep::Output RecurrentDecoder::step(const Tensor& previous, const nn::State& state,
                                               const nn::Memory& memory) const {
  const Scope scope = enter();
  const Tensor y = embed(previous);  // (B, E)
  auto [features, next, weights] = advance(y, state, memory);
  return {.logits = read_out(features, y), .state = std::move(next), .weights = weights};
}

Tensor RecurrentDecoder::forward(const Start& start, const Tensor& target_in, const Packing& targets) const {
  const Scope scope = enter();
  const Tensor y = drop(embedding.forward(pack(target_in, targets)), dropout_, *this, targets);  // (N, E)
  return readout.forward(drop(read(unroll(y, start, targets), y), dropout_, *this, targets));
}

Tensor RecurrentDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  const Tensor steps = unpack(y, targets);  // (T_y, B, E)
  nn::State state = start.state;
  std::vector<Tensor> read;
  const DrawsOfSteps draws(is_training());
  for (std::int64_t t = 0; t < targets.steps(); ++t) {
    const auto guard = draws.at(t);
    auto [features, next, weights] = advance(steps[t], state, start.memory);
    read.push_back(std::move(features));
    state = std::move(next);
  }
  return pack(stack(read), targets);
}

Tensor RecurrentDecoder::unroll_whole(const Tensor& y, const Tensor& context, const nn::State& first,
                                      const Packing& targets) const {
  Tensor contexts;  // (N, ·)
  if (context.defined()) {
    contexts = pack(expand(context, {targets.steps(), context.size(0), context.size(1)}), targets);
  }
  const nn::RecurrentState state = cells(first);
  const auto L = static_cast<std::size_t>(rnn->layers());
  nn::RecurrentState parts;  // {h_0} or {h_0, c_0}, (L, B, H)
  for (std::size_t i = 0; i < state.size(); i += L) parts.push_back(stack(std::span(state).subspan(i, L)));
  Tensor s = rnn->run_packed(joined({y, contexts}), targets, parts).output;  // (N, H)
  if (reads_earlier_state()) {
    const Tensor after = unpack(s, targets);  // (T_y, B, H)
    s = pack(concat({unsqueeze(first["s"], 0), after.slice(0, targets.steps() - 1)}, 0), targets);
  }
  return features(s, contexts);
}

}  // namespace gradus::models
