#pragma once

#include <gradus/models/constraints.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "search/prediction.hpp"

namespace gradus::models {

// Throws if a constraint is negative.
void check(std::string_view operation, const Constraints& constraints);

// The log-probabilities of the tokens that may follow `written`, in the format of
// Prediction::log_probabilities(): −∞ for a forbidden token. If the constraints forbid every token of finite
// log-probability, EOS is allowed.
class Allowed {
 public:
  Allowed(const Prediction& next, std::int64_t row, std::span<const std::int64_t> written,
          const Constraints& constraints);
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;

  std::span<const float> log_probabilities() const { return log_p_; }

 private:
  void set(std::int64_t token, float log_p);

  std::vector<float> changed_;    // a copy of the prediction; empty before the first set()
  std::span<const float> log_p_;  // a view of `changed_` or of the prediction
};

}  // namespace gradus::models
