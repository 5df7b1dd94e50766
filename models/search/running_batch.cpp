#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/running_batch.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "search/in_batches.hpp"
#include "search/rows.hpp"
#include "search/source_search.hpp"
#include "search/steps.hpp"

namespace gradus::models {
namespace {

// x with this axis truncated or zero-padded to `size`.
Tensor resized(const Tensor& x, int axis, std::int64_t size) {
  if (!x.defined() || x.size(axis) == size) return x;
  if (x.size(axis) > size) return x.slice(0, size, axis);
  return concat({x, zeros(x.shape().with(axis, size - x.size(axis)), x.dtype())}, axis);
}

// Pads or cuts the memory to T annotations. Does the same with the last attention weights, (B, T), if the
// state has them.
nn::DecoderStep::Start padded_to(std::int64_t T, const nn::DecoderStep::Start& at) {
  NamedTensors state = at.state.tensors();
  for (auto& [name, x] : state) {
    if (name == "weights") x = resized(x, 1, T);
  }
  const auto& [values, keys, lengths] = at.memory;
  return {.state = {std::move(state), at.state.step()},
          .memory = {.values = resized(values, 0, T), .keys = resized(keys, 0, T), .lengths = lengths}};
}

// Concatenates the parts along this axis. Undefined if any part is undefined.
Tensor joined(const std::vector<Tensor>& parts, int axis) {
  return std::ranges::all_of(parts, &Tensor::defined) ? concat(parts, axis) : Tensor();
}

// One batch with the sources of all parts, padded or cut to T annotations.
nn::DecoderStep::Start joined(std::int64_t T, std::vector<nn::DecoderStep::Start> parts) {
  for (nn::DecoderStep::Start& part : parts) part = padded_to(T, part);
  if (parts.size() == 1) return std::move(parts.front());
  const auto along = [&](int axis, const auto& tensor) {
    std::vector<Tensor> tensors;
    for (const nn::DecoderStep::Start& part : parts) tensors.push_back(tensor(part));
    return joined(tensors, axis);
  };
  NamedTensors state;
  for (const auto& entry : parts.front().state.tensors()) {
    const std::string& name = entry.first;
    state.emplace_back(name, along(0, [&](const auto& part) { return part.state[name]; }));
  }
  return {.state = {std::move(state), parts.front().state.step()},
          .memory = {.values = along(1, [](const auto& part) { return part.memory.values; }),
                     .keys = along(1, [](const auto& part) { return part.memory.keys; }),
                     .lengths = along(0, [](const auto& part) { return part.memory.lengths; })}};
}

// A source in the batch, and its range of the state's rows.
struct Member {
  RunningBatch::Id id;
  std::int64_t length;                   // number of the source's annotations
  std::shared_ptr<SourceSearch> search;  // null if the source has left
  std::int64_t first, rows;              // rows of the state
  std::int64_t predicted = 0;            // the source's first row in the last prediction

  bool runs() const { return search && !search->done(); }
};

}  // namespace

// The rows of all sources. Dropping rows copies the memory. Therefore sources that have ended or were
// cancelled keep their rows until they own a quarter of all rows.
class RunningBatch::State {
 public:
  State(Ensemble model, StartCache* cache) : model_(std::move(model)), cache_(cache) {}

  // Fills an empty state. The sources found in the cache get the first rows.
  void start(std::span<const Newcomer> newcomers) {
    Sources sources;
    std::vector<std::int64_t> lengths;
    for (const Newcomer& one : newcomers) {
      if (one.source.empty()) {
        fail("RunningBatch", "source ", sources.size(), " is empty; remove empty sentences");
      }
      sources.push_back(one.source);
      lengths.push_back(std::ssize(one.source));
    }
    const std::vector<WeightColumns> columns = weight_columns(model_, tensor(lengths));
    std::vector<std::int64_t> counts;
    for (const WeightColumns& of_source : columns) counts.push_back(of_source.annotations());
    std::vector<Starts> parts;
    std::vector<std::size_t> order, unknown;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::optional<Starts> known = cache_ != nullptr ? cache_->find(sources[i]) : std::nullopt;
      (known ? order : unknown).push_back(i);
      if (known) parts.push_back(std::move(*known));
    }
    if (!unknown.empty()) parts.push_back(encode(sources, unknown, counts));
    std::ranges::copy(unknown, std::back_inserter(order));
    T_ = std::ranges::max(counts);
    for (std::size_t m = 0; m < model_.members().size(); ++m) {
      std::vector<nn::DecoderStep::Start> of_member;
      for (Starts& part : parts) of_member.push_back(std::move(part[m]));
      at_.push_back(joined(T_, std::move(of_member)));
    }
    for (const std::size_t i : order) {
      const Newcomer& one = newcomers[i];
      members_.push_back({one.id, counts[i], one.search(columns[i], one.max_steps), rows_, 1, rows_});
      rows_ += 1;
    }
  }

  void step() {
    if (std::ranges::none_of(members_, &Member::runs)) return;
    const Tensor previous = tensor(continue_rows());
    std::vector<nn::DecoderStep::Output> outputs;
    for (std::size_t m = 0; m < at_.size(); ++m) {
      outputs.push_back(model_.members()[m]->decoder->step(previous, at_[m].state, at_[m].memory));
    }
    const Prediction next(outputs);
    for (std::size_t m = 0; m < at_.size(); ++m) at_[m].state = std::move(outputs[m].state);
    for (Member& member : members_) {
      member.predicted = member.first;
      if (member.runs()) member.search->read(next, member.first);
    }
  }

