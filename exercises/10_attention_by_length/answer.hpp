#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <map>

#include "kit/check.hpp"

/// The answer to exercise 10. From the weights α (Ty, B, Tx) and source_lengths (B), i64, a Measure computes
/// one number for each source length.
using Measure = std::function<std::map<std::int64_t, double>(const gradus::Tensor& weights,
                                                             const gradus::Tensor& source_lengths)>;
struct AttentionByLength {
  Measure entropy, sharpness, on_target;
};

exercise::Exercise attention_by_length_exercise(const AttentionByLength& answer);
