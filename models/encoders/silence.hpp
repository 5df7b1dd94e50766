#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

/// Finds the silent annotations of a source by their power, so that attention leaves them out.
namespace gradus::models {

/// The annotations of a batch of sources, in the order in which attention reads them.
struct Loud {
  Tensor order;    ///< (J, B), i64: positions of the loud annotations, then of the others; both ascending
  Tensor lengths;  ///< (B), i64: the number of loud annotations, at least 1
};

/// Annotation j stands for the n frames from frame j·n on, or for fewer frames at the end of the source. Its
/// power P_j is the mean power of these frames. The annotation is loud unless P_j < 10^(−d/10) max_i P_i.
/// @param power   (T, B), of each frame
/// @param lengths (B), i64, in frames
/// @param each    n
/// @param decibels d
Loud loud_first(const Tensor& power, const Tensor& lengths, std::int64_t each, double decibels);

}  // namespace gradus::models
