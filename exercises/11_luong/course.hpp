#pragma once

#include <gradus/nn/decoder_step.hpp>

#include <vector>

#include "kit/plain.hpp"
#include "sizes.hpp"

/// Luong's decoder in plain loops: eq. 5 and 6, alone and with input feeding, and the known ways to go wrong.
namespace course {

using Lengths = std::vector<std::int64_t>;

// No two sizes are the same.
constexpr LuongSizes sizes{.vocabulary = 11, .annotation = 8, .embedding = 5, .hidden = 6, .attentional = 7};
constexpr std::int64_t A = 2, T = 9, B = 3, steps = 4;

/// What an encoder might have said of B sources, and the tokens that go in.
struct Case {
  gradus::nn::Annotations annotations;
  Lengths lengths;
  gradus::Tensor tokens;  ///< (steps, B)
};
Case example(const Lengths& lengths);

enum class StartFault {
  none,
  no_tanh,
  swapped,          ///< [←h_1; →h_S]
  last_annotation,  ///< of h_{T−1}, pad or not
  zero,
};
/// s_0, (B, H).
exercise::Plain first_state(const gradus::nn::DecoderStep& decoder, const Case& c,
                            StartFault fault = StartFault::none);

enum class Fault {
  none,
  earlier_query,      ///< attends by s_{t−1}
  earlier_in_output,  ///< [c_t; s_{t−1}]
  swapped_output,     ///< [s_t; c_t]
  linear_output,      ///< h̃ without its tanh
  no_mask,
  state_not_moved,  ///< s_{t−1} is s_0 at every step
  probabilities,    ///< the softmax of the logits
  not_fed,
  h_tilde_not_moved,  ///< the state holds h̃_0 at every step
  fed_two_ago,        ///< h̃_{t−2}
  swapped_input,      ///< [h̃; E y]
  linear_fed,         ///< h̃ before its tanh is what is fed
};

/// The first n steps, (n, B, ·).
struct Course {
  explicit Course(std::int64_t n)
      : s({n, B, sizes.hidden}),
        weights({n, B, T}),
        h_tilde({n, B, sizes.attentional}),
        logits({n, B, sizes.vocabulary}) {}
  exercise::Plain s, weights, h_tilde, logits;
};

/// Of a decoder with additive attention, from its parameters; `feeds`: whether its cell reads h̃_{t−1}.
Course unroll(const gradus::nn::DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n,
              Fault fault = Fault::none);

}  // namespace course
