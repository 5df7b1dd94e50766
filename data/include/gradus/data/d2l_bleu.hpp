#pragma once

#include <cstdint>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The sentence BLEU of *Dive into Deep Learning* (section 10.7.6). Not comparable with other BLEU scores: ln
/// p_n has the weight 1/2^n instead of 1/N, there is no smoothing, and the maximum is 1.
///
///     exp(min(0, 1 - len_label / len_pred)) ∏_{n=1}^{min(k, len_pred)} p_n^(1/2^n)
///
/// p_n is the fraction of the prediction's n-grams that occur in the label. The count of an n-gram is clipped
/// to its count in the label. The score of an empty prediction is 0.
/// @param k  length of the longest n-grams, 1 to 1000000.
/// @throws gradus::Error if the label is empty or k is out of range.
double d2l_bleu(std::span<const std::string> prediction, std::span<const std::string> label, std::int64_t k);

}  // namespace gradus::data
#pragma GCC visibility pop
