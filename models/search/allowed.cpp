#include "search/allowed.hpp"

#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <limits>

namespace gradus::models {
namespace {

constexpr float forbidden = -std::numeric_limits<float>::infinity();

// The tokens that would repeat an n-gram. The list can contain a token more than once.
std::vector<std::int64_t> completions(std::span<const std::int64_t> written, std::int64_t n) {
  const auto size = std::ssize(written);
  std::vector<std::int64_t> tokens;
  if (n == 0 || size < n) return tokens;
  const auto before = static_cast<std::size_t>(n - 1);  // an n-gram has n − 1 tokens before its last token
  const auto suffix = written.last(before);
  for (std::size_t first = 0; first + before < written.size(); ++first) {
    if (std::ranges::equal(written.subspan(first, before), suffix)) tokens.push_back(written[first + before]);
  }
  return tokens;
}

}  // namespace

void check(std::string_view operation, const Constraints& constraints) {
  if (constraints.min_length < 0) {
    fail(operation, "the minimum length must be at least 0, and is ", constraints.min_length);
  }
  if (constraints.no_repeat_ngram < 0) {
    fail(operation, "no_repeat_ngram must be at least 0 (any n-gram may be repeated), and is ",
         constraints.no_repeat_ngram);
  }
}

Allowed::Allowed(const Prediction& next, std::int64_t row, std::span<const std::int64_t> written,
                 const Constraints& constraints)
    : log_p_(next.log_probabilities(row)) {
  for (const std::int64_t token : completions(written, constraints.no_repeat_ngram)) set(token, forbidden);
  if (std::ssize(written) < constraints.min_length) set(data::eos, forbidden);
  if (std::ranges::any_of(log_p_, [](float log_p) { return log_p > forbidden; })) return;
  // No token may follow. EOS gets a finite log-probability, so that the output ends here.
  constexpr std::size_t eos = data::eos - Prediction::first_written;
  set(data::eos, std::max(next.log_probabilities(row)[eos], std::numeric_limits<float>::lowest()));
}

void Allowed::set(std::int64_t token, float log_p) {
  if (changed_.empty()) {
    changed_.assign(log_p_.begin(), log_p_.end());
    log_p_ = changed_;
  }
  changed_[static_cast<std::size_t>(token - Prediction::first_written)] = log_p;
}

}  // namespace gradus::models
