#pragma once

#include <gradus/nn/decoder_step.hpp>

#include <functional>
#include <memory>
#include <utility>

#include "kit/check.hpp"

/// The answer to exercise 07: an LSTM cell and a decoder that uses it.
struct LstmAnswer {
  struct Cell {
    std::shared_ptr<gradus::nn::Module> module;
    /// {h′, c′} from x, h and c.
    std::function<std::pair<gradus::Tensor, gradus::Tensor>(const gradus::Tensor& x, const gradus::Tensor& h,
                                                            const gradus::Tensor& c)>
        forward;
  };
  struct Sizes {
    std::int64_t vocabulary, annotation, embedding, hidden;  ///< V, D, E, H
  };
  std::function<Cell(std::int64_t inputs, std::int64_t hidden)> cell;
  std::function<std::unique_ptr<gradus::nn::DecoderStep>(const Sizes& sizes,
                                                         std::unique_ptr<gradus::nn::Attention> attention)>
      decoder;
};

/// Makes the answer from two classes that have the interface that the exercise requires.
template <class LstmCell, class LstmDecoder>
LstmAnswer lstm_answer() {
  return {.cell =
              [](std::int64_t inputs, std::int64_t hidden) {
                const auto cell = std::make_shared<LstmCell>(inputs, hidden);
                return LstmAnswer::Cell{cell, [cell](const auto& x, const auto& h, const auto& c) {
                                          return cell->forward(x, h, c);
                                        }};
              },
          .decoder =
              [](const LstmAnswer::Sizes& n, std::unique_ptr<gradus::nn::Attention> attention) {
                return std::make_unique<LstmDecoder>(n.vocabulary, n.annotation, n.embedding, n.hidden,
                                                     std::move(attention));
              }};
}

exercise::Exercise lstm_decoder_exercise(const LstmAnswer& answer);
