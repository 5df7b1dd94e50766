#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/additive_attention.hpp>

#include "kit/training.hpp"
#include "museum/subject.hpp"
#include "parts.hpp"

namespace {

using exercise::Stage;
using gradus::nn::Attention;
using gradus::nn::DecoderStep;

constexpr std::int64_t hidden = 48, energy = 32;

// Trains Luong's decoder on reversal. Prints the exact match by length. If `shown`, also prints an alignment
// beside one of the library's model.
void training(const std::string& label, const Luong::MakeDecoder& make, std::unique_ptr<Attention> attention,
              std::int64_t steps, double least, bool shown) {
  const exercise::Reversals task{.steps = steps};
  const std::int64_t vocabulary = vocabulary_of(task);
  gradus::models::Seq2Seq model({.vocabulary = vocabulary, .embedding = 32, .hidden = hidden},
                                make({.vocabulary = vocabulary,
                                      .annotation = 2 * hidden,
                                      .embedding = 32,
                                      .hidden = hidden,
                                      .attentional = hidden},
                                     std::move(attention)));
  const exercise::ByLength measured = train_on_reversals(label, model, task);
  print(measured);
  expect_learnt(measured, least);
  if (shown) show_beside_library(model, task);
}

constexpr exercise::AttentionSizes sizes{.query = hidden, .value = 2 * hidden, .energy = energy};

void append(std::vector<Stage>& stages, const std::vector<Stage>& more) {
  stages.insert(stages.end(), more.begin(), more.end());
}

museum::Make around(const Luong::MakeAttention& make) {
  return [make](const museum::Sizes& n) {
    return museum::around(n, make({.query = n.hidden, .value = n.annotation(), .energy = n.energy}));
  };
}

museum::Make around(const Luong::MakeLocal& make) {
  return around(Luong::MakeAttention([make](const auto& n) { return make(n, 2); }));
}

museum::Make around(const Luong::MakeDecoder& make) {
  return [make](const museum::Sizes& n) {
    auto attention = std::make_unique<gradus::nn::AdditiveAttention>(n.hidden, n.annotation(), n.energy);
    return museum::around(n, make({.vocabulary = n.vocabulary,
                                   .annotation = n.annotation(),
                                   .embedding = n.embedding,
                                   .hidden = n.hidden,
                                   .attentional = n.hidden},
                                  std::move(attention)));
  };
}

// The museum's programs with the learner's classes, except dot: dot needs queries and annotations of equal
// size, and the museum's sizes differ.
std::vector<museum::Make> programs(const Luong& answer) {
  return {around(answer.general),       around(answer.concat),  around(answer.decoder),
          around(answer.input_feeding), around(answer.local_m), around(answer.local_p)};
}

}  // namespace

std::vector<Stage> of_part(const std::string& part, std::vector<Stage> stages) {
  for (Stage& stage : stages) stage.name = part + ": " + stage.name;
  return stages;
}

exercise::Exercise luong_exercise(const Luong& answer) {
  std::vector<Stage> stages = dot_stages(answer.dot);
  append(stages, general_stages(answer.general));
  append(stages, concat_stages(answer.concat));
  append(stages, decoder_stages(answer.decoder));
  append(stages, input_feeding_stages(answer.input_feeding));
  append(stages, of_part("input feeding", {{"training with general",
                                            [=] {
                                              training("general, input feeding", answer.input_feeding,
                                                       answer.general(sizes), 600, 0.9, true);
                                            },
                                            true}}));
  append(stages, local_m_stages(answer.local_m));
  append(stages, local_p_stages(answer.local_p));
  append(stages, of_part("local-p", {{"training",
                                      [=] {
                                        training("local-p, input feeding", answer.input_feeding,
                                                 answer.local_p(sizes, 2), 400, 0.8, false);
                                      },
                                      true}}));
  return {.name = "luong", .stages = stages, .programs = programs(answer)};
}
