#pragma once

#include <cstdint>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The BLEU of *Dive into Deep Learning* (section 10.7.6), a figure of one sentence that no other BLEU can be
/// compared with: longer n-grams weigh more, nothing is smoothed, and 1 is the best.
///
///     exp(min(0, 1 - len_label / len_pred)) ∏_{n=1}^{min(k, len_pred)} p_n^(1/2^n)
///
/// with p_n the share of the prediction's n-grams that the label holds, each at most as often. 0 for an empty
/// prediction.
/// \param k  the longest n-grams, at least 1.
/// \throws gradus::Error if the label is empty or k below 1.
double d2l_bleu(std::span<const std::string> prediction, std::span<const std::string> label, std::int64_t k);

}  // namespace gradus::data
#pragma GCC visibility pop
