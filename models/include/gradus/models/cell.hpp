#pragma once

#include <gradus/nn/recurrent.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The recurrent modules available to encoders and decoders.
enum class Cell {
  rnn,           ///< nn::RNN with tanh
  gru,           ///< nn::GRU in PyTorch's form
  original_gru,  ///< nn::GRU as in Cho et al. 2014 and Bahdanau et al. 2015, see nn::GRUForm
  lstm,          ///< nn::LSTM
};

struct RecurrentOptions {
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  ///< between layers; ignored with one layer
};
/// Creates a recurrent module of this kind. @throws Error as the module does.
std::unique_ptr<nn::Recurrent> make_recurrent(Cell cell, std::int64_t inputs, std::int64_t hidden,
                                              const RecurrentOptions& options);

}  // namespace gradus::models
#pragma GCC visibility pop
