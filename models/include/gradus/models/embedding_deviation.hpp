#pragma once

#pragma GCC visibility push(default)
namespace gradus::models {

/// The standard deviation of initial embeddings. With PyTorch's value, 1, alignments are less sharp: more
/// attention goes to the neighbours of the aligned token. Below 0.1 (Bahdanau et al. 2015 use 0.01), training
/// starts slowly, especially without attention.
inline constexpr double embedding_deviation = 0.3;

}  // namespace gradus::models
#pragma GCC visibility pop
