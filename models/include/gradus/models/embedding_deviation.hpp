#pragma once

#pragma GCC visibility push(default)
namespace gradus::models {

/// The standard deviation of initial embeddings. With PyTorch's value, 1, alignments are less sharp:
/// neighbouring tokens get more attention. Below 0.1 (the paper uses 0.01) training starts slowly, especially
/// without attention.
inline constexpr double embedding_deviation = 0.3;

}  // namespace gradus::models
#pragma GCC visibility pop