  // Adds the sources of another state, which must have taken its first step.
  void append(State other) {
    drop_rows();  // joined() below copies everything anyway
    if (rows_ == 0) {
      std::ranges::move(members_, std::back_inserter(other.members_));  // these have all finished
      *this = std::move(other);
      return;
    }
    const std::int64_t T = std::max(T_, other.T_);
    for (std::size_t m = 0; m < at_.size(); ++m) at_[m] = joined(T, {at_[m], other.at_[m]});
    T_ = T;
    for (Member& member : other.members_) {
      member.first += rows_;
      members_.push_back(std::move(member));
    }
    rows_ += other.rows_;
  }

  std::vector<Finished> take_finished() {
    std::vector<Finished> finished;
    for (Member& member : members_) {
      if (!member.search || !member.search->done()) continue;
      finished.push_back({member.id, member.search->results()});
      member.search = nullptr;
    }
    return finished;
  }

  void cancel(Id id) {
    for (Member& member : members_) {
      if (member.id == id) member.search = nullptr;
    }
  }

  std::int64_t size() const {
    return std::ranges::count_if(members_, [](const Member& member) { return member.search != nullptr; });
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t source_length() const { return T_; }

 private:
  // Encodes the chosen sources. Puts their starts into the cache, if there is one.
  Starts encode(const Sources& sources, const std::vector<std::size_t>& chosen,
                const std::vector<std::int64_t>& counts) {
    const SourceBatch batch(sources, chosen);
    Starts starts = models::start(model_, batch.source, batch.lengths);
    if (cache_ == nullptr) return starts;
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      const Tensor only = tensor(std::vector{static_cast<std::int64_t>(row)});
      Starts one;
      for (const nn::DecoderStep::Start& at : starts) {
        const auto [state, memory] = padded_to(counts[chosen[row]], at);
        one.push_back({.state = state.select(only), .memory = memory.select(only)});
      }
      cache_->insert(sources[chosen[row]], std::move(one));
    }
    return starts;
  }

  // Selects the rows of the next step, and returns their input tokens.
  std::vector<std::int64_t> continue_rows() {
    std::int64_t left = 0;
    for (const Member& member : members_) left += member.runs() ? 0 : member.rows;
    if (4 * left >= rows_ && left > 0) drop_rows();
    std::vector<std::int64_t> rows, tokens;
    bool same_owners = true;
    for (Member& member : members_) {
      const std::int64_t first = std::ssize(rows);
      if (member.runs()) {
        member.search->put_inputs(member.predicted, rows, tokens);
        for (auto row = rows.begin() + first; row != rows.end(); ++row)
          *row += member.first - member.predicted;
      } else {
        for (std::int64_t r = 0; r < member.rows; ++r) rows.push_back(member.first + r);
        tokens.resize(rows.size(), data::eos);
      }
      const std::int64_t count = std::ssize(rows) - first;
      same_owners = same_owners && count == member.rows && first == member.first;
      member.first = first;
      member.rows = count;
    }
    select(rows, !same_owners);
    return tokens;
  }

  // Drops the rows of sources that were cancelled or whose search has ended. A finished source stays a member
  // until take_finished().
  void drop_rows() {
    std::vector<std::int64_t> rows;
    std::int64_t T = 0;
    std::erase_if(members_, [](const Member& member) { return !member.search; });
    for (Member& member : members_) {
      const auto first = std::exchange(member.first, std::ssize(rows));
      if (!member.runs()) member.rows = 0;
      for (std::int64_t r = 0; r < member.rows; ++r) rows.push_back(first + r);
      if (member.rows > 0) T = std::max(T, member.length);
    }
    select(rows, true);
    if (rows_ == 0 || T == T_) return;
    for (nn::DecoderStep::Start& at : at_) at = padded_to(T, at);
    T_ = T;
  }

  void select(const std::vector<std::int64_t>& rows, bool memory_too) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(rows_));
    std::iota(all.begin(), all.end(), 0);
    rows_ = std::ssize(rows);
    if (rows == all || rows.empty()) return;
    const Tensor chosen = tensor(rows);
    for (auto& [state, memory] : at_) {
      state = state.select(chosen);
      if (memory_too) memory = memory.select(chosen);
    }
  }

  Ensemble model_;
  StartCache* cache_;  // or null
  Starts at_;
  std::vector<Member> members_;  // in the order of their rows
  std::int64_t rows_ = 0, T_ = 0;
};

RunningBatch::RunningBatch(const Ensemble& model, StartCache* cache)
    : model_(model), cache_(cache), state_(std::make_unique<State>(model, cache)) {
  if (model.is_training()) fail("RunningBatch", "the model is in training mode; call eval() first");
}
RunningBatch::~RunningBatch() = default;

void RunningBatch::join(std::span<const Newcomer> newcomers) {
  if (newcomers.empty()) return;
  const NoGrad no_grad;
  State some(model_, cache_);
  some.start(newcomers);
  some.step();
  state_->append(std::move(some));
}

void RunningBatch::step() {
  const NoGrad no_grad;
  try {
    state_->step();
  } catch (...) {  // some sources have advanced, and others have not
    *state_ = State(model_, cache_);
    throw;
  }
}

std::vector<RunningBatch::Finished> RunningBatch::take_finished() { return state_->take_finished(); }
void RunningBatch::cancel(Id id) { state_->cancel(id); }
bool RunningBatch::empty() const { return size() == 0; }
std::int64_t RunningBatch::size() const { return state_->size(); }
std::int64_t RunningBatch::rows() const { return state_->rows(); }
std::int64_t RunningBatch::source_length() const { return state_->source_length(); }

}  // namespace gradus::models
