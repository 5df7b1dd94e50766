#pragma once

#include <gradus/models/model.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "finding.hpp"

/// A short training on sequence reversal, with results by length. It is the last stage of some exercises.
namespace exercise {

struct Reversals {
  std::int64_t symbols = 10;
  std::int64_t shortest = 3, longest = 8;
  std::int64_t steps = 600;
  std::uint64_t seed = 1;  ///< seed of the training data, not of the model
};

/// Exact match on held-out sources, by length.
struct ByLength {
  std::string label;
  std::vector<std::int64_t> lengths;
  std::vector<double> exact;
  double seconds;  ///< training time
};

/// Trains with Adam, a linearly decaying learning rate and gradient clipping. Then measures the exact match.
/// The model's vocabulary must have vocabulary_of(task) entries.
ByLength train_on_reversals(const std::string& label, gradus::models::Seq2Seq& model, const Reversals& task);
std::int64_t vocabulary_of(const Reversals& task);

using MakeAttention =
    std::function<std::unique_ptr<gradus::nn::Attention>(const gradus::models::AttentionSizes&)>;

/// Bahdanau's model with this attention, in the tutorials' sizes.
std::unique_ptr<gradus::models::Seq2Seq> bahdanau_with(const MakeAttention& attention, const Reversals& task);

/// Prints the label and a line for each length: "    length  8   exact match 0.994".
void print(const ByLength& measured);

/// Trains the library's Bahdanau model for at most 300 updates. Then prints two alignments of one held-out
/// source side by side: the library's and yours.
void show_beside_library(const gradus::models::Seq2Seq& yours, const Reversals& task);

/// Two blocks of text side by side. Escape codes have no width.
std::string beside(const std::string& left, const std::string& right);

/// Expects an exact match of at least `least` at every length. Otherwise reports `mistake`, or
/// "does-not-learn" if `mistake` is empty.
void expect_learnt(const ByLength& measured, double least, const Mistake& mistake = {});

}  // namespace exercise
