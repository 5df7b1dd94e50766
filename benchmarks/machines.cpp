// bench_machines: measures one of several processes that train the Bahdanau model together. It times a
// training step, the summing of gradients, the part of the summing in which the process waits, and the
// optimiser's update. benchmarks/machines.py starts it.

#include <gradus/autograd/parallel.hpp>
#include <gradus/distributed/mpi.hpp>
#include <gradus/distributed/processes.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/optimisers.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "gradus_contender.hpp"

namespace {

using namespace gradus;
using distributed::Communicator;

struct Options {
  std::string config = "small";
  std::int64_t batch = 0;  // 0: the config's batch size
  std::int64_t shards = 2, cycles = 2, batches = bench::batch_count;
  std::int64_t pretended = 1;  // number of processes to simulate; this process does the work of the first
  int threads = 1;
  bool bf16 = false;
};

double seconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of four things: a training step, summing gradients among processes, the part of the summing in
// which this process only waits, and the optimiser's update. The first three are those of the fastest step on
// each batch, averaged over the batches.
struct Steps {
  double step = 0, sum = 0, wait = 0, update = 0;
  std::int64_t parameters = 0, tokens = 0, sentences = 0;
  nlohmann::ordered_json buckets{};  // only with --pretend
};

// Records the buckets of gradients of the last step, without sending them. A record has the bucket's size in
// bytes, and the seconds from the moment at which the bucket is ready to the end of the backward pass.
class Buckets {
 public:
  models::Processes processes(std::int64_t count) {
    return {.rank = 0,
            .count = count,
            .start_sum = [this](const std::vector<Tensor>& tensors, bool) { add(tensors); },
            .finish_sums = [this] { finish(); }};
  }
  const nlohmann::ordered_json& of_last_step() const { return finished_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Bucket {
    Clock::time_point ready;
    std::size_t bytes;
  };
  void add(const std::vector<Tensor>& tensors) {
    Bucket bucket{Clock::now(), 0};
    for (const Tensor& tensor : tensors) {
      bucket.bytes += static_cast<std::size_t>(tensor.numel()) * bytes_per_element(tensor.dtype());
    }
    buckets_.push_back(bucket);
  }
  void finish() {
    const auto end = Clock::now();
    finished_ = nlohmann::ordered_json::array();
    for (const Bucket& bucket : buckets_) {
      const std::chrono::duration<double> before_end = end - bucket.ready;
      finished_.push_back({{"bytes", bucket.bytes}, {"ready", before_end.count()}});
    }
    buckets_.clear();
  }

  std::vector<Bucket> buckets_;
  nlohmann::ordered_json finished_;
};

Steps measured_steps(const Options& options, Communicator& communicator) {
  const bench::Config& config = *std::ranges::find(bench::configs(), options.config, &bench::Config::name);
  const auto batches = bench::make_batches(config, options.batch > 0 ? options.batch : config.B, 1);
  const auto model = bench::make_model(config);
  for (auto& [name, parameter] : model->named_parameters()) {
    bench::set_initial_weights(parameter.mutable_values<float>(), name, 1);
  }
  distributed::SumTimes times;
  Buckets buckets;
  const bool pretends = options.pretended > 1;
  const models::Processes processes =
      pretends ? buckets.processes(options.pretended) : distributed::processes_of(communicator, &times);
  std::size_t next = 0;
  models::Trainer trainer(
      *model, {.next = [&] { return batches[next]; }},
      {.steps = 1'000'000, .learning_rate = 1e-3, .shards = options.shards, .bf16_gradients = options.bf16},
      processes);
  const auto count = static_cast<std::size_t>(options.batches);
  std::vector<double> step(count, std::numeric_limits<double>::infinity()), sum = step, wait = step;
  for (std::int64_t cycle = 0; cycle <= options.cycles; ++cycle) {
    for (next = 0; next < count; ++next) {
      distributed::broadcast(communicator, 0);  // no process starts the step before process 0 is ready
      const distributed::SumTimes before = times;
      const double now = seconds([&] { trainer.step(); });
      if (cycle == 0 || now >= step[next]) continue;  // cycle 0 only warms the caches
      step[next] = now;
      sum[next] = times.summing - before.summing;
      wait[next] = times.waiting - before.waiting;
    }
  }
  const auto mean = [count](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  };
  Steps result{
      .step = mean(step), .sum = mean(sum), .wait = mean(wait), .parameters = model->parameter_count()};
  for (std::size_t b = 0; b < count; ++b) result.tokens += batches[b].target_tokens();
  result.tokens /= static_cast<std::int64_t>(count);
  result.sentences = batches.front().size;
  if (pretends) result.buckets = buckets.of_last_step();
  // Times the update with the gradients of the last step, which the parameters still hold.
  const auto optimiser = nn::find_optimiser("adam").make(model->parameters(), 1e-3, 0);
  result.update = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 4; ++repeat) {
    result.update = std::min(result.update, seconds([&] {
                               nn::clip_grad_norm(model->parameters(), 1);
                               optimiser->step();
                             }));
  }
  return result;
}

// The shortest times for summing n floats among the processes, for n = 1, 4, 16 … 4¹².
nlohmann::ordered_json measured_sums(Communicator& communicator) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t n = 1; n <= (std::size_t{1} << 24); n *= 4) {
    std::vector<float> values(n);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < (n < 100000 ? 200 : 8); ++repeat) {
      distributed::broadcast(communicator, 0);
      least = std::min(least, seconds([&] { distributed::sum(communicator, std::span(values)); }));
    }
    rows.push_back({{"bytes", n * sizeof(float)}, {"seconds", least}});
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool sums = false;
  CLI::App app("The time of a training step in one of several processes; mpirun -n N starts N");
  std::vector<std::string> names;
  for (const bench::Config& config : bench::configs()) names.push_back(config.name);
  app.add_option("--config", options.config, "sizes of the model, see bench_bahdanau")
      ->check(CLI::IsMember(names));
  app.add_option("--batch", options.batch, "sentences per batch of all processes [0: the config's]");
  app.add_option("--shards", options.shards, "as in gradus train");
  app.add_option("--cycles", options.cycles, "timed passes over the batches")->check(CLI::PositiveNumber);
  app.add_option("--batches", options.batches, "different batches")
      ->check(CLI::Range(std::int64_t{1}, bench::batch_count));
  app.add_option("--pretend", options.pretended,
                 "compute the part of the first of P processes, without the others")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "threads of each process")->check(CLI::PositiveNumber);
  app.add_flag("--bf16-gradients", options.bf16, "as in gradus train");
  app.add_flag("--sums", sums, "measure only sums over processes");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto communicator = distributed::connect();
    set_threads(options.threads);
    nlohmann::ordered_json report{{"processes", communicator->size()}};
    if (sums) {
      report["sums"] = measured_sums(*communicator);
    } else {
      const Steps steps = measured_steps(options, *communicator);
      report.update({{"config", options.config},
                     {"shards", options.shards},
                     {"sentences", steps.sentences},
                     {"parameters", steps.parameters},
                     {"target_tokens", steps.tokens},
                     {"step", steps.step},
                     {"sum", steps.sum},
                     {"wait", steps.wait},
                     {"update", steps.update}});
      if (options.pretended > 1) report["buckets"] = steps.buckets;
    }
    if (communicator->rank() == 0) std::cout << report.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "bench_machines: " << error.what() << '\n';
    distributed::abort_job(1);
    return 1;
  }
}
