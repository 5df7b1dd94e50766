#include "report.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json object(const Report& report) {
  const Options& o = report.options;
  const Measurement& m = report.measurement;
  const auto& peak = report.sgemm_peak_gflops;
  return {{"program", report.program},
          {"config", o.config.name},
          {"mode", o.mode == Mode::train ? "train" : "decode"},
          {"threads", o.threads},
          {"batch", o.batch},
          {"steps", o.steps},
          {"warmup", o.warmup},
          {"seed", o.seed},
          {"dropout", o.config.dropout},
          {"precision", precision_names[static_cast<std::size_t>(o.precision)]},
          {"parameters", m.parameters},
          {"ms_per_step", m.ms_per_step},
          {"ms_min", m.ms_min},
          {"target_tokens_per_s", m.target_tokens_per_s},
          {"gflops", m.gflops},
          {"sgemm_peak_gflops", or_null(peak)},
          {"percent_of_sgemm_peak", or_null(peak ? std::optional(100 * m.gflops / *peak) : std::nullopt)},
          {"peak_rss_mb", m.peak_rss_mb},
          {"loss_first", or_null(m.loss_first)},
          {"loss_final", or_null(m.loss_final)},
          {"tokens_checksum", or_null(m.tokens_checksum)},
          {"buffers_allocated_after_first", or_null(m.buffers_allocated_after_first)},
          {"buffers_allocated_after_warmup", or_null(m.buffers_allocated_after_warmup)}};
}

}  // namespace

std::string json(const Report& report) { return object(report).dump() + "\n"; }

std::string table(const Report& report) {
  const Json all = object(report);
  std::ostringstream text;
  for (const auto& [name, value] : all.items()) {
    if (value.is_null()) continue;
    text << std::left << std::setw(32) << name;
    if (value.is_string()) {
      text << value.get<std::string>();
    } else if (value.is_number_float()) {
      text << std::setprecision(4) << value.get<double>();
    } else {
      text << value;
    }
    text << '\n';
  }
  return text.str();
}

}  // namespace bench
