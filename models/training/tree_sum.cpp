#include "training/tree_sum.hpp"

#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <utility>

namespace gradus::models {
namespace {

void round_to_bf16(Tensor& tensor) {
  if (tensor.dtype() != Dtype::f32) return;
  for (float& x : tensor.mutable_values<float>("rounding")) x = bf16::to_float(bf16::rounded(x));
}

}  // namespace

void TreeSum::add(Tensor term) {
  const NoGrad no_grad;
  if (bf16_) round_to_bf16(term);
  // The number of terms, written in binary, has one digit 1 for each block. The new term is a block of
  // size 1. While the last block is as large as the new one, their sum replaces both. This happens once for
  // each 1 at the end of the number, as in a carry: twice for 1011 + 1.
  for (std::int64_t carry = terms_++; carry % 2 == 1; carry /= 2) {
    term = blocks_.back() + term;
    blocks_.pop_back();
    if (bf16_) round_to_bf16(term);
  }
  blocks_.push_back(std::move(term));
}

}  // namespace gradus::models
