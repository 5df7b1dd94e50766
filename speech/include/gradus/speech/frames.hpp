#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/data/batch.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
/// Sound as a source sequence of vectors. Each vector, called a frame, stands for a few milliseconds.
namespace gradus::speech {

/// Frames, and the tokens that are spoken in them.
struct Utterance {
  Tensor frames;                         ///< (T, D), f32
  std::vector<std::int64_t> target;      ///< ends in EOS
  std::vector<std::int64_t> begin = {};  ///< the first frame of each token except EOS; empty if not known
  std::vector<std::int64_t> end = {};    ///< the frame after the last frame of each token except EOS
};

/// A padded batch of utterances, for models::loss() and the searches.
struct FrameBatch {
  Tensor frames;        ///< (T, B, D): zeros beyond the lengths
  Tensor lengths;       ///< (B), i64
  data::Batch targets;  ///< its sources are one-token placeholders
};

/// Makes a batch of the utterances, in the given order.
/// @throws Error if there are no utterances, if frames are not f32 of shape (T, D) with T ≥ 1 and the same D
/// for all, or if data::make_batch refuses a target.
FrameBatch make_batch(std::span<const Utterance> utterances);

}  // namespace gradus::speech
#pragma GCC visibility pop
