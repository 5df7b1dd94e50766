#pragma once

#include <gradus/models/search.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Greedy decoding that writes while the source still arrives (Raffel et al. 2017, algorithm 1).
///
/// With each new part of the source, the encoder continues from its last state. A decoder step begins at the
/// annotation at which the previous step stopped, and walks to the right. If the step finds no place to stop,
/// the search repeats the step when more annotations are known. Annotations to the left of the walk are
/// removed from the memory.
///
/// The tokens do not depend on how the source is divided into parts, and are those of greedy() for the whole
/// source, up to rounding.
class OnlineSearch {
 public:
  /// @param model     must be in eval mode, outlive this object, and not change
  /// @param max_steps computes the maximum output length from the length of the source known so far
  /// @throws Error if the model is in training mode, or needs the end of the source for its first token. The
  /// model must have an encoder of one direction and without `silence`, and a BahdanauDecoder with
  /// nn::MonotonicAttention and Bridge::zeros.
  explicit OnlineSearch(const Seq2Seq& model, const MaxSteps& max_steps = {});
  ~OnlineSearch();
  OnlineSearch(const OnlineSearch&) = delete;
  OnlineSearch& operator=(const OnlineSearch&) = delete;

  /// Reads the next part of the source, and returns the tokens that the model now writes, without EOS.
  /// @param part vectors (n, D), or tokens (n), i64; n may be 0
  /// @throws Error if the part has another shape, or after finish().
  std::vector<std::int64_t> read(const Tensor& part);
  /// Ends the source, and returns the remaining tokens, without EOS.
  /// @throws Error if the source is empty, or at the second call.
  std::vector<std::int64_t> finish();
  /// True once the model has written EOS, or finish() was called. The model then writes no more tokens.
  bool ended() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
