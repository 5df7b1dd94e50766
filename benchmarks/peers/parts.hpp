#pragma once

#include <functional>
#include <memory>
#include <torch/torch.h>
#include <utility>

#include "model.hpp"

/// Parts shared by the models.
namespace peers {

/// The attention's inputs that depend only on the source, not on the step.
struct Memory {
  Tensor annotations;  // (Tx, B, D)
  Tensor keys;         // (Tx, B, A)
  Tensor padding;      // (Tx, B): true at positions after a source's end
};

/// Additive attention. The keys are computed once per batch.
struct Attention : torch::nn::Module {
  Attention(int64_t H, int64_t D, int64_t A);
  Memory prepare(const Tensor& annotations, const Tensor& lengths);
  /// The weights (Tx, B) for a query s (B, H).
  Tensor weights(const Tensor& s, const Memory& memory);

  torch::nn::Linear W_a, U_a;
  Tensor v_a;
};

/// The context (B, D). Computed by a product and a sum, because bmm is slower on CPU.
Tensor context(const Tensor& weights, const Memory& memory);

/// The parameters of one layer of a GRU. The models call the layer step by step.
struct Cell {
  Cell(const torch::nn::GRU& rnn, int64_t layer);
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

/// PyTorch's GRU update of the state s. The parts of the gates' arguments, (B, 3H) each, are x from the input
/// and h from s.
Tensor updated(const Tensor& x, const Tensor& h, const Tensor& s);

/// A dropout mask: 0 with probability p, otherwise 1 / (1 − p). On CPU, this is faster than torch::dropout,
/// which draws doubles (bernoulli_).
Tensor dropout_mask(torch::IntArrayRef shape, double p);
/// Multiplies x by a new dropout mask. Returns x itself if p = 0.
Tensor dropped(const Tensor& x, double p);

/// The indices of the real target tokens in the (Ty · B) rows.
Tensor real_rows(const Tensor& target_out);

/// Greedy decoding: `step` takes the tokens (B) and returns the logits (B, V) and the weights (Tx, B).
std::pair<Tensor, Tensor> write_greedily(int64_t batch, int64_t steps,
                                         const std::function<std::pair<Tensor, Tensor>(const Tensor&)>& step);

}  // namespace peers
