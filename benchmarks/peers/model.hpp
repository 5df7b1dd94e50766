#pragma once

#include <memory>
#include <torch/torch.h>
#include <utility>

#include "workload.hpp"

/// The benchmark's models in libtorch. Each part of a model was implemented in several ways, and the models
/// use the way that is fastest on CPU.
namespace peers {

using torch::Tensor;

/// A batch in the format of bench_bahdanau.
struct Batch {
  Tensor source;                 // (Tx, B)
  Tensor lengths;                // (B)
  Tensor target_in, target_out;  // (Ty, B)
};

/// A model with the parameter names of gradus.
struct Model : torch::nn::Module {
  /// The mean cross-entropy over the real target tokens.
  virtual Tensor loss(const Batch& batch) = 0;
  /// Greedy decoding: the tokens (steps, B) and the attention weights (steps, Tx, B).
  virtual std::pair<Tensor, Tensor> greedy(const Tensor& source, const Tensor& lengths, int64_t steps) = 0;
};

/// The model of tutorial 10.
std::unique_ptr<Model> make_tutorial(const bench::Config& config);
/// The model of `gradus train --preset bahdanau`.
std::unique_ptr<Model> make_bahdanau(const bench::Config& config);
/// The model of `gradus train --preset d2l`.
std::unique_ptr<Model> make_d2l(const bench::Config& config);

}  // namespace peers
