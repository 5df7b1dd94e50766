// bench_ops: each operation and fused kernel against its composed twin, against a plain loop, and against the
// memory bandwidth or the SGEMM peak that are measured first. Takes Google Benchmark's options.

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/runtime.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ops_cases.hpp"
#include "peak.hpp"

namespace {

using bench::OperationCase;

// Bytes a second that one copy of 64 MB reads and writes, at best.
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
                            .threads = gradus::threads(),
                            .batch = 64,
                            .steps = 1,
                            .warmup = 0,
                            .seed = 1});
}

// One row an operation; of the repetitions the fastest counts.
class Table : public benchmark::BenchmarkReporter {
 public:
  Table(const std::vector<OperationCase>& cases, double bandwidth, double peak)
      : cases_(cases), bandwidth_(bandwidth), peak_(peak) {}

  bool ReportContext(const Context&) override {
    std::printf("memory %.1f GB/s, SGEMM %.1f GFLOP/s, %d thread(s)\n\n", bandwidth_ / 1e9, peak_ / 1e9,
                gradus::threads());
    std::printf("%-26s %11s %11s %11s %9s %9s %16s\n", "operation", "gradus us", "composed us", "loop us",
                "composed/", "loop/", "of the bound");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      auto [found, is_new] = least_.try_emplace(run.run_name.function_name, seconds);
      if (!is_new) found->second = std::min(found->second, seconds);
    }
  }

  void Finalize() override {
    for (const OperationCase& c : cases_) {
      if (const double ours = least(c, "gradus"); ours > 0)
        print(c, ours, least(c, "composed"), least(c, "loop"));
    }
  }

 private:
  double least(const OperationCase& c, const std::string& way) const {
    const auto found = least_.find(c.name + "/" + way);
    return found == least_.end() ? 0 : found->second;
  }

  void print(const OperationCase& c, double ours, double composed, double loop) const {
    const auto cell = [](double value, const char* form, int width) {
      char text[32] = "";
      if (value > 0) std::snprintf(text, sizeof text, form, value);
      std::printf(" %*s", width, text);
    };
    std::printf("%-26s", c.name.c_str());
    cell(1e6 * ours, "%.1f", 11);
    cell(1e6 * composed, "%.1f", 11);
    cell(1e6 * loop, "%.1f", 11);
    cell(composed / ours, "%.2f", 9);
    cell(loop / ours, "%.2f", 9);
    if (c.flop > 0) std::printf(" %8.0f %% SGEMM", 100 * c.flop / ours / peak_);
    if (c.bytes > 0) std::printf(" %7.0f %% memory", 100 * c.bytes / ours / bandwidth_);
    std::printf("\n");
  }

  const std::vector<OperationCase>& cases_;
  double bandwidth_, peak_;
  std::map<std::string, double> least_;
};

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
  const bool own_table = std::none_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument.starts_with("--benchmark_format") || argument.starts_with("--benchmark_list_tests");
  });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  gradus::build_info();  // chooses OpenBLAS's kernels

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
  if (own_table) {
    Table table(cases, memory_bandwidth(), sgemm_peak());
    benchmark::RunSpecifiedBenchmarks(&table);
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  return 0;
}
