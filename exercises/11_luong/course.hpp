#pragma once

#include <gradus/nn/decoder_step.hpp>

#include <vector>

#include "kit/plain.hpp"
#include "sizes.hpp"

/// Luong's decoder (eq. 5 and 6) in plain loops, with and without input feeding. The decoder is right, or has
/// one fault.
namespace course {

using Lengths = std::vector<std::int64_t>;

// No two members of `sizes` are equal.
constexpr LuongSizes sizes{.vocabulary = 11, .annotation = 8, .embedding = 5, .hidden = 6, .attentional = 7},
    equal_sizes{.vocabulary = 11, .annotation = 6, .embedding = 6, .hidden = 6, .attentional = 6};
constexpr std::int64_t A = 2, T = 9, B = 3, steps = 4;

/// Random annotations of B sources, and the decoder's input tokens.
struct Case {
  gradus::nn::Annotations annotations;
  Lengths lengths;
  gradus::Tensor tokens;  ///< (steps, B)
  LuongSizes n;
};
Case example(const Lengths& lengths, const LuongSizes& n = sizes);

enum class StartFault {
  none,
  no_tanh,
  swapped,          ///< [←h_1; →h_S]
  last_annotation,  ///< uses h_T, even if it is a pad
  last_position,    ///< [→h_T; ←h_1], even if position T is a pad
  first_annotation,
  mean,  ///< the mean of all annotations
  forward_twice,
  backward_twice,
  zero,
};
/// The initial state s_0, (B, H), under this fault.
exercise::Plain first_state(const gradus::nn::DecoderStep& decoder, const Case& c,
                            StartFault fault = StartFault::none);

enum class Fault {
  none,
  earlier_query,      ///< attends with s_{t−1}
  earlier_in_output,  ///< computes h̃_t from [c_t; s_{t−1}]
  swapped_output,     ///< [s_t; c_t]
  linear_output,      ///< h̃ without tanh
  no_mask,
  state_not_moved,  ///< s_{t−1} = s_0 at every step
  probabilities,    ///< softmax(logits)
  not_fed,
  h_tilde_not_moved,  ///< h̃_{t−1} = h̃_0 at every step
  fed_two_ago,        ///< feeds h̃_{t−2}
  swapped_input,      ///< [h̃; E y]
  state_from_zero,    ///< the cell starts from 0 at every step
  tanh_of_logits,     ///< tanh(W_o W_c [c; s])
  linear_fed,         ///< feeds W_c [c; s], without the tanh
  log_probabilities,  ///< log_softmax(logits)
  late_weights,       ///< returns the weights of the previous step
};

/// The results of n steps, (n, B, ·).
struct Course {
  Course(std::int64_t n, const LuongSizes& of)
      : s({n, B, of.hidden}),
        weights({n, B, T}),
        h_tilde({n, B, of.attentional}),
        logits({n, B, of.vocabulary}) {}
  exercise::Plain s, weights, h_tilde, logits;
};

/// Runs n steps with the parameters of `decoder`, whose attention is additive. If `feeds`, the cell reads
/// h̃_{t−1}.
Course unroll(const gradus::nn::DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n,
              Fault fault = Fault::none);

}  // namespace course
