#include <gradus/autograd/scope.hpp>
#include <gradus/models/ensemble.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace gradus::models {

Ensemble::Ensemble(std::vector<const Seq2Seq*> members) : members_(std::move(members)) {
  if (members_.empty()) fail("Ensemble", "has no members; give at least one model");
  if (std::ranges::count(members_, nullptr) > 0) fail("Ensemble", "a given model is null");
}

bool Ensemble::is_training() const { return std::ranges::any_of(members_, &Seq2Seq::is_training); }

bool Ensemble::can_be_shared() const { return std::ranges::all_of(members_, &Seq2Seq::can_be_shared); }

std::int64_t Ensemble::parameter_count() const {
  return std::transform_reduce(members_.begin(), members_.end(), std::int64_t{0}, std::plus<>{},
                               [](const Seq2Seq* member) { return member->parameter_count(); });
}

}  // namespace gradus::models
