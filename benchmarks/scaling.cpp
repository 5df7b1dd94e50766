// bench_scaling: measures how the cost grows with lengths, batch, sizes and threads. A sweep doubles one size
// several times, and fits the exponent p of cost ∝ sizeᵖ by least squares of logarithms. Every round measures
// all points of a sweep, so that other load on the machine affects small and large sizes equally.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/output.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "gradus_contender.hpp"

namespace {

using namespace gradus;
using bench::Config;

struct Options {
  std::string out = "out/scaling";
  int threads = gradus::threads();
  double seconds = 0.1;  // minimum time per point and round
  int rounds = 5;
  bool json = false;
};

// The shortest time of a call in milliseconds. Two untimed calls come first.
double least_ms(const Options& options, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  call();
  call();
  double least = std::numeric_limits<double>::infinity(), total = 0;
  for (int calls = 0; calls < 3 || total < options.seconds; ++calls) {
    const auto start = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    least = std::min(least, 1e3 * seconds);
    total += seconds;
  }
  return least;
}

// The config `small`. Each sweep changes some of its sizes.
Config base() { return *std::ranges::find(bench::configs(), "small", &Config::name); }

Config with_T(std::int64_t T) {
  Config config = base();
  config.Tx = config.Ty = T;
  return config;
}
Config with_B(std::int64_t B) {
  Config config = base();
  config.B = B;
  return config;
}
Config with_H(std::int64_t H) {
  Config config = base();
  config.H = config.A = config.E = H;
  return config;
}
Config with_V(std::int64_t V) {
  Config config = base();
  config.V = V;
  return config;
}

bench::Options options_for(const Config& config, int threads) {
  return {.config = config,
          .mode = bench::Mode::train,
          .threads = threads,
          .batch = config.B,
          .steps = 1,
          .warmup = 0,
          .seed = 1};
}

data::Batch batch_of(const Config& config) { return bench::make_batches(config, config.B, 1).front(); }

double train_step_ms(const Options& options, const Config& config, int threads) {
  bench::GradusContender contender(options_for(config, threads));
  const data::Batch batch = batch_of(config);
  return least_ms(options, [&] { contender.train(batch); });
}

// Times only the encoder, forward and backward.
double encoder_ms(const Options& options, const Config& config) {
  set_threads(options.threads);
  const models::Encoder encoder({.vocabulary = config.V, .embedding = config.E, .hidden = config.H});
  const data::Batch batch = batch_of(config);
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});
  const Tensor lengths = tensor(batch.source_lengths, {batch.size});
  return least_ms(options, [&] { sum(encoder.forward(source, lengths).h).backward(); });
}

// Times only the attention, forward and backward: one prepare() and Ty calls of attend().
double attention_ms(const Options& options, const Config& config) {
  set_threads(options.threads);
  Generator generator(1);
  const nn::AdditiveAttention attention(config.H, 2 * config.H, config.A);
  const data::Batch batch = batch_of(config);
  const Tensor lengths = tensor(batch.source_lengths, {batch.size});
  const Tensor values =
      uniform({batch.source_steps, batch.size, 2 * config.H}, -1, 1, generator).set_requires_grad();
  const Tensor queries = uniform({config.Ty, batch.size, config.H}, -1, 1, generator).set_requires_grad();
  return least_ms(options, [&] {
    const nn::Memory memory = attention.prepare(values, lengths);
    std::vector<Tensor> contexts;
    for (std::int64_t t = 0; t < config.Ty; ++t) {
      contexts.push_back(attention.attend(queries[t], memory, t, Tensor()).context);
    }
    sum(stack(contexts)).backward();
  });
}

struct Sweep {
  std::string name;
  std::vector<double> sizes, ms;

  double exponent() const {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double u = std::log(sizes[i]), v = std::log(ms[i]);
      n += 1, x += u, y += v, xx += u * u, xy += u * v;
    }
    return (n * xy - x * y) / (n * xx - x * x);
  }
};

// For each size of the sweep, the shortest time over all rounds.
Sweep sweep(const Options& options, const std::string& name, const std::vector<std::int64_t>& sizes,
            const std::function<double(std::int64_t)>& ms_at) {
  Sweep result{.name = name,
               .sizes = {sizes.begin(), sizes.end()},
               .ms = std::vector<double>(sizes.size(), std::numeric_limits<double>::infinity())};
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      result.ms[i] = std::min(result.ms[i], ms_at(sizes[i]));
    }
  }
  return result;
}

std::vector<Sweep> all_sweeps(const Options& options) {
  const auto step = [&](Config (*with)(std::int64_t)) {
    return
        [&options, with](std::int64_t size) { return train_step_ms(options, with(size), options.threads); };
  };
  Sweep attention = sweep(options, "attention, Tx Ty", {8, 16, 32, 64},
                          [&](std::int64_t T) { return attention_ms(options, with_T(T)); });
  for (double& size : attention.sizes) size *= size;
  return {sweep(options, "encoder, T", {8, 16, 32, 64},
                [&](std::int64_t T) { return encoder_ms(options, with_T(T)); }),
          attention,
          sweep(options, "training step, T", {8, 16, 32, 64}, step(with_T)),
          sweep(options, "training step, B", {8, 16, 32, 64, 128}, step(with_B)),
          sweep(options, "training step, H", {32, 64, 128, 256}, step(with_H)),
          sweep(options, "training step, V", {500, 1000, 2000, 4000, 8000}, step(with_V))};
}

