#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kit/training.hpp"
#include "museum/subject.hpp"
#include "parts.hpp"

namespace {

using namespace gradus;

void training(const LstmAnswer& answer) {
  const exercise::Reversals task;
  const std::int64_t V = exercise::vocabulary_of(task);
  const models::EncoderOptions encoder{.vocabulary = V};  // E 32, H 64 in each direction
  const LstmAnswer::Sizes n{.vocabulary = V, .annotation = 2 * encoder.hidden, .embedding = 32, .hidden = 64};
  models::Seq2Seq model(
      encoder, answer.decoder(n, std::make_unique<nn::AdditiveAttention>(n.hidden, n.annotation, 64)));
  const exercise::ByLength measured = exercise::train_on_reversals("your decoder", model, task);
  exercise::print(measured);
  exercise::expect_learnt(measured, 0.9);
  exercise::show_beside_library(model, task);
}

}  // namespace

exercise::Exercise lstm_decoder_exercise(const LstmAnswer& answer) {
  std::vector<exercise::Stage> stages = lstm_decoder::cell_stages(answer);
  std::ranges::move(lstm_decoder::decoder_stages(answer), std::back_inserter(stages));
  stages.push_back({"training: reversal", [=] { training(answer); }, true});
  return {.name = "lstm_decoder",
          .stages = std::move(stages),
          .programs = {[answer](const museum::Sizes& n) {
            auto attention = std::make_unique<nn::AdditiveAttention>(n.hidden, n.annotation(), n.energy);
            return museum::around(n, answer.decoder({.vocabulary = n.vocabulary,
                                                     .annotation = n.annotation(),
                                                     .embedding = n.embedding,
                                                     .hidden = n.hidden},
                                                    std::move(attention)));
          }}};
}
