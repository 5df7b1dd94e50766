// peer_libtorch: the models, batches and initial weights of bench_bahdanau in libtorch.

#include <ATen/autocast_mode.h>
#include <algorithm>
#include <torch/torch.h>

#include "model.hpp"
#include "program.hpp"

namespace {

using torch::Tensor;

std::unique_ptr<peers::Model> make_model(const bench::Config& config) {
  if (config.preset == "bahdanau") return peers::make_bahdanau(config);
  if (config.preset == "d2l") return peers::make_d2l(config);
  return peers::make_tutorial(config);
}

// If the precision is bf16, enables libtorch's autocast until destroyed: products run in bf16. The destructor
// also clears the cache of converted weights.
class Autocast {
 public:
  explicit Autocast(bench::Precision precision) : on_(precision == bench::Precision::bf16) {
    if (!on_) return;
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
  }
  ~Autocast() {
    if (!on_) return;
    at::autocast::set_cpu_enabled(false);
    at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const bool on_;
};

// A tensor that views `ids`. `ids` must outlive it.
Tensor view(const std::vector<int64_t>& ids, torch::IntArrayRef shape) {
  return torch::from_blob(const_cast<int64_t*>(ids.data()), shape, torch::kLong);
}

class Libtorch : public bench::Contender {
 public:
  explicit Libtorch(const bench::Options& options)
      : model_(make_model(options.config)),
        parameters_(model_->parameters()),
        adam_(parameters_, torch::optim::AdamOptions(1e-3)),
        precision_(options.precision) {
    torch::set_num_threads(options.threads);
    at::globalContext().setFlushDenormal(true);
    model_->train(options.mode == bench::Mode::train);
    const torch::NoGradGuard no_grad;
    for (auto& parameter : model_->named_parameters()) {
      const std::span<float> values(parameter.value().data_ptr<float>(),
                                    static_cast<std::size_t>(parameter.value().numel()));
      bench::set_initial_weights(values, parameter.key(), options.seed);
      if (options.mode == bench::Mode::decode && parameter.key() == "decoder.readout.bias") {
        std::fill_n(values.begin(), gradus::data::first_symbol, bench::never);
      }
    }
  }

  double train(const gradus::data::Batch& batch) override {
    for (Tensor& parameter : parameters_) parameter.mutable_grad().reset();  // cheaper than zeroing
    Tensor loss;
    {
      const Autocast autocast(precision_);
      loss = model_->loss({.source = view(batch.source, {batch.source_steps, batch.size}),
                           .lengths = view(batch.source_lengths, {batch.size}),
                           .target_in = view(batch.target_in, {batch.target_steps, batch.size}),
                           .target_out = view(batch.target_out, {batch.target_steps, batch.size})});
    }
    loss.backward();
    torch::nn::utils::clip_grad_norm_(parameters_, 1.0);
    adam_.step();
    return loss.item<float>();
  }

  std::vector<std::vector<int64_t>> decode(const gradus::data::Batch& batch, int64_t steps) override {
    const c10::InferenceMode inference;
    const Autocast autocast(precision_);
    const auto [tokens, weights] = model_->greedy(view(batch.source, {batch.source_steps, batch.size}),
                                                  view(batch.source_lengths, {batch.size}), steps);
    const Tensor rows = tokens.t().contiguous();  // (B, steps)
    std::vector<std::vector<int64_t>> sentences;
    for (int64_t b = 0; b < rows.size(0); ++b) {
      const int64_t* row = rows.data_ptr<int64_t>() + b * steps;
      sentences.emplace_back(row, row + steps);
    }
    return sentences;
  }

  int64_t parameter_count() const override {
    int64_t count = 0;
    for (const Tensor& parameter : parameters_) count += parameter.numel();
    return count;
  }

 private:
  const std::unique_ptr<peers::Model> model_;
  std::vector<Tensor> parameters_;
  torch::optim::Adam adam_;
  bench::Precision precision_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      argc, argv,
      {.name = "libtorch " TORCH_VERSION,
       .description = "The time of a step of the Bahdanau model in libtorch",
       .make = [](const bench::Options& options) { return std::make_unique<Libtorch>(options); },
       .precisions = {"f32", "bf16"}});
}
