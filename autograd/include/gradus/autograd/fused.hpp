#pragma once

#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
/// Fused operations. Each does the work of several simple operations. Each has a twin in the same source
/// file: a function that computes the same result with simple operations. `Composed` (composed.hpp) selects
/// the twins. Tests compare each fused operation with its twin. As in ops.hpp, `g` is d(loss)/d(result).
namespace gradus {

/// One step of a gated recurrent unit, in PyTorch's form, from the weights' products with x and h:
///
///     r = σ(x_r + h_r),  z = σ(x_z + h_z),  n = tanh(x_n + r ∘ h_n),  h′ = (1 − z) ∘ n + z ∘ h
///
/// @param x_part W_ih x + b_ih, (B, 3H), in the order r, z, n
/// @param h_part W_hh h + b_hh, (B, 3H), in the same order
/// @param h      (B, H)
/// @return h′, (B, H)
/// Gradients: let d_n = g∘(1 − z)∘(1 − n²), d_r = d_n∘h_n∘r∘(1 − r) and d_z = g∘(h − n)∘z∘(1 − z) be the
/// gradients of the arguments of tanh and σ. x_part gets [d_r; d_z; d_n], h_part gets [d_r; d_z; d_n∘r], and
/// h gets g∘z.
Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h);

/// One step of a long short-term memory, in PyTorch's form, from the weights' products with x and h. As in
/// PyTorch, g is a gate here, and not the gradient of the result.
///
///     i = σ(x_i + h_i),  f = σ(x_f + h_f),  g = tanh(x_g + h_g),  o = σ(x_o + h_o)
///     c′ = f ∘ c + i ∘ g,  h′ = o ∘ tanh(c′)
///
/// @param x_part W_ih x + b_ih, (B, 4H), in the order i, f, g, o
/// @param h_part W_hh h + b_hh, (B, 4H), in the same order
/// @param c      (B, H)
/// @return h′ and c′, stacked, (2, B, H)
/// Gradients: let d and d_c′ be the gradients of the results h′ and c′, and e = d_c′ + d∘o∘(1 − tanh²(c′))
/// the total gradient of c′. The argument of i gets e∘g∘i∘(1 − i), the argument of f gets e∘c∘f∘(1 − f), the
/// argument of g gets e∘i∘(1 − g²), and the argument of o gets d∘tanh(c′)∘o∘(1 − o). x_part and h_part each
/// get these four gradients; c gets e∘f.
Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& c);

/// The cells of recurrent_sequence and attention_sequence. A GRU has G = 3 gates, an LSTM has G = 4.
enum class GatedCell { gru, original_gru, lstm };

/// Runs a gated cell over packed sequences. The cells compute, at each step t,
///
///     gru            h_t = gru_update(x_part_t, W_hh h_{t−1} + b_hh, h_{t−1})
///     original_gru   the same, with n = tanh(x_n + W_hn (r ∘ h_{t−1}) + b_hn)     Cho et al. 2014, eq. 8
///     lstm           h_t, c_t = lstm_update(x_part_t, W_hh h_{t−1} + b_hh, c_{t−1})
///
/// The original GRU applies the reset gate before the product. W_hn and b_hn are the last H rows of W_hh and
/// b_hh. Padding is skipped. The gradient of W_hh is computed for all steps at once.
///
/// @param x_parts   W_ih x + b_ih, (N, G·H), packed; G is 3 for a GRU and 4 for an LSTM
/// @param weight_hh W_hh, (G·H, H)
/// @param bias_hh   b_hh, (G·H), or undefined
/// @param first     {h_0}, or {h_0, c_0} for an LSTM: (B, H) each, in the order of the batch
/// @param reverse   whether each sequence is read from its last step to its first
/// @return Scanned: `states`, (N, H), packed: h after each step; `last`, {h} or {h, c}, (B, H) each: after
/// each sequence's last step, or after the first step if reversed
/// Gradients: as in gru_update or lstm_update, at every step, in the reverse order of the forward pass. With
/// d_t the gradient of W_hh h_{t−1} + b_hh, W_hh gets Σ_t d_tᵀ·h_{t−1}, and b_hh gets Σ_t d_t. In the
/// original GRU, the gradient of W_hn has r ∘ h_{t−1} in place of h_{t−1}.
/// @throws Error for a wrong number of tensors in `first`.
Scanned recurrent_sequence(GatedCell cell, const Tensor& x_parts, const Tensor& weight_hh,
                           const Tensor& bias_hh, const std::vector<Tensor>& first, const Packing& packing,
                           bool reverse = false);

