#include <gradus/autograd/scope.hpp>
#include <gradus/nn/optimiser.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <iterator>
#include <set>

#include "module/pieces.hpp"
#include "optimisers/rule_checks.hpp"

namespace gradus::nn {
namespace {

std::string rate_entry(std::size_t group) { return "group." + std::to_string(group) + ".learning_rate"; }
std::string entry(std::size_t parameter, const std::string& what) {
  return std::to_string(parameter) + "." + what;
}

}  // namespace

Optimiser::Optimiser(std::string name, const std::vector<std::vector<Tensor>>& groups)
    : name_(std::move(name)), group_count_(groups.size()) {
  std::set<const TensorImpl*> seen;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const Tensor& parameter : groups[group]) {
      if (!parameter.defined()) fail(name_, "parameter ", entries_.size(), " is undefined; leave it out");
      if (!is_floating(parameter.dtype())) {
        fail(name_, "parameter ", entries_.size(), ", ", parameter.shape(),
             ", is i64; only f32 and f64 are trained");
      }
      if (!seen.insert(&parameter.impl()).second) {
        fail(name_, "parameter ", entries_.size(), ", ", parameter.shape(), " in group ", group,
             ", was given before; give each parameter once, in one group");
      }
      entries_.push_back({.parameter = parameter, .group = group, .averages = {}});
    }
  }
}

bool Optimiser::Entry::fits() const {
  return std::ranges::all_of(averages, [this](const Tensor& average) {
    return average.shape() == parameter.shape() && average.dtype() == parameter.dtype();
  });
}

void Optimiser::make_averages(Entry& known) const {
  known.averages.clear();
  std::generate_n(std::back_inserter(known.averages), averages(known.group).size(),
                  [&] { return zeros(known.parameter.shape(), known.parameter.dtype()); });
}

void Optimiser::make_averages() {
  for (Entry& known : entries_) {
    if (known.parameter.requires_grad()) make_averages(known);
  }
}

void Optimiser::check_unchanged() const {
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Entry& known = entries_[k];
    if (!known.parameter.grad().defined() || known.steps == 0 || known.fits()) continue;
    const Tensor &now = known.parameter, &then = known.averages[0];
    fail(name_, "parameter ", k, " was ", then.shape(), " ", gradus::name(then.dtype()), " and is now ",
         now.shape(), " ", gradus::name(now.dtype()), "; make a new optimiser after changing parameters");
  }
}

void Optimiser::step() {
  check_unchanged();
  std::vector<Update> updates;
  std::vector<std::size_t> groups;
  Pieces pieces;
  for (Entry& known : entries_) {
    const Tensor gradient = known.parameter.grad();
    if (!gradient.defined()) continue;
    if (++known.steps == 1 && (known.averages.empty() || !known.fits())) make_averages(known);
    updates.push_back({known.parameter, gradient, known.averages, known.steps, 0, gradient.numel()});
    groups.push_back(known.group);
    pieces.add(gradient.numel());
  }
  if (!is_elementwise()) {
    for (std::size_t i = 0; i < updates.size(); ++i) apply(groups[i], updates[i]);
    return;
  }
  pieces.for_each([&](std::size_t, std::size_t i, std::int64_t begin, std::int64_t end) {
    Update piece = updates[i];
    piece.begin = begin;
    piece.end = end;
    apply(groups[i], piece);
  });
}

void Optimiser::zero_grad() {
  for (Entry& known : entries_) known.parameter.zero_grad();
}

void Optimiser::check_group(std::size_t group) const {
  if (group >= group_count_) fail(name_, "unknown group ", group, "; the number of groups is ", group_count_);
}

double Optimiser::learning_rate(std::size_t group) const {
  check_group(group);
  return rate(group);
}

void Optimiser::set_learning_rate(std::size_t group, double rate) {
  check_group(group);
  check_not_negative(name_, "the learning rate", rate);
  set_rate(group, rate);
}

void Optimiser::set_learning_rate(double rate) {
  check_not_negative(name_, "the learning rate", rate);
  for (std::size_t group = 0; group < group_count_; ++group) set_rate(group, rate);
}

NamedTensors Optimiser::state() const {
  NamedTensors state;
  for (std::size_t group = 0; group < group_count_; ++group) {
    state.emplace_back(rate_entry(group), full({}, rate(group), Dtype::f64));
  }
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Entry& known = entries_[k];
    state.emplace_back(entry(k, "steps"), tensor(std::vector{known.steps}, {}));
    if (known.steps == 0) continue;
    const auto names = averages(known.group);
    for (std::size_t i = 0; i < names.size(); ++i) {
      state.emplace_back(entry(k, names[i]), known.averages[i].clone());
    }
  }
  return state;
}

void Optimiser::load_state(const NamedTensors& state) {
  StateReader reader(state);
  std::vector<double> rates;
  for (std::size_t group = 0; group < group_count_; ++group) {
    rates.push_back(reader.not_negative(rate_entry(group)));
  }
  std::vector<Entry> loaded;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Tensor& parameter = entries_[k].parameter;
    const std::size_t group = entries_[k].group;
    loaded.push_back({parameter, group, {}, reader.count(entry(k, "steps"))});
    if (loaded.back().steps == 0) continue;
    for (const std::string& name : averages(group)) {
      loaded.back().averages.push_back(reader.copy(entry(k, name), parameter.shape(), parameter.dtype()));
    }
  }
  reader.finish(name_, "load it into an optimiser of the same groups, parameters and options");
  entries_ = std::move(loaded);
  for (std::size_t group = 0; group < group_count_; ++group) set_rate(group, rates[group]);
}

}  // namespace gradus::nn
