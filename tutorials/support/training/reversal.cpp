#include "reversal.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/data/reversal_alignment.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/plot/progress.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <numeric>

#include "support/page/table.hpp"

namespace tutorial {

using gradus::Generator;
namespace data = gradus::data;
namespace models = gradus::models;

std::function<data::Batch()> training_batches(const data::Reversal& task, std::uint64_t seed,
                                              std::int64_t batch_size) {
  return [task, batch_size, generator = std::make_shared<Generator>(Generator(seed).split())] {
    std::vector<data::Pair> pairs;
    for (std::int64_t i = 0; i < batch_size; ++i) {
      pairs.push_back(task.sample_training([&](std::uint64_t n) { return generator->below(n); }));
    }
    return data::make_batch(pairs);
  };
}

Training train(const std::string& label, models::Seq2Seq& model,
               const std::function<data::Batch()>& next_batch, const models::TrainerOptions& options,
               const AfterUpdate& after_update) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  gradus::plot::ProgressBar bar(label, options.steps);
  std::int64_t tokens = 0;
  Training training;
  training.losses = models::train(model, next_batch, options, [&](const models::TrainStep& step) {
    tokens += step.tokens;
    const double rate = static_cast<double>(tokens) / seconds();
    bar.update(step.step, {"loss " + decimals(step.loss), decimals(rate / 1000, 0) + "k tokens/s"});
    if (after_update) after_update(step);
  });
  training.seconds = seconds();
  return training;
}

Scores measure(const models::Seq2Seq& model, const data::Reversal& task,
               const std::vector<std::int64_t>& lengths) {
  Generator generator(20140901);  // a fixed seed, so that all models are measured on the same sources
  Scores scores;
  for (const std::int64_t length : lengths) {
    const std::vector<data::Pair> pairs = held_out(task, length, 500, generator);
    const std::vector<models::Decoded> decoded = models::greedy(model, pairs);
    Score& score = scores[length];
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ++score.exact.count;
      if (data::matches_exactly(decoded[i].tokens, pairs[i].target)) ++score.exact.right;
      if (!decoded[i].weights.defined()) continue;
      if (static_cast<std::int64_t>(decoded[i].tokens.size()) < length) {
        score.alignment.steps += length;  // the output is too short: all its steps count as wrong
        continue;
      }
      const gradus::Tensor content = decoded[i].weights.slice(0, length);  // (L, L): without <eos>
      score.alignment += data::reversal_alignment(content.values<float>(), length, length);
    }
  }
  return scores;
}

std::vector<data::Pair> held_out(const data::Reversal& task, std::int64_t length, std::int64_t count,
                                 Generator& generator) {
  return task.held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, count);
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace tutorial
