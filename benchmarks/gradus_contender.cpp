#include "gradus_contender.hpp"

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>

#include <algorithm>
#include <utility>

namespace bench {

using namespace gradus;

std::unique_ptr<models::Seq2Seq> make_model(const Config& config) {
  models::ModelOptions model = config.preset.empty() ? models::ModelOptions{} : models::preset(config.preset);
  model.embedding = config.E;
  model.hidden = config.H;
  model.energy = config.A;
  if (config.dropout == 0) model.dropout = model.attention_dropout = 0;
  model.initial = models::Initial::pytorch;
  return models::make_model(model, {.source = config.V, .target = config.V});
}

GradusContender::GradusContender(const Options& options)
    : model_(make_model(options.config)),
      parameters_(model_->parameters()),
      adam_(parameters_, {.learning_rate = 1e-3}) {
  set_threads(options.threads);
  if (options.precision == Precision::bf16) mixed_precision_.emplace(gradus::Precision::bf16);
  if (options.mode == Mode::decode) {
    model_->eval();
    pack_weights_.emplace();
  }
  for (auto& [name, parameter] : model_->named_parameters()) {
    const std::span<float> values = parameter.mutable_values<float>();
    set_initial_weights(values, name, options.seed);
    if (options.mode == Mode::decode && name == "decoder.readout.bias") {
      std::fill_n(values.begin(), data::first_symbol, never);
    }
  }
  if (options.precision == Precision::int8) {
    compress::round_to_int8(*model_);
    int8_.emplace(*model_);
  }
}

double GradusContender::train(const data::Batch& batch) {
  adam_.zero_grad();
  const Tensor loss = models::loss(*model_, batch).total;
  loss.backward();
  nn::clip_grad_norm(parameters_, 1.0);
  adam_.step();
  return loss.item();
}

std::vector<std::vector<std::int64_t>> GradusContender::decode(const data::Batch& batch, std::int64_t steps) {
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});
  const Tensor lengths = tensor(batch.source_lengths, {batch.size});
  std::vector<std::vector<std::int64_t>> tokens;
  for (models::Decoded& sentence : models::greedy(*model_, source, lengths, steps)) {
    tokens.push_back(std::move(sentence.tokens));
  }
  return tokens;
}

std::int64_t GradusContender::parameter_count() const { return model_->parameter_count(); }

std::optional<std::int64_t> GradusContender::buffers_allocated() const {
  return memory_stats().buffers_allocated;
}

}  // namespace bench
