#pragma once

#include <vector>

#include "answer.hpp"

/// The stages of each part. A stage's name begins with its part: "general: gradients".
std::vector<exercise::Stage> dot_stages(const Luong::MakeAttention& make);
std::vector<exercise::Stage> general_stages(const Luong::MakeAttention& make);
std::vector<exercise::Stage> concat_stages(const Luong::MakeAttention& make);
std::vector<exercise::Stage> decoder_stages(const Luong::MakeDecoder& make);
std::vector<exercise::Stage> input_feeding_stages(const Luong::MakeDecoder& make);
std::vector<exercise::Stage> local_m_stages(const Luong::MakeLocal& make);
std::vector<exercise::Stage> local_p_stages(const Luong::MakeLocal& make);

/// Prefixes the stages' names with the part.
std::vector<exercise::Stage> of_part(const std::string& part, std::vector<exercise::Stage> stages);

/// The energies of general and of both local attentions: e_tj = s_t · W_a h_j, (B, T), with W_a (Q, D).
exercise::Plain plain_general(const exercise::Plain& W, const exercise::Plain& query,
                              const exercise::Plain& values);
