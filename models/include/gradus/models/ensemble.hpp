#pragma once

#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// One model, or several that decode together. Every member reads the same source and the same previous
/// tokens. As in Sockeye, the searches use at each step the arithmetic mean of the M members' probabilities,
///
///     p(y_t | y_1 … y_{t−1}, x) = 1/M Σ_m p_m(y_t | y_1 … y_{t−1}, x)
///
/// which is itself a distribution. The log-probabilities and perplexities of an ensemble and of a single
/// model are therefore comparable (Hieber et al. 2017, section 3.3). The attention weights are the mean of
/// the weights of all members that have attention. The members may differ in decoder, cell and sizes, but
/// must have the same vocabularies, Encoder::steps_per_annotation() and `silence`. The members are not owned,
/// and must outlive the Ensemble.
class Ensemble {
 public:
  Ensemble(const Seq2Seq& model) : members_{&model} {}  // NOLINT: implicit on purpose, a single model
  /// @throws Error if there is no member, or one is null.
  explicit Ensemble(std::vector<const Seq2Seq*> members);

  std::span<const Seq2Seq* const> members() const { return members_; }
  /// True if any member is in training mode.
  bool is_training() const;
  /// True if every member allows threads to split a batch by sequence.
  bool can_be_shared() const;
  /// The sum of the members' parameter counts.
  std::int64_t parameter_count() const;

 private:
  std::vector<const Seq2Seq*> members_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