/// Bahdanau's energies, e_bt = v · tanh(q_b + k_tb) (Bahdanau et al. 2015, appendix A.1.2). The tanh is not
/// stored.
///
/// @param query   W_a s, (B, A)
/// @param keys    U_a h_t, (T, B, A)
/// @param v       v_a, (A)
/// @param lengths (B), i64, or undefined if all are T. Energies past a length are 0 and have no gradient
/// @return e, (B, T)
/// Gradients: with y = tanh(q_b + k_tb), k_tb gets d_bt = g_bt v∘(1 − y²), q_b gets Σ_t d_bt, and v gets Σ_bt
/// g_bt y. @throws Error for a length outside [0, T].
Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v,
                       const Tensor& lengths = Tensor());

/// The context c_b = Σ_t α_bt h_tb.
///
/// @param weights α, (B, T)
/// @param values  h, (T, B, D)
/// @param lengths (B), i64, or undefined if all are T. Positions past a length are excluded
/// @return c, (B, D)
/// Gradients: α_bt gets g_b · h_tb, and h_tb gets α_bt g_b. @throws Error for a length outside [0, T].
Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths = Tensor());

/// The score of state s and key k_j of position j: e_j = v_a · tanh(W_a s + k_j), or scale · (W_a s) · k_j.
struct AttentionScore {
  Tensor W_a = {};     ///< (A, H); if undefined, the query is the state itself and A = H
  Tensor v_a = {};     ///< (A); if undefined, the score is a dot product
  double scale = 1;    ///< factor of a dot product
  double dropout = 0;  ///< probability, in [0, 1), of dropout on the weights α
};

/// Configuration and parameters of attention_sequence. Parameters have the layout of nn::GRU, nn::LSTM and
/// nn::AdditiveAttention.
struct AttentionDecoder {
  struct Layer {
    Tensor weight_ih;  ///< W_ih: [W_y, W_c], (G·H, E + D), in the lowest layer; (G·H, H) in the others
    Tensor weight_hh;  ///< W_hh, (G·H, H)
    Tensor bias_ih;    ///< (G·H), or undefined
    Tensor bias_hh;    ///< (G·H), or undefined
  };
  GatedCell cell = GatedCell::gru;
  std::vector<Layer> layers;  ///< the lowest first
  AttentionScore score = {};
  bool earlier = false;  ///< the result contains the state before (true) or after (false) each step
  double dropout = 0;    ///< probability, in [0, 1), of dropout between layers
  /// Draws the masks of `score.dropout` and `dropout`. Without this generator there is no dropout. Step t
  /// uses stream t of the generator: first for the mask of the attention weights, then for the masks between
  /// layers.
  std::optional<Generator> draws = std::nullopt;
};

/// Runs a decoder over packed target sequences, with teacher forcing. The decoder attends before it updates
/// its state (Bahdanau et al. 2015, appendix A.2.2 and A.1.2; for dot products, Luong et al. 2015, section
/// 3.1). At each step t, with s the state of the top layer,
///
///     e_tj = v_a · tanh(W_a s_{t−1} + k_j)  or  scale · (W_a s_{t−1}) · k_j
///     α_t = softmax(e_t),  c_t = Σ_j α_tj h_j
///     s_t = cell(W_y y_{t−1} + W_c c_t + b_ih, s_{t−1})
///
/// The cell also reads W_hh and b_hh, as in recurrent_sequence. With several layers, the input of layer l > 0
/// is the new state of layer l − 1 (for an LSTM, its h).
///
/// Padding of targets and sources is skipped. The gradient of each weight matrix is computed for all steps at
/// once. The tanh of the energies, N·T·A values, is not stored.
///
/// @param y       the embedded previous tokens, (N, E), packed
/// @param state   s_0 of each layer, then for an LSTM the first cell state of each layer; (B, H), in batch
/// order
/// @param keys    k_j, (T, B, A): U_a h_j, or h_j
/// @param values  h_j, (T, B, D)
/// @param lengths lengths of the sources, (B), i64, or undefined when all are T
/// @param decoder the cell, the layers, the score, `earlier` and the dropouts. Each layer has W_ih, W_hh,
/// b_ih and b_hh; in the lowest layer, W_ih is [W_y, W_c]. If W_a is undefined, the query is s_{t−1} itself.
/// If v_a is defined, the score is the first form of e_tj, otherwise the second
/// @param packing packing of the targets
/// @return rows [s_t; c_t; α_t] or, if decoder.earlier, [s_{t−1}; c_t; α_t]: (N, H + D + T), packed. α_t is
/// taken before dropout.
/// Gradients: from the last step to the first, the gradients of the cell (as in recurrent_sequence),
/// of c_t, of α_t and of e_t.
/// @throws Error without layers, for a wrong number of tensors in `state`, and for a length outside [0, T].
/// If decoder.draws is set, also throws for a dropout probability outside [0, 1), and for a generator for a
/// part of a batch (Generator::of_part) whose number of sequences differs from that of `packing`.
Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& state, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& decoder,
                          const Packing& packing);

}  // namespace gradus
#pragma GCC visibility pop
