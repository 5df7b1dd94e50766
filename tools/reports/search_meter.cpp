#include "reports/search_meter.hpp"

#include <chrono>
#include <utility>

#include "settings/numbers.hpp"

namespace gradus::tools {

models::Search SearchMeter::search() {
  return [this](const models::Ensemble& model, const Tensor& source, const Tensor& lengths,
                const models::MaxSteps& max_steps) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::vector<models::Decoded>> found = decode_(model, source, lengths, max_steps);
    seconds_ += seconds_since(start);
    sentences_ += std::ssize(found);
    for (const auto& outputs : found) tokens_ += std::ssize(outputs.front().tokens);
    if (progress_) {
      progress_->update(sentences_, {rate(sentences_, "sentences"), rate(tokens_, "tokens")});
    }
    return found;
  };
}

void SearchMeter::report(std::ostream& out) {
  if (progress_) progress_->finish();
  if (sentences_ < least_sentences) return;
  out << "decoded " << sentences_ << " sentences in " << digits(seconds_, 2)
      << " s: " << rate(sentences_, "sentences") << ", " << rate(tokens_, "tokens") << '\n';
}

std::string SearchMeter::rate(std::int64_t count, const std::string& unit) const {
  return digits(static_cast<double>(count) / seconds_, 1) + ' ' + unit + "/s";
}

}  // namespace gradus::tools
