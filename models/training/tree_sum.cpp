#include "training/tree_sum.hpp"

#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <utility>

namespace gradus::models {
namespace {

void round_to_bf16(std::vector<Tensor>& tensors) {
  for (Tensor& tensor : tensors) {
    if (tensor.dtype() != Dtype::f32) continue;
    for (float& x : tensor.mutable_values<float>("rounding")) x = bf16::to_float(bf16::rounded(x));
  }
}

}  // namespace

void TreeSum::add(std::vector<Tensor> term) {
  const NoGrad no_grad;
  if (bf16_) round_to_bf16(term);
  // This works like counting in binary: each trailing 1 of the number of terms stands for a block as large as
  // the new one, to which it is added.
  for (std::int64_t carry = terms_++; carry % 2 == 1; carry /= 2) {
    const std::vector<Tensor>& left = blocks_.back();
    for (std::size_t i = 0; i < term.size(); ++i) term[i] = left[i] + term[i];
    blocks_.pop_back();
    if (bf16_) round_to_bf16(term);
  }
  blocks_.push_back(std::move(term));
}

std::vector<Tensor> TreeSum::take() {
  std::vector<Tensor> sum = std::move(blocks_.front());
  blocks_.clear();
  terms_ = 0;
  return sum;
}

}  // namespace gradus::models
