#pragma once

#include <gradus/models/registry.hpp>

namespace gradus::web {

/// The two decoders of Luong et al. (2015). Both attend after the cell's update:
///
///     s_t = cell(E y_{t−1}, s_{t−1})                  "luong"
///     s_t = cell([E y_{t−1}; h̃_{t−1}], s_{t−1})       "luong_feeding": input feeding (section 3.3), h̃_0 = 0
///     c_t = attention with the query s_t
///     h̃_t = tanh(W_c [c_t; s_t])                      (eq. 5), (B, H)
///     logits_t = W_o h̃_t + b                          (eq. 6)
///
/// s_0 = tanh(W_s [→h_T; ←h_1]).
void add_luong_decoders(models::Registry& registry);

}  // namespace gradus::web
