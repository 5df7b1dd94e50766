// bench_bahdanau: the time of a training step, or of greedy decoding, of the Bahdanau model.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/optim.hpp>

#include <utility>

#include "peak.hpp"
#include "program.hpp"

namespace {

using namespace gradus;

class Gradus : public bench::Contender {
 public:
  explicit Gradus(const bench::Options& options)
      : model_(models::make_bahdanau({.vocabulary = options.config.V,
                                      .embedding = options.config.E,
                                      .hidden = options.config.H,
                                      .energy = options.config.A})),
        parameters_(model_->parameters()),
        adam_(parameters_, {.learning_rate = 1e-3}) {
    set_threads(options.threads);
    for (auto& [name, parameter] : model_->named_parameters()) {
      std::vector<float> values = bench::initial_weights(name, parameter.numel(), options.seed);
      if (options.mode == bench::Mode::decode && name == "decoder.readout.bias")
        values[data::eos] = bench::never;
      std::ranges::copy(values, parameter.mutable_values<float>().begin());
    }
  }

  double train(const data::Batch& batch) override {
    adam_.zero_grad();
    const Tensor loss = model_->loss(batch);
    loss.backward();
    nn::clip_grad_norm(parameters_, 1.0);
    adam_.step();
    return loss.item();
  }

  std::vector<std::vector<std::int64_t>> decode(const data::Batch& batch, std::int64_t steps) override {
    const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});
    std::vector<models::Decoded> decoded =
        models::greedy(*model_, source, tensor(batch.source_lengths, {batch.size}), steps);
    std::vector<std::vector<std::int64_t>> tokens;
    for (models::Decoded& sentence : decoded) tokens.push_back(std::move(sentence.tokens));
    return tokens;
  }

  std::int64_t parameter_count() const override { return model_->parameter_count(); }
  std::optional<std::int64_t> buffers_allocated() const override { return memory_stats().buffers_allocated; }

 private:
  const std::unique_ptr<models::Seq2Seq> model_;
  const std::vector<Tensor> parameters_;
  nn::Adam adam_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv,
                    {.name = "gradus",
                     .description = "The time of a step of the Bahdanau model in gradus",
                     .make = [](const bench::Options& options) { return std::make_unique<Gradus>(options); },
                     .sgemm_peak = bench::sgemm_peak});
}
