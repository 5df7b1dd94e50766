#include "program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "report.hpp"

namespace bench {
namespace {

constexpr auto footer = R"(
configuration          V     E     H     A    B   Tx   Ty    steps  warm-up
{}
The model is that of tutorial 10: one-layer GRUs, a bidirectional encoder, logits from [s; c; y]. d2l-exact and paper-exact
are the models of `gradus train --preset d2l` (two layers, dropout 0.1) and `--preset bahdanau` (the GRU of the paper, a maxout
of 500).

Steps cycle through eight seeded batches. Source lengths are uniform in [Tx/2, Tx], target lengths (with EOS) in [Ty/2, Ty].
train: clear gradients, loss over real tokens, backward, clip to 1.0, Adam. decode: greedy, Ty tokens for every sentence.

--json prints one object on one line; values that the mode does not define are null:
  ms_per_step, ms_min             median and minimum time of a step
  target_tokens_per_s             median; real target tokens in training, written tokens in decoding
  gflops                          median; multiply-adds of real tokens only, two operations each
  sgemm_peak_gflops               the best rate among products of 1024³ and of the model's sizes, measured before and after
                                  the steps in a separate process, on the same number of threads
  percent_of_sgemm_peak           100 gflops / sgemm_peak_gflops
  peak_rss_mb                     peak resident memory, in 10⁶ bytes
  dropout                         dropout probability in training
  precision                       that of the inputs of matrix products
  loss_first, loss_final          that of the first step, warm-up included, and of the last; nats per token
  tokens_checksum                 hash of the tokens that the first step wrote
  buffers_allocated_after_first   tensor allocations from the system after the first step
  buffers_allocated_after_warmup  and in the timed steps
)";

std::string footer_text() {
  std::ostringstream rows;
  for (const Config& c : configs()) {
    rows << "  " << std::left << std::setw(16) << c.name << std::right;
    for (const std::int64_t size : {c.V, c.E, c.H, c.A}) rows << std::setw(6) << size;
    for (const std::int64_t size : {c.B, c.Tx, c.Ty}) rows << std::setw(5) << size;
    rows << std::setw(9) << c.steps << std::setw(9) << c.warmup << '\n';
  }
  std::string text = footer;
  return text.replace(text.find("{}"), 2, rows.str());
}

struct CommandLine {
  Options options;
  bool json = false;
  bool peak_only = false;
};

// Reads argv into `line`. If the program should end now, returns its exit code.
std::optional<int> parse(int argc, char** argv, const Program& program, CommandLine& line) {
  CLI::App app(program.description);
  app.footer(footer_text());
  std::vector<std::string> names;
  for (const Config& config : configs()) names.push_back(config.name);
  std::string config = "tiny", mode = "train", precision = "f32";
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::int64_t batch = 0, steps = 0, warmup = 0;
  std::uint64_t seed = 1;
  app.add_option("--config", config, "sizes, see below")->check(CLI::IsMember(names))->capture_default_str();
  app.add_option("--mode", mode, "kind of step, see below")
      ->check(CLI::IsMember({"train", "decode"}))
      ->capture_default_str();
  app.add_option("--threads", threads, "number of threads")->check(CLI::Range(1, 256))->capture_default_str();
  auto* batch_option = app.add_option("--batch", batch, "sentences per batch [the configuration's]")
                           ->check(CLI::Range(1, 100000));
  auto* steps_option =
      app.add_option("--steps", steps, "steps to time [the configuration's]")->check(CLI::Range(1, 1000000));
  auto* warmup_option = app.add_option("--warmup", warmup, "untimed steps before them [the configuration's]")
                            ->check(CLI::Range(0, 1000000));
  bool no_dropout = false;
  app.add_flag("--no-dropout", no_dropout, "train without the configuration's dropout");
  app.add_option("--precision", precision,
                 "precision of the inputs of matrix products; everything else is f32")
      ->check(CLI::IsMember(program.precisions))
      ->capture_default_str();
  app.add_option("--seed", seed, "seed of the weights and the batches")->capture_default_str();
  app.add_flag("--json", line.json, "one JSON object on one line");
  if (program.sgemm_peak) {
    app.add_flag("--peak", line.peak_only, "print only the peak rate of matrix products, in GFLOP/s");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << error.what() << "; --help lists the options\n";
    return 2;
  }
  Config chosen = *std::ranges::find(configs(), config, &Config::name);
  if (no_dropout) chosen.dropout = 0;
  line.options = {.config = chosen,
                  .mode = mode == "train" ? Mode::train : Mode::decode,
                  .threads = threads,
                  .batch = batch_option->count() > 0 ? batch : chosen.B,
                  .steps = steps_option->count() > 0 ? steps : chosen.steps,
                  .warmup = warmup_option->count() > 0 ? warmup : chosen.warmup,
                  .seed = seed,
                  .precision = static_cast<Precision>(std::ranges::find(precision_names, precision) -
                                                      precision_names.begin())};
  if (line.options.precision == Precision::int8 && line.options.mode == Mode::train) {
    std::cerr << app.get_name() << ": int8 is for decoding; add --mode decode, or train in bf16\n";
    return 2;
  }
  return std::nullopt;
}

// Runs this program again, with --peak, in a child process.
double peak_of_child(const Options& options) {
  std::ostringstream command;
  command << '\'' << std::filesystem::read_symlink("/proc/self/exe").string() << "' --peak --config "
          << options.config.name << " --batch " << options.batch << " --threads " << options.threads;
  FILE* pipe = popen(command.str().c_str(), "r");
  double peak = 0;
  const bool read = pipe && std::fscanf(pipe, "%lf", &peak) == 1;
  if (!pipe || pclose(pipe) != 0 || !read)
    throw std::runtime_error("could not measure the peak: " + command.str());
  return peak;
}

void measure_and_report(const Program& program, const CommandLine& line) {
  std::optional<double> peak;
  if (program.sgemm_peak) peak = peak_of_child(line.options);
  Measurement measurement{};
  {
    const auto contender = program.make(line.options);
    measurement = measure(*contender, line.options);
  }
  if (peak) peak = std::max(*peak, peak_of_child(line.options));
  const Report report{program.name, line.options, measurement, peak};
  std::cout << (line.json ? json(report) : table(report));
}

}  // namespace

int run(int argc, char** argv, const Program& program) {
  CommandLine line{};
  try {
    if (const auto code = parse(argc, argv, program, line)) return *code;
    if (line.peak_only) {
      std::cout << program.sgemm_peak(line.options) << '\n';
    } else {
      measure_and_report(program, line);
    }
  } catch (const std::exception& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace bench
