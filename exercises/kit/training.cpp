#include "training.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "expect.hpp"
#include "support/reversal.hpp"
#include "support/table.hpp"

namespace exercise {

namespace {

gradus::data::Reversal made(const Reversals& task) {
  return gradus::data::Reversal(task.symbols, task.shortest, task.longest);
}

}  // namespace

std::int64_t vocabulary_of(const Reversals& task) { return made(task).vocabulary_size(); }

std::unique_ptr<gradus::models::Seq2Seq> bahdanau_with(
    const gradus::models::Registry::MakeAttention& attention, const Reversals& task) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  registry.attentions["yours"] = attention;
  const std::int64_t vocabulary = vocabulary_of(task);
  return gradus::models::make_model({.attention = "yours"}, {vocabulary, vocabulary}, registry);
}

ByLength train_on_reversals(const std::string& label, gradus::models::Seq2Seq& model, const Reversals& task) {
  const gradus::data::Reversal reversal = made(task);
  ByLength measured{.label = label, .lengths = {}, .exact = {}, .seconds = 0};
  measured.seconds =
      tutorial::train(label, model, tutorial::training_batches(reversal, task.seed), {.steps = task.steps})
          .seconds;
  measured.lengths = tutorial::range(task.shortest, task.longest);
  for (const auto& [length, score] : tutorial::measure(model, reversal, measured.lengths)) {
    measured.exact.push_back(score.exact.fraction());
  }
  return measured;
}

void print(const ByLength& measured) {
  std::cout << "    " << measured.label << ", trained in " << tutorial::decimals(measured.seconds, 1)
            << " s\n";
  for (std::size_t i = 0; i < measured.lengths.size(); ++i) {
    std::cout << "    length " << std::setw(2) << measured.lengths[i] << "   exact match "
              << tutorial::decimals(measured.exact[i]) << '\n';
  }
}

void expect_learnt(const ByLength& measured, double least, const Mistake& mistake) {
  const auto worst = std::min_element(measured.exact.begin(), measured.exact.end());
  if (*worst >= least) return;
  const std::int64_t length = measured.lengths[static_cast<std::size_t>(worst - measured.exact.begin())];
  throw Finding{
      .mistake = mistake.name.empty()
                     ? Mistake{"does-not-learn", "",
                               "All earlier stages passed, but they do not cover everything: check the "
                               "gradient of every parameter, and the state carried from step to step."}
                     : mistake,
      .says = "The model does not learn to reverse.",
      .where = "length " + std::to_string(length),
      .got = "exact match " + tutorial::decimals(*worst),
      .expected = "at least " + tutorial::decimals(least)};
}

}  // namespace exercise
