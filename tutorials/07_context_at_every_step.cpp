// Tutorial 07: the context at every step: whether it helps to read the same vector again and again.
//
// In tutorial 06 the context was only the decoder's first state, so the decoder had to remember it. Here every step
// reads the same context as an input. The decoder follows Cho et al., "Learning phrase representations using RNN
// encoder–decoder for statistical machine translation" (2014), section 2.2 and appendix A.1,
// https://arxiv.org/abs/1406.1078.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/cho_decoder.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/loss.hpp>

#include <iostream>
#include <memory>

#include "support/page/report.hpp"
#include "support/pictures/training_curves.hpp"

using namespace gradus;

namespace {

// The loss of a batch. Only the lines with c differ from tutorial 06. The symbols in shapes (T, Ty, B, E, H and V) are
// those of tutorial 06.
Tensor loss_by_hand(const models::Seq2Seq& model, const data::Batch& batch) {
  const auto& decoder = dynamic_cast<const models::ChoDecoder&>(*model.decoder);
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});        // (T, B)
  const Tensor source_lengths = tensor(batch.source_lengths, {batch.size});            // (B)
  const Tensor target_in = tensor(batch.target_in, {batch.target_steps, batch.size});  // (Ty, B)

  // The encoder is that of tutorial 06. Its result is the state after the last real token.
  const Tensor h_T = model.encoder.forward(source, source_lengths).last_forward;       // (B, H)

  // The context is c = tanh(V h_T). The first state is s_0 = tanh(V′ c); V′ is the decoder's W_s.
  const Tensor c = tanh(decoder.V.forward(h_T));                                       // (B, H)
  Tensor s = tanh(decoder.W_s->forward(c));                                            // (B, H)

  std::vector<Tensor> logits;
  for (std::int64_t t = 0; t < target_in.size(0); ++t) {
    const Tensor y = decoder.embedding.forward(target_in[t]);                          // (B, E)
    // s_t = GRU([E y_{t−1}; c], s_{t−1}): every step reads c, so the state need not remember it.
    s = decoder.rnn->step(concat({y, c}, 1), {s})[0];                                  // (B, H)
    // p(y_t) = softmax(W_o [s_t; c; E y_{t−1}] + b_o): the prediction also reads c directly.
    logits.push_back(decoder.readout.forward(concat({s, c, y}, 1)));                   // (B, V)
  }
  return nn::masked_cross_entropy(stack(logits), tensor(batch.target_out, {batch.target_steps, batch.size}),
                                  tensor(batch.target_lengths, {batch.size}));
}

struct Sizes {
  std::int64_t embedding = 32;  // E
  std::int64_t hidden = 64;     // H
  std::int64_t max_length = 12;
};

std::unique_ptr<models::Seq2Seq> make_model(const std::string& decoder, std::int64_t hidden, const Sizes& sizes,
                                            const data::Reversal& task, std::uint64_t seed) {
  gradus::seed(seed);
  return models::make_model(
      {.decoder = decoder, .embedding = sizes.embedding, .hidden = hidden, .bidirectional = false},
      {.source = task.vocabulary_size(), .target = task.vocabulary_size()});
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const data::Reversal task(/*symbols=*/10, /*min_length=*/3, sizes.max_length);
  const auto make = [&](const std::string& decoder, std::int64_t hidden) {
    return make_model(decoder, hidden, sizes, task, options.seed);
  };

  // 1. The untrained model's loss, by hand and by the library.
  const auto cho = make("cho", sizes.hidden);
  const data::Batch batch = tutorial::training_batches(task, options.seed)();
  std::cout << "loss before training: " << tutorial::decimals(loss_by_hand(*cho, batch).item(), 6) << " by hand, "
            << tutorial::decimals(models::loss(*cho, batch).total.item(), 6) << " by the library\n";

  // 2. This decoder has more parameters than tutorial 06's, and more parameters could make any model better. So this decoder is
  // compared with two models of tutorial 06. One has the same H. The other has the smallest H that gives it at least as many
  // parameters as this decoder.
  const auto fixed = make("fixed", sizes.hidden);
  std::int64_t wider_hidden = sizes.hidden;
  auto wider = make("fixed", wider_hidden);
  while (wider->parameter_count() < cho->parameter_count()) wider = make("fixed", ++wider_hidden);

  // 3. All three models are trained on the same batches, for the same number of updates.
  const std::vector<std::int64_t> lengths = tutorial::range(3, sizes.max_length);
  const auto result_of = [&](const std::string& name, models::Seq2Seq& model) {
    return tutorial::train_and_measure(name, model, task, options, lengths);
  };
  const std::vector<tutorial::Result> results = {
      result_of("06, H = " + std::to_string(sizes.hidden), *fixed),
      result_of("06, H = " + std::to_string(wider_hidden), *wider),
      result_of("07, H = " + std::to_string(sizes.hidden), *cho)};

  const tutorial::Table parameters{
      .name = "parameters",
      .rows_are = "model",
      .columns = {"parameters"},
      .rows = {{results[0].name, {static_cast<double>(fixed->parameter_count())}},
               {results[1].name, {static_cast<double>(wider->parameter_count())}},
               {results[2].name, {static_cast<double>(cho->parameter_count())}}},
      .digits = 0};
  const tutorial::Table exact_match = tutorial::exact_match(results), time = tutorial::training_time(results);
  std::cout << '\n' << text(parameters) << "\nexact match on held-out sources after " << options.steps
            << " updates\n" << text(exact_match) << '\n' << text(time) << '\n';

  publish({.number = "07",
           .title = "the context at every step",
           .intro = "One vector again, but the decoder sees it at every step (Cho et al. 2014).",
           .sections = {{"Exact match by length", {{"exact_match", tutorial::exact_match_curves(results)}}},
                        {"Training", {{"loss", tutorial::loss_curves(results)}}}},
           .tables = {exact_match, parameters, time},
           .try_next = "--steps 4000; --max-length 20; then ./run tutorial 08"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 07: the context at every step (Cho et al. 2014), on reversal",
                       {.steps = 1000, .out = "out/tutorial-07"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--embedding", &sizes.embedding, "size of an embedding, E"},
                        {"--hidden", &sizes.hidden, "size of a state, H"},
                        {"--max-length", &sizes.max_length, "length of the longest sequences"}});
}
