#include <gradus/models/seq2seq.hpp>

#include "kit/training.hpp"
#include "parts.hpp"

namespace {

using exercise::Stage;
using gradus::nn::Attention;
using gradus::nn::DecoderStep;

constexpr std::int64_t hidden = 48, energy = 32;

// Trains Luong's decoder on reversal, and prints the exact match by length.
void training(const std::string& label, const Luong::MakeDecoder& make, std::unique_ptr<Attention> attention,
              std::int64_t steps, double least) {
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
}

constexpr exercise::AttentionSizes sizes{.query = hidden, .value = 2 * hidden, .energy = energy};

void append(std::vector<Stage>& stages, const std::vector<Stage>& more) {
  stages.insert(stages.end(), more.begin(), more.end());
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
  append(stages, local_m_stages(answer.local_m));
  append(stages, local_p_stages(answer.local_p));
  append(
      stages,
      {{"training: general, input feeding",
        [=] { training("general, input feeding", answer.input_feeding, answer.general(sizes), 600, 0.9); },
        true},
       {"training: local-p",
        [=] { training("local-p, input feeding", answer.input_feeding, answer.local_p(sizes, 2), 400, 0.8); },
        true}});
  return {.name = "luong", .stages = stages};
}
