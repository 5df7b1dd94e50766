#pragma once

#include <gradus/models/encoder.hpp>

#include <vector>

namespace gradus::models {

// Encodes one source in parts, with an encoder of one direction. Only the states between two parts are kept.
class EncoderStream {
 public:
  // `encoder` must outlive this object.
  explicit EncoderStream(const Encoder& encoder);

  // The annotations that can be computed after this part, (n, 1, D); undefined if there are none.
  // part: vectors (n, 1, ·) or tokens (n, 1), or undefined for nothing. `is_last`: no further part follows,
  // so a vector without a neighbour is paired with 0.
  Tensor read(const Tensor& part, bool is_last);

 private:
  struct Level {
    const nn::Recurrent* rnn;
    bool pairs;                  // joins its inputs in pairs
    nn::RecurrentState state{};  // after the inputs that it has read; empty at the start
    Tensor waiting{};            // an input without its neighbour, (1, 1, ·), or undefined
  };
  const Encoder& encoder_;
  std::vector<Level> levels_;
};

}  // namespace gradus::models
