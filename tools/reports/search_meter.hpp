#pragma once

#include <gradus/models/decode.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "reports/progress.hpp"

namespace gradus::tools {

/// Measures a search that decodes many sentences: shows its progress, and prints its speed at the end.
class SearchMeter {
 public:
  /// report() prints nothing for fewer sentences.
  static constexpr std::int64_t least_sentences = 100;

  SearchMeter() = default;
  SearchMeter(const SearchMeter&) = delete;
  SearchMeter& operator=(const SearchMeter&) = delete;

  /// Shows progress from now on. For `label`, see Progress; a `total` of 0 means unknown.
  void show(const std::string& label, std::int64_t total) { progress_.emplace(label, total, "sentences"); }

  /// The search, with every call measured. Must not outlive this object.
  models::Search measured(models::Search search);
  models::SearchOfBatch measured(models::SearchOfBatch search);

  /// Ends the line of progress, and prints a line such as
  ///
  ///     decoded 1000 sentences in 0.61 s: 1639.3 sentences/s, 16393.4 tokens/s
  ///
  /// The line is omitted for fewer than `least_sentences`. The tokens are those of the best outputs,
  /// including EOS. The time includes only the search, not loading the model or waiting for input.
  void report(std::ostream& out);

 private:
  std::string rate(std::int64_t count, const std::string& unit) const;

  std::optional<Progress> progress_;
  std::int64_t sentences_ = 0, tokens_ = 0;
  double seconds_ = 0;
};

}  // namespace gradus::tools
