// bench_options: measures how options of `gradus train` change the speed of a training step, relative to a
// run without options. The command's own code parses the options, builds the model and trains it. Every round
// measures each set of options in turn, so that other load on the machine affects them equally. The result
// uses only the fastest step on each batch.

#include "settings/options.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "settings/settings.hpp"
#include "workload.hpp"

namespace {

using namespace gradus;

struct Row {
  std::string preset, options;

  std::string command_line() const {
    if (preset.empty()) return options;
    return "--preset " + preset + (options.empty() ? "" : " " + options);
  }
};

// The options to measure: {preset, options}. The first row has no preset and no options.
const std::vector<Row> rows = {{"", ""},
                               {"", "--dropout 0.3"},
                               {"", "--layers 2"},
                               {"", "--cell original-gru"},
                               {"", "--readout maxout"},
                               {"", "--cell original-gru --readout maxout-earlier"},
                               {"", "--cell lstm"},
                               {"", "--attention dot"},
                               {"", "--attention scaled_dot"},
                               {"", "--label-smoothing 0.1"},
                               {"bahdanau", ""},
                               {"d2l", ""}};

// The sizes of all rows, including the presets. --energy and --maxout have the command's defaults.
constexpr auto sizes = "--embedding 32 --hidden 64 --energy 128 --maxout 64 --batch 64";

struct Options {
  int threads = gradus::threads();
  int rounds = 20;
  bool json = false;
};

// The model of one row, during training.
class Run {
 public:
  explicit Run(const Row& row) : row_(row) {
    tools::Settings settings = tools::preset_settings(row.preset);
    CLI::App app;
    tools::add_options(app, settings);
    app.parse(row.options + " " + sizes);
    const bench::Config& config = *std::ranges::find(bench::configs(), "tiny", &bench::Config::name);
    batches_ = bench::make_batches(config, settings.batches.sentences, 1);
    least_.assign(batches_.size(), std::numeric_limits<double>::infinity());
    gradus::seed(1);
    model_ = models::make_model(settings.model, {.source = config.V, .target = config.V});
    settings.trainer.steps = 1'000'000'000;
    if (settings.run.learning_rate > 0) settings.trainer.learning_rate = settings.run.learning_rate;
    const auto next = [this] { return batches_[next_]; };
    trainer_ =
        std::make_unique<models::Trainer>(*model_, models::BatchStream{.next = next}, settings.trainer);
  }

  const Row& row() const { return row_; }

  // Cycles three times through the batches. The first cycle warms the caches; the other two are timed.
  void measure() {
    for (int cycle = 0; cycle < 3; ++cycle) {
      for (next_ = 0; next_ < batches_.size(); ++next_) {
        const auto start = std::chrono::steady_clock::now();
        trainer_->step();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (cycle > 0) least_[next_] = std::min(least_[next_], seconds.count());
      }
    }
  }

  // The number of elements of all weight matrices except embeddings. A step's work is roughly proportional
  // to this number: the step uses each element for every source or target token, forward and backward.
  double matrix_elements() const {
    double elements = 0;
    for (const auto& [name, parameter] : model_->named_parameters()) {
      if (parameter.rank() == 2 && name.find("embedding") == name.npos) {
        elements += static_cast<double>(parameter.numel());
      }
    }
    return elements;
  }

  // Target tokens per second, from the fastest step on each batch.
  double tokens_per_s() const {
    std::int64_t tokens = 0;
    for (const data::Batch& batch : batches_) tokens += batch.target_tokens();
    return static_cast<double>(tokens) / std::accumulate(least_.begin(), least_.end(), 0.0);
  }

 private:
  Row row_;
  std::vector<data::Batch> batches_;
  std::size_t next_ = 0;
  std::unique_ptr<models::Seq2Seq> model_;
  std::unique_ptr<models::Trainer> trainer_;
  std::vector<double> least_;  // seconds of the fastest step on each batch
};

std::vector<std::unique_ptr<Run>> measured(const Options& options) {
  set_threads(options.threads);
  std::vector<std::unique_ptr<Run>> runs;
  for (const Row& row : rows) runs.push_back(std::make_unique<Run>(row));
  for (int round = 0; round < options.rounds; ++round) {
    for (const auto& run : runs) run->measure();
  }
  return runs;
}

std::string json(const Options& options, const std::vector<std::unique_ptr<Run>>& runs) {
  nlohmann::ordered_json document{{"sizes", sizes}, {"threads", options.threads}};
  for (const auto& run : runs) {
    document["rows"].push_back({{"options", run->row().command_line()},
                                {"target_tokens_per_s", run->tokens_per_s()},
                                {"ratio", run->tokens_per_s() / runs.front()->tokens_per_s()},
                                {"weights", run->matrix_elements() / runs.front()->matrix_elements()}});
  }
  return document.dump() + "\n";
}

std::string table(const std::vector<std::unique_ptr<Run>>& runs) {
  std::ostringstream text;
  text << std::left << std::setw(46) << "options" << std::right << std::setw(16) << "target tokens/s"
       << std::setw(8) << "ratio" << std::setw(9) << "weights" << '\n';
  for (const auto& run : runs) {
    const std::string options = run->row().command_line();
    text << std::left << std::setw(46) << (options.empty() ? "none" : options) << std::right << std::fixed
         << std::setprecision(0) << std::setw(16) << run->tokens_per_s() << std::setprecision(2)
         << std::setw(8) << run->tokens_per_s() / runs.front()->tokens_per_s() << std::setw(9)
         << run->matrix_elements() / runs.front()->matrix_elements() << '\n';
  }
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "The speed of a training step under options of gradus train, relative to a run without options");
  app.footer(std::string("\nEvery row has ") + sizes +
             "\nand trains on the batches of bench_bahdanau's tiny, which are like those of --task reverse.\n"
             "weights: the elements of the weight matrices, relative to the run without options; more "
             "elements mean more work.");
  app.option_defaults()->always_capture_default();
  app.add_option("--threads", options.threads, "number of threads")->check(CLI::Range(1, 256));
  app.add_option("--rounds", options.rounds,
                 "number of rounds; each measures all rows, and the fastest step on each batch counts")
      ->check(CLI::Range(1, 1000));
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
    const auto runs = measured(options);
    std::cout << (options.json ? json(options, runs) : table(runs));
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
