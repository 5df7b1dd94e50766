#pragma once

#include <gradus/models/model.hpp>

namespace gradus::web {

/// Mistakes that can be switched on in Bahdanau's decoder. docs/explained/museum.md shows the effect of each
/// one.
struct Mistakes {
  bool no_mask = false;      ///< α_t = softmax over all positions, including padding
  bool no_tanh = false;      ///< e_tj = v_a · (W_a s_{t−1} + U_a h_j)
  bool no_backward = false;  ///< h_j = [→h_j; 0]
  bool ask_after = false;    ///< the query is s_t = cell([E y_{t−1}; c_{t−1}], s_{t−1}), with c_0 = 0
  bool wrong_end = false;    ///< s_0 reads the backward state at the batch's last position, pad or not
  bool any() const { return no_mask || no_tanh || no_backward || ask_after || wrong_end; }
};

/// A registry with own_attentions() and Luong's decoders, in which "bahdanau" makes these mistakes.
/// Parameters and initial values equal those of the correct decoder. `no_backward` and `wrong_end` need a
/// bidirectional encoder.
models::Registry registry_with(const Mistakes& mistakes);
/// True for a decoder with mistakes.
bool is_mistaken(const nn::DecoderStep& decoder);

}  // namespace gradus::web
