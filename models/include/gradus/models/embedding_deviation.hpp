#pragma once

#pragma GCC visibility push(default)
namespace gradus::models {

/// The standard deviation of the models' initial embeddings. With PyTorch's 1, some attention stays on
/// neighbouring tokens, whose annotations carry too much of the token itself. Below 0.1 (the paper has 0.01)
/// training starts slowly, especially without attention.
inline constexpr double embedding_deviation = 0.3;

}  // namespace gradus::models
#pragma GCC visibility pop
