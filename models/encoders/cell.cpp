#include <gradus/models/cell.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/rnn.hpp>

namespace gradus::models {

std::unique_ptr<nn::Recurrent> make_recurrent(Cell cell, std::int64_t inputs, std::int64_t hidden,
                                              const RecurrentOptions& options) {
  const auto fill = [&](auto module_options) {
    module_options.layers = options.layers;
    module_options.bidirectional = options.bidirectional;
    module_options.dropout = options.layers > 1 ? options.dropout : 0;
    return module_options;
  };
  switch (cell) {
    case Cell::rnn:
      return std::make_unique<nn::RNN>(inputs, hidden, fill(nn::RNNOptions{}));
    case Cell::lstm:
      return std::make_unique<nn::LSTM>(inputs, hidden, fill(nn::LSTMOptions{}));
    case Cell::original_gru:
      return std::make_unique<nn::GRU>(inputs, hidden, fill(nn::GRUOptions{.form = nn::GRUForm::original}));
    case Cell::gru:
      break;
  }
  return std::make_unique<nn::GRU>(inputs, hidden, fill(nn::GRUOptions{}));
}

}  // namespace gradus::models
