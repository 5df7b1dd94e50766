#pragma once

#include <gradus/models/model.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "finding.hpp"

/// A short training on sequence reversal, by length: that what passed all other stages learns, too.
namespace exercise {

struct Reversals {
  std::int64_t symbols = 10;
  std::int64_t shortest = 3, longest = 8;
  std::int64_t steps = 600;
  std::uint64_t seed = 1;  ///< of the training data; the model brings its own initial values
};

/// The share of held-out sources of each length, shortest to longest, that are reversed without a mistake.
struct ByLength {
  std::string label;
  std::vector<std::int64_t> lengths;
  std::vector<double> exact;
  double seconds;  ///< of training
};

/// Trains (Adam, rate falling linearly, clipped) and measures. The vocabulary of the model must be
/// `vocabulary_of(task)`.
ByLength train_on_reversals(const std::string& label, gradus::models::Seq2Seq& model, const Reversals& task);
std::int64_t vocabulary_of(const Reversals& task);

/// Bahdanau's model for the task, of the tutorials' sizes, that attends with this attention.
std::unique_ptr<gradus::models::Seq2Seq> bahdanau_with(
    const gradus::models::Registry::MakeAttention& attention, const Reversals& task);

/// What was trained, and one line a length: "    length  8   exact match 0.994".
void print(const ByLength& measured);

/// The exact match is `least` at every length; else "does-not-learn".
void expect_learnt(const ByLength& measured, double least, const Mistake& mistake = {});

}  // namespace exercise
