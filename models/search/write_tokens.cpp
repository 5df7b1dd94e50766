#include "search/write_tokens.hpp"

#include <gradus/autograd/recording.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "model/batch_parts.hpp"
#include "search/rows.hpp"
#include "search/source_search.hpp"
#include "search/steps.hpp"

namespace gradus::models {
namespace {

void append(Decoded& output, std::int64_t token, double log_probability) {
  output.tokens.push_back(token);
  output.token_log_probabilities.push_back(log_probability);
  output.log_probability += log_probability;
  output.score = output.log_probability;
}

bool ended(const Decoded& output, std::int64_t max_steps) {
  return std::ssize(output.tokens) >= max_steps ||
         (!output.tokens.empty() && output.tokens.back() == data::eos);
}

// Tracks the rows of the decoders' states, one per source. When enough outputs have ended, drops their rows.
class Remaining {
 public:
  Remaining(std::int64_t sources, bool may_drop)
      : rows_(sources), sources_(static_cast<std::size_t>(sources)), may_drop_(may_drop) {
    std::iota(sources_.begin(), sources_.end(), 0);
  }

  // Finds the rows whose output has not ended. Drops the other rows from `at` if they are at least a quarter
  // of all rows, and at least four. It does not pay to drop fewer rows, because the rest is copied.
  template <class Ended>
  void update(Starts& at, const Ended& ended) {
    unfinished_.clear();
    for (std::size_t row = 0; row < sources_.size(); ++row) {
      if (!ended(static_cast<std::size_t>(sources_[row])))
        unfinished_.push_back(static_cast<std::int64_t>(row));
    }
    const std::int64_t dropped = std::ssize(sources_) - std::ssize(unfinished_);
    if (!may_drop_ || unfinished_.empty() || 4 * dropped < std::max(std::ssize(sources_), fewest_rows))
      return;
    rows_.select(unfinished_, at);
    for (std::size_t i = 0; i < unfinished_.size(); ++i) {
      sources_[i] =
          sources_[static_cast<std::size_t>(std::exchange(unfinished_[i], static_cast<std::int64_t>(i)))];
    }
    sources_.resize(unfinished_.size());
  }

  // The source of each row.
  const std::vector<std::int64_t>& sources() const { return sources_; }
  // Rows whose output has not ended.
  const std::vector<std::int64_t>& unfinished() const { return unfinished_; }

 private:
  static constexpr std::ptrdiff_t fewest_rows = 16;

  Rows rows_;
  std::vector<std::int64_t> sources_, unfinished_;
  bool may_drop_;  // false in training: dropout draws one mask per row
};

// The outputs of write_tokens() for one part of the batch, whose first source has index `first`.
std::vector<Decoded> write_share(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                 std::span<const std::int64_t> max_steps, const Choose& choose,
                                 std::int64_t first) {
  const NoGrad no_grad;
  std::vector<Decoded> outputs(max_steps.size());
  Remaining remaining(std::ssize(outputs), !model.is_training());
  // For each output, the row of each token's prediction.
  std::vector<std::vector<std::int64_t>> rows(outputs.size());
  std::vector<Tensor> weights;
  const std::vector<WeightColumns> columns = weight_columns(model, lengths);
  for_each_step(
      model, start(model, source, lengths),
      [&](std::int64_t /*step*/, Starts& at) {
        remaining.update(at, [&](std::size_t b) { return ended(outputs[b], max_steps[b]); });
        if (remaining.unfinished().empty()) return Tensor();
        std::vector<std::int64_t> previous;
        for (const std::int64_t b : remaining.sources()) {
          const std::vector<std::int64_t>& tokens = outputs[static_cast<std::size_t>(b)].tokens;
          previous.push_back(tokens.empty() ? data::bos : tokens.back());
        }
        return tensor(previous);
      },
      [&](std::int64_t /*step*/, const Prediction& next) {
        weights.push_back(next.weights());
        for (const std::int64_t row : remaining.unfinished()) {
          const std::int64_t source_index = remaining.sources()[static_cast<std::size_t>(row)];
          const auto b = static_cast<std::size_t>(source_index);
          const std::int64_t token = choose(next, row, first + source_index, outputs[b].tokens);
          append(outputs[b], token, next.log_probability(row, token));
          rows[b].push_back(row);
        }
      });
  for (std::size_t b = 0; b < outputs.size(); ++b) {
    outputs[b].weights = alignment(weights, rows[b], columns[b]);
  }
  return outputs;
}

// The search for one output.
class ByChoice final : public SourceSearch {
 public:
  ByChoice(const WeightColumns& columns, std::int64_t max_steps, Choose choose)
      : choose_(std::move(choose)), columns_(columns), max_steps_(max_steps) {}

  bool done() const override { return ended(output_, max_steps_); }

  void put_inputs(std::int64_t first_row, std::vector<std::int64_t>& rows,
                  std::vector<std::int64_t>& tokens) const override {
    rows.push_back(rows_.empty() ? first_row : rows_.back());
    tokens.push_back(output_.tokens.empty() ? data::bos : output_.tokens.back());
  }

  void read(const Prediction& next, std::int64_t first_row) override {
    const std::int64_t token = choose_(next, first_row, 0, output_.tokens);
    append(output_, token, next.log_probability(first_row, token));
    weights_.push_back(next.weights());
    rows_.push_back(first_row);
  }

  std::vector<Decoded> results() const override {
    Decoded output = output_;
    output.weights = alignment(weights_, rows_, columns_);
    return {std::move(output)};
  }

 private:
  Choose choose_;
  WeightColumns columns_;
  std::int64_t max_steps_;
  Decoded output_;
  std::vector<Tensor> weights_;     // per step
  std::vector<std::int64_t> rows_;  // the row of each prediction
};

}  // namespace

std::shared_ptr<SourceSearch> search_by_choice(const WeightColumns& columns, std::int64_t max_steps,
                                               Choose choose) {
  return std::make_shared<ByChoice>(columns, max_steps, std::move(choose));
}

std::vector<Decoded> write_tokens(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                  const std::vector<std::int64_t>& max_steps, const Choose& choose) {
  return by_parts<Decoded>(
      model, source, lengths, [&](const Tensor& some, const Tensor& their_lengths, std::int64_t first) {
        const auto steps = std::span(max_steps).subspan(static_cast<std::size_t>(first),
                                                        static_cast<std::size_t>(their_lengths.size(0)));
        return write_share(model, some, their_lengths, steps, choose, first);
      });
}

std::vector<std::int64_t> steps_of(const MaxSteps& max_steps, const std::vector<WeightColumns>& sources) {
  std::vector<std::int64_t> steps;
  for (const WeightColumns& columns : sources) steps.push_back(max_steps.of(columns.count));
  return steps;
}

std::vector<std::vector<Decoded>> one_each(std::vector<Decoded> decoded) {
  std::vector<std::vector<Decoded>> lists;
  for (Decoded& one : decoded) lists.push_back({std::move(one)});
  return lists;
}

}  // namespace gradus::models
