#pragma once

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradus::nn {

/// Splits several tensors, small and large, into pieces for a single parallel loop.
class Pieces {
 public:
  /// Appends a tensor with this number of elements.
  void add(std::int64_t elements) {
    for (std::int64_t begin = 0; begin < elements; begin += longest)
      pieces_.push_back({tensors_, begin, std::min(begin + longest, elements)});
    ++tensors_;
    elements_ += elements;
  }

  std::size_t count() const { return pieces_.size(); }

  /// Calls work(k, tensor, begin, end) for every piece k. `tensor` is the number of a tensor, in the order of
  /// add(). The piece holds elements [begin, end) of this tensor. The pieces do not depend on the number of
  /// threads.
  template <class F>
  void for_each(const F& work) const {
    const auto run = [&](std::int64_t k) {
      const Piece& piece = pieces_[static_cast<std::size_t>(k)];
      work(static_cast<std::size_t>(k), piece.tensor, piece.begin, piece.end);
    };
    const std::int64_t n = std::ssize(pieces_);
    if (elements_ >= least_per_thread) return parallel_tasks(n, run);
    for (std::int64_t k = 0; k < n; ++k) run(k);
  }

 private:
  static constexpr std::int64_t longest = 1 << 14, least_per_thread = 1 << 14;  // elements

  struct Piece {
    std::size_t tensor;
    std::int64_t begin, end;
  };
  std::vector<Piece> pieces_;
  std::size_t tensors_ = 0;
  std::int64_t elements_ = 0;
};

}  // namespace gradus::nn
