#pragma once

#include <gradus/models/encoder.hpp>

#include <vector>

namespace gradus::models {

// Encodes one source in parts, with an encoder of one direction. Between two parts, keeps the recurrent state
// of each level. A level of a pyramid joins neighbouring vectors in pairs. If the last vector has no
// neighbour yet, the level also keeps this vector. A convolution does the same with the annotations.
class EncoderStream {
 public:
  // `encoder` must outlive this object.
  explicit EncoderStream(const Encoder& encoder);

  // Reads a part: vectors (n, 1, ·) or tokens (n, 1), or undefined for an empty part. Returns the annotations
  // that can now be computed, (m, 1, D); undefined if there are none. `is_last` means that no further part
  // follows. A vector without a neighbour is then paired with 0.
  Tensor read(const Tensor& part, bool is_last);

 private:
  // Joins the vectors of a sequence in pairs.
  class Pairing {
   public:
    // Reads the next vectors, (n, 1, ·) or undefined. Returns the pairs that are now complete; undefined if
    // there are none.
    Tensor join(Tensor x, bool is_last);

   private:
    Tensor waiting_;  // a vector without its neighbour, (1, 1, ·), or undefined
  };
  struct Level {
    const nn::Recurrent* rnn;
    bool pairs;                  // joins its inputs in pairs
    nn::RecurrentState state{};  // after the inputs read so far; empty at the start
    Pairing pairing{};
  };
  const Encoder& encoder_;
  std::vector<Level> levels_;
  Pairing annotations_;  // for a convolution
};

}  // namespace gradus::models