struct ThreadsRow {
  int threads;
  bool busy_neighbour;
  double ms;
};

// Keeps a core busy during the lifetime of the object.
class BusyNeighbour {
 public:
  ~BusyNeighbour() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_{[this] {
    while (!stop_) continue;
  }};
};

std::vector<ThreadsRow> thread_rows(const Options& options) {
  std::vector<std::int64_t> threads;
  for (int n = 1; n <= options.threads; n *= 2) threads.push_back(n);
  std::vector<ThreadsRow> rows;
  for (const bool busy : {false, true}) {
    const auto neighbour = busy ? std::make_unique<BusyNeighbour>() : nullptr;
    const Sweep times = sweep(options, "threads", threads, [&](std::int64_t n) {
      return train_step_ms(options, base(), static_cast<int>(n));
    });
    for (std::size_t i = 0; i < threads.size(); ++i) {
      rows.push_back({static_cast<int>(threads[i]), busy, times.ms[i]});
    }
  }
  return rows;
}

std::string table(const std::vector<Sweep>& sweeps, const std::vector<ThreadsRow>& rows) {
  std::ostringstream text;
  text << std::fixed << std::left << std::setw(20) << "cost against" << std::right << std::setw(10)
       << "exponent"
       << "   size: ms\n";
  for (const Sweep& s : sweeps) {
    text << std::left << std::setw(20) << s.name << std::right << std::setw(10) << std::setprecision(2)
         << s.exponent() << "  ";
    for (std::size_t i = 0; i < s.sizes.size(); ++i) {
      text << std::setprecision(0) << ' ' << s.sizes[i] << ": " << std::setprecision(s.ms[i] < 10 ? 2 : 1)
           << s.ms[i] << (i + 1 < s.sizes.size() ? "," : "\n");
    }
  }
  text << "\nthreads  quiet ms  busy neighbour ms\n";
  for (const ThreadsRow& quiet : rows) {
    if (quiet.busy_neighbour) continue;
    const auto busy = std::ranges::find_if(
        rows, [&](const ThreadsRow& row) { return row.busy_neighbour && row.threads == quiet.threads; });
    text << std::setw(7) << quiet.threads << std::setprecision(2) << std::setw(10) << quiet.ms
         << std::setw(19) << busy->ms << '\n';
  }
  return text.str();
}

std::string json(const std::vector<Sweep>& sweeps, const std::vector<ThreadsRow>& rows) {
  nlohmann::ordered_json document;
  for (const Sweep& s : sweeps) {
    document["sweeps"].push_back(
        {{"name", s.name}, {"exponent", s.exponent()}, {"sizes", s.sizes}, {"ms", s.ms}});
  }
  for (const ThreadsRow& row : rows) {
    document["threads"].push_back(
        {{"threads", row.threads}, {"busy_neighbour", row.busy_neighbour}, {"ms", row.ms}});
  }
  return document.dump() + "\n";
}

// Plots log time against the number of doublings. The slope of a sweep's line shows the sweep's exponent.
std::string picture(const std::vector<Sweep>& sweeps) {
  plot::Curves curves{.title = "How the cost grows",
                      .x_label = "doublings of the size",
                      .y_label = "ms",
                      .series = {},
                      .log_y = true};
  for (const Sweep& s : sweeps) {
    plot::Series series{.name = s.name, .x = {}, .y = s.ms};
    for (const double size : s.sizes) series.x.push_back(std::log2(size / s.sizes.front()));
    curves.series.push_back(series);
  }
  return plot::svg(curves);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("How the cost of the Bahdanau model grows; sizes that are not swept are those of `small`");
  app.option_defaults()->always_capture_default();
  app.add_option("--threads", options.threads,
                 "number of threads for the sweeps, and the maximum that is tried")
      ->check(CLI::Range(1, 256));
  app.add_option("--seconds", options.seconds,
                 "minimum time per point and round; the shortest time of all rounds counts")
      ->check(CLI::Range(0.0, 60.0));
  app.add_option("--rounds", options.rounds, "number of rounds; each measures all points")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", options.out, "folder for the picture");
  app.add_flag("--json", options.json, "one JSON object on one line instead of the table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << error.what() << "; --help lists the options\n";
    return 2;
  }
  try {
    const plot::OutputFolder out(options.out);
    const std::vector<Sweep> sweeps = all_sweeps(options);
    const std::vector<ThreadsRow> rows = thread_rows(options);
    const auto path = out.write("scaling.svg", picture(sweeps));
    std::cout << (options.json ? json(sweeps, rows)
                               : table(sweeps, rows) + "picture: " + path.string() + "\n");
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
