#include "reports/search_meter.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

#include "settings/numbers.hpp"

namespace gradus::tools {

models::Search SearchMeter::measured(models::Search search) {
  return [this, decode = std::move(search)](const models::Ensemble& model, const Tensor& source,
                                            const Tensor& lengths, const models::MaxSteps& max_steps) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::vector<models::Decoded>> found = decode(model, source, lengths, max_steps);
    seconds_ += seconds_since(start);
    sentences_ += std::ssize(found);
    for (const auto& outputs : found) tokens_ += std::ssize(outputs.front().tokens);
    if (progress_) {
      progress_->update(sentences_, {rate(sentences_, "sentences"), rate(tokens_, "tokens")});
    }
    return found;
  };
}

models::SearchOfBatch SearchMeter::measured(models::SearchOfBatch search) {
  return [this, of_batch = std::move(search)](std::span<const std::size_t> sources) {
    return measured(of_batch(sources));
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
