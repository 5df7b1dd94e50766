#include "encoders/encoder_stream.hpp"

#include <gradus/autograd/ops.hpp>

#include <utility>

#include "encoders/pairs.hpp"

namespace gradus::models {
namespace {

// Concatenates two sequences. Either may be undefined.
Tensor followed(const Tensor& x, const Tensor& y) {
  if (!x.defined()) return y;
  return y.defined() ? concat({x, y}, 0) : x;
}

}  // namespace

EncoderStream::EncoderStream(const Encoder& encoder) : encoder_(encoder) {
  for (const auto& level : encoder.pyramid) levels_.push_back({.rnn = level.get(), .pairs = true});
  levels_.push_back({.rnn = encoder.rnn.get(), .pairs = encoder.levels() > 0});
}

Tensor EncoderStream::Pairing::join(Tensor x, bool is_last) {
  x = followed(std::exchange(waiting_, Tensor()), x);
  if (x.defined() && !is_last && x.size(0) % 2 == 1) {
    waiting_ = x.slice(x.size(0) - 1, x.size(0));
    x = x.size(0) > 1 ? x.slice(0, x.size(0) - 1) : Tensor();
  }
  return x.defined() ? pairs(x) : x;
}

Tensor EncoderStream::read(const Tensor& part, bool is_last) {
  Tensor x = part;
  if (x.defined() && encoder_.embedding) x = encoder_.embedding->forward(x);
  for (Level& level : levels_) {
    if (level.pairs) x = level.pairing.join(x, is_last);
    if (!x.defined()) continue;
    auto [h, last] = level.rnn->run(x, Tensor(), level.state);
    level.state = std::move(last);
    x = h;
  }
  if (!encoder_.convolution) return x;
  x = annotations_.join(x, is_last);
  return x.defined() ? encoder_.convolution->forward(x) : x;
}

}  // namespace gradus::models
