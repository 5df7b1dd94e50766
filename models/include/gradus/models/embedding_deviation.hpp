#pragma once

#pragma GCC visibility push(default)
namespace gradus::models {

/// The standard deviation of the models' initial embeddings. With PyTorch's value, 1, alignments are less
/// sharp: more attention stays on neighbouring tokens. Below 0.1 (the paper's value is 0.01) training starts
/// slowly, especially without attention.
inline constexpr double embedding_deviation = 0.3;

}  // namespace gradus::models
#pragma GCC visibility pop
