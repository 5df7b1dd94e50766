// bench_ops: compares each operation and fused kernel with the measured memory bandwidth or SGEMM peak. Many
// are also compared with the same operation composed of simpler ones, or with a plain loop. Takes Google
// Benchmark's options.

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ops_cases.hpp"
#include "peak.hpp"

namespace {

using bench::OperationCase;

// Memory bandwidth in bytes per second (read and written): the fastest of ten copies of 64 MiB.
double memory_bandwidth() {
  using Clock = std::chrono::steady_clock;
  const std::size_t size = std::size_t{64} << 20;
  std::vector<char> from(size, 1), to(size, 2);
  double least = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    std::memcpy(to.data(), from.data(), size);
    benchmark::ClobberMemory();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2 * static_cast<double>(size) / least;
}

double sgemm_peak() {
  return 1e9 *
         bench::sgemm_peak({.config = *std::ranges::find(bench::configs(), "small", &bench::Config::name),
                            .mode = bench::Mode::train,
                            .threads = 1,
                            .batch = 64,
                            .steps = 1,
                            .warmup = 0,
                            .seed = 1});
}

// Collects the shortest time of each implementation of each operation.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      const auto [found, is_new] = least_.try_emplace(run.run_name.function_name, seconds);
      if (!is_new) found->second = std::min(found->second, seconds);
    }
  }

  // The shortest time in seconds of the implementation `way`; 0 if it did not run.
  double least(const OperationCase& c, const std::string& way) const {
    const auto found = least_.find(c.name + "/" + way);
    return found == least_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> least_;
};

struct Bounds {
  double bandwidth, peak;  // bytes and floating-point operations per second
};

using Json = nlohmann::ordered_json;

// One row per operation that ran.
Json results(const std::vector<OperationCase>& cases, const Collector& collected, const Bounds& bounds) {
  Json rows = Json::array();
  const auto microseconds = [](double seconds) { return seconds > 0 ? Json(1e6 * seconds) : Json(nullptr); };
  for (const OperationCase& c : cases) {
    const double ours = collected.least(c, "gradus");
    if (ours == 0) continue;
    rows.push_back({{"operation", c.name},
                    {"gradus_us", microseconds(ours)},
                    {"composed_us", microseconds(collected.least(c, "composed"))},
                    {"loop_us", microseconds(collected.least(c, "loop"))},
                    {"bound", c.flop > 0 ? "SGEMM" : "memory"},
                    {"percent_of_bound",
                     100 * (c.flop > 0 ? c.flop / bounds.peak : c.bytes / bounds.bandwidth) / ours}});
  }
  return {{"memory_gb_per_s", bounds.bandwidth / 1e9}, {"sgemm_gflops", bounds.peak / 1e9}, {"rows", rows}};
}

void print_table(const Json& results) {
  std::printf("on one thread: memory %.1f GB/s, SGEMM %.1f GFLOP/s\n\n",
              results["memory_gb_per_s"].get<double>(), results["sgemm_gflops"].get<double>());
  std::printf("%-26s%12s%12s%12s%11s%8s%18s\n", "operation", "gradus us", "composed us", "loop us",
              "composed/", "loop/", "of the bound");
  const auto cell = [](const Json& value, double divisor, int precision, int width) {
    if (value.is_null()) {
      std::printf("%*s", width, "");
    } else {
      std::printf("%*.*f", width, precision, value.get<double>() / divisor);
    }
  };
  for (const Json& row : results["rows"]) {
    const double ours = row["gradus_us"].get<double>();
    std::printf("%-26s", row["operation"].get<std::string>().c_str());
    cell(row["gradus_us"], 1, 1, 12);
    cell(row["composed_us"], 1, 1, 12);
    cell(row["loop_us"], 1, 1, 12);
    cell(row["composed_us"], ours, 2, 11);
    cell(row["loop_us"], ours, 2, 8);
    std::printf("%8.0f %% %s\n", row["percent_of_bound"].get<double>(),
                row["bound"].get<std::string>().c_str());
  }
}

void register_way(const OperationCase& c, const char* way, const std::function<void()>& run) {
  if (!run) return;
  benchmark::RegisterBenchmark((c.name + "/" + way).c_str(),
                               [run](benchmark::State& state) {
                                 for (auto _ : state) {
                                   run();
                                   benchmark::ClobberMemory();
                                 }
                               })
      ->UseRealTime()
      ->Repetitions(3)
      ->MinTime(0.02);
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = [&](std::string_view option) {
    return std::any_of(argv + 1, argv + argc,
                       [&](std::string_view argument) { return argument.starts_with(option); });
  };
  if (given("--help")) {
    std::cout << "bench_ops: compares each operation with its composed twin, a plain loop, and its lower "
                 "bound, on one thread.\n"
                 "  --json                        one JSON object on one line instead of the table\n"
                 "  --benchmark_filter=<regex>    only matching ones, such as 'GRU|matmul'\n"
                 "  --benchmark_format=<console|json|csv>, --benchmark_list_tests and more: options of "
                 "Google Benchmark\n";
    return 0;
  }
  const bool json = given("--json");
  const bool google = given("--benchmark_format") || given("--benchmark_list_tests");
  argc = static_cast<int>(std::remove(argv + 1, argv + argc, std::string_view("--json")) - argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  gradus::set_threads(1);  // the plain loops and the bandwidth measurement use one thread, too
  gradus::initialise();

  std::vector<OperationCase> cases;
  for (const auto& some :
       {bench::elementwise_cases(), bench::row_cases(), bench::product_cases(), bench::fused_cases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  for (const OperationCase& c : cases) {
    register_way(c, "gradus", c.ours);
    register_way(c, "composed", c.composed);
    register_way(c, "loop", c.loop);
  }
  if (google) {
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  const Bounds bounds{memory_bandwidth(), sgemm_peak()};
  Collector collected;
  benchmark::RunSpecifiedBenchmarks(&collected);
  const Json all = results(cases, collected, bounds);
  if (json) {
    std::cout << all.dump() << '\n';
  } else {
    print_table(all);
  }
  return 0;
}
