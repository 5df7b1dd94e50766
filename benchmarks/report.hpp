#pragma once

#include <optional>
#include <string>

#include "measure.hpp"

namespace bench {

struct Report {
  std::string program;
  Options options;
  Measurement measurement;
  std::optional<double> sgemm_peak_gflops;
};

/// The report as one line of JSON, including the newline.
std::string json(const Report& report);
/// The report for a terminal: one name and value per line. Missing values are omitted.
std::string table(const Report& report);

}  // namespace bench
