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

ByLength train_on_reversals(const std::string& label, gradus::models::Seq2Seq& model, const Reversals& task) {
  const gradus::data::Reversal reversal = made(task);
  ByLength measured;
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
  for (std::size_t i = 0; i < measured.lengths.size(); ++i) {
    std::cout << "    length " << std::setw(2) << measured.lengths[i] << "   exact match "
              << tutorial::decimals(measured.exact[i]) << '\n';
  }
}

void expect_learnt(const ByLength& measured, double least, const Mistake& mistake) {
  const auto worst = std::min_element(measured.exact.begin(), measured.exact.end());
  if (*worst >= least) return;
  const std::int64_t length = measured.lengths[static_cast<std::size_t>(worst - measured.exact.begin())];
  throw Finding{.mistake = mistake.name.empty()
                               ? Mistake{"does-not-learn", "",
                                         "All that was checked before is right: what is there that was not? "
                                         "The gradients of every parameter, and the state from step to step."}
                               : mistake,
                .says = "It does not learn to reverse.",
                .where = "length " + std::to_string(length),
                .got = "exact match " + tutorial::decimals(*worst),
                .expected = "at least " + tutorial::decimals(least)};
}

}  // namespace exercise
