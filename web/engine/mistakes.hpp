#pragma once

#include <gradus/models/model.hpp>

namespace gradus::web {

/// Mistakes to switch on in Bahdanau's decoder. docs/explained/museum.md shows what each one does.
struct Mistakes {
  bool no_mask = false;      ///< α_t = softmax over all positions of the batch, also pads
  bool no_tanh = false;      ///< e_tj = v_a · (W_a s_{t−1} + U_a h_j)
  bool no_backward = false;  ///< h_j = [→h_j; 0]
  bool ask_after = false;    ///< the query is s_t = cell([E y_{t−1}; c_{t−1}], s_{t−1}), with c_0 = 0
  bool wrong_end =
      false;  ///< s_0 from the backward state at the batch's last position, ←h_T or that of a pad
  bool any() const { return no_mask || no_tanh || no_backward || ask_after || wrong_end; }
};

/// A registry whose decoder "bahdanau" has these mistakes, and the same parameters and initial values as the
/// right one. The encoder must be bidirectional for `no_backward` and `wrong_end`.
models::Registry registry_with(const Mistakes& mistakes);
/// True for a decoder with mistakes.
bool is_mistaken(const nn::DecoderStep& decoder);

}  // namespace gradus::web
