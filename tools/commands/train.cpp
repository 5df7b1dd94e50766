// Most options of the command are in settings/*_options.cpp.

#include <gradus/autograd/checks.hpp>
#include <gradus/distributed/mpi.hpp>
#include <gradus/message.hpp>
#include <gradus/models/checkpoint.hpp>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/run_command.hpp"
#include "files/file_type.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/changed_options.hpp"
#include "settings/check_settings.hpp"
#include "settings/options.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/settings.hpp"
#include "settings/settings_effects.hpp"
#include "settings/toml.hpp"
#include "settings/usage_error.hpp"
#include "training/interrupt.hpp"
#include "training/one_run.hpp"
#include "training/only_first.hpp"
#include "training/training_run.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

constexpr auto footer = R"(
Examples:
  gradus train --phrases eng-fra --steps 1500 --out out/phrases
  gradus train --pairs fra.txt --min-count 2 --cell lstm --out out/french
  gradus train --task reverse --attention scaled_dot --out out/reverse
  gradus train --source train.en --target train.fr --dev-source dev.en --dev-target dev.fr --bpe 8000 --out out/bpe
  gradus train --resume out/french --steps 10000

A text may be compressed by gzip, or a pipe: --source <(…). The name - stands for standard input.

Training ends after --steps updates or --epochs passes, or earlier by --patience. Every --eval-every steps it measures
--metric on the dev text. The run's folder keeps two checkpoints: best.safetensors, with the best --metric, which the other
commands use; and last.safetensors, from which --resume continues. --average adds the mean of the newest checkpoints, which
need not be the best ones: if --patience ends training, the best model is --patience evaluations old. The schedules linear,
cosine and exponential spread over all --steps or --epochs, so that after an early end the rate has not fallen to
--final-factor; constant and plateau do not depend on the length.

A configuration file lists options without the dashes, one per line: hidden=256, cell="lstm". Flags override the file,
and the file overrides a preset. The run's folder keeps the effective options as settings.toml. On the command line, an option
that has no effect with the others is an error. In the file, it is only named, so that several models can share the file.)";

// The option's value on the command line, read before parsing, because --preset, --resume and --init-from set
// the defaults of other options. std::nullopt if the option is missing, or if it has no value or an empty
// one.
std::optional<std::string> given(int argc, char** argv, std::string_view option) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == option && i + 1 < argc && argv[i + 1][0] != '\0') return argv[i + 1];
    if (argument.starts_with(option) && argument.substr(option.size()).starts_with('=')) {
      if (argument.size() > option.size() + 1) return std::string(argument.substr(option.size() + 1));
    }
  }
  return std::nullopt;
}

// The value of --init-from, from the command line or the configuration file. Faults of the file are reported
// later, when it is parsed.
std::optional<std::string> initial_model(int argc, char** argv) {
  if (auto model = given(argc, argv, "--init-from")) return model;
  const auto file = given(argc, argv, "--config");
  std::error_code ignored;
  if (!file || !fs::is_regular_file(*file, ignored)) return std::nullopt;  // a pipe can be read only once
  try {
    std::ifstream in(*file);
    for (const CLI::ConfigItem& item : Toml().from_config(in)) {
      if (item.name == "init-from" && item.inputs.size() == 1 && !item.inputs[0].empty())
        return item.inputs[0];
    }
  } catch (const CLI::Error&) {
  }
  return std::nullopt;
}

fs::path last_checkpoint(const fs::path& run) {
  if (!is_folder(run)) return checkpoint_of(run);
  if (!holds_run(run)) {
    if (const fs::path best = run / run_file::best; is_there(best)) {  // throws if it has no training state
      check_resumable(best, models::load_checkpoint(best));
    }
    fail("resume", "'", run.string(), "' has no checkpoint to resume from; start a new run without --resume");
  }
  return last_checkpoint_of(run);
}

// "a, b"
std::string names_of(const std::vector<fs::path>& files) {
  std::string names;
  for (const fs::path& path : files) names.append(names.empty() ? "" : ", ").append(path.filename().string());
  return names;
}

// Refuses to replace a run or a model without --overwrite. Never replaces a file that no run has written.
void check_new(const fs::path& folder, bool overwrite) {
  if (const std::vector<fs::path> foreign = foreign_files(folder); !foreign.empty()) {
    fail("train", "'", folder.string(),
         "' holds files of no run that training would overwrite: ", names_of(foreign),
         "; choose another --out, or move them");
  }
  if (overwrite) return;
  if (holds_run(folder)) {
    fail("train", "'", folder.string(), "' already holds a run; resume it with --resume ", folder.string(),
         ", choose another --out, or replace it with --overwrite");
  }
  // A model in a folder without a run was written by gradus compress, gradus convert or a killed run.
  if (is_there(folder / run_file::best)) {
    fail("train", "'", (folder / run_file::best).string(),
         "' is a model; choose another --out, or replace it with --overwrite");
  }
}

// Makes --steps or --epochs on the command line override both options of a configuration file or a resumed
// run. Epochs above 0 override the steps, so only --steps needs code: it sets the epochs to 0.
void choose_length(Settings& settings, bool steps, bool epochs) {
  if (steps && epochs) throw UsageError("--steps and --epochs are alternatives; give only one of them");
  if (steps) settings.run.epochs = 0;
}

void check_same_model(const models::ModelOptions& before, const models::ModelOptions& now) {
  for (const auto& [was, is] : changed_options(before, now)) {
    fail("resume", "the run was started with ", was, " and cannot be resumed with ", is,
         "; omit the model options, or start a new run");
  }
}

void check_same_embeddings(const RunSettings& before, const RunSettings& now) {
  const auto check = [](const char* option, const auto& was, const auto& is) {
    if (was == is) return;
    fail("resume", "the run's embeddings are in its checkpoint, so ", option,
         " cannot change; omit it, or start a new run");
  };
  check("--source-embeddings", before.source_embeddings, now.source_embeddings);
  check("--target-embeddings", before.target_embeddings, now.target_embeddings);
  check("--freeze-embeddings", before.freeze_embeddings, now.freeze_embeddings);
}

// Refuses --shards that cannot be divided evenly among the processes. Must be called before MPI starts, so
// that every process reports the same error.
void check_divides(std::int64_t shards, std::int64_t processes) {
  if (shards % processes == 0) return;
  throw UsageError(message("--shards ", shards, " cannot be divided evenly among ", processes,
                           " processes; give --shards N, a power of two and a multiple of their number"));
}

// The seconds after which a silent process counts as lost, from $GRADUS_JOB_TIMEOUT.
std::int64_t seconds_of_silence() {
  const char* const text = std::getenv("GRADUS_JOB_TIMEOUT");
  std::int64_t seconds = distributed::Watch().seconds;
  if (text != nullptr && (read_number(text, seconds) != std::errc() || seconds < 2)) {
    throw UsageError(
        message("GRADUS_JOB_TIMEOUT must be a number of seconds, at least 2, and is '", text, "'"));
  }
  return seconds;
}

// A run and its processes. The communicator's thread may call TrainingRun::way_on(), so the run must outlive
// the communicator.
struct Job {
  std::unique_ptr<TrainingRun> training;
  std::atomic<const TrainingRun*> started = nullptr;
  std::optional<Interrupt> interrupt;
  std::unique_ptr<distributed::Communicator> processes;
  bool ended = false;  // all processes have reached the end

  void connect() {
    processes = distributed::connect({.seconds = seconds_of_silence(),
                                      .ending = [this] { return interrupt && interrupt->requested(); },
                                      .way_on =
                                          [this] {
                                            const TrainingRun* const run = started;
                                            return run == nullptr ? std::string() : run->way_on();
                                          }});
  }
};

int train_in_job(int argc, char** argv, const models::Registry& registry, Job& job) {
  CLI::App app("Trains a model on a task, phrases, text or recordings.", "gradus train");
  app.footer(footer);
  std::string preset, resume;
  bool overwrite = false;
  Settings settings = default_settings();
  std::optional<models::Checkpoint> checkpoint;
  fs::path resumed;  // the path of the checkpoint
  Settings before;
  try {  // --preset, --resume and --init-from come first: they set the defaults of other options
    if (const auto name = given(argc, argv, "--preset")) settings = preset_settings(*name);
    if (const auto folder = given(argc, argv, "--resume")) {
      resumed = last_checkpoint(*folder);
      checkpoint = models::load_checkpoint(resumed);
      settings = saved_model_of(resumed, *checkpoint, registry).settings;
      check_resumable(resumed, *checkpoint);
      before = settings;
      settings.run.out = resumed.has_parent_path() ? resumed.parent_path() : fs::path(".");
    } else if (const auto model = initial_model(argc, argv)) {
      const fs::path path = checkpoint_of(*model);
      const models::Checkpoint initial = models::load_checkpoint(path);
      const Settings theirs = origin_of(path, initial.tensors, initial.metadata, registry).settings;
      settings.data = theirs.data;
      settings.model = theirs.model;
      settings.batches = theirs.batches;
    }
  } catch (const std::exception& error) {
    return failed(app, error);
  }
  app.set_config("--config", "", "configuration file")->type_name("FILE")->group("Option sources");
  app.config_formatter(std::make_shared<Toml>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  auto* const of_paper =
      app.add_option("--preset", preset, "a paper's model, with its training settings where published")
          ->check(CLI::IsMember(models::preset_names()))
          ->group("Option sources")
          ->configurable(false);
  app.add_option("--resume", resume, "resume this run with its options")
      ->type_name("FOLDER")
      ->group("Option sources")
      ->configurable(false)
      ->excludes(of_paper);
  add_options(app, settings);
  allow_only(app, registry);
  const std::string optimiser = settings.trainer.optimiser;
  app.add_flag("--overwrite", overwrite, "replace the run in the folder")->group("Run")->configurable(false);
  app.final_callback([&, own_folder = settings.run.out] {
    if (!checkpoint || settings.run.out == own_folder) return;
    throw CLI::ValidationError("--out",
                               "a resumed run keeps its folder; omit --out, or resume a copy of the folder");
  });
  return run_command(app, argc, argv, [&] {
    if (!preset.empty() && !settings.run.init_from.empty()) {
      throw UsageError("--preset cannot be combined with --init-from; omit one of them");
    }
    choose_length(settings, given(argc, argv, "--steps").has_value(),
                  given(argc, argv, "--epochs").has_value());
    check_settings(settings, registry, checkpoint.has_value());
    check_effects({app, argc, argv}, settings_effects(settings, registry, checkpoint.has_value()));
    if (settings.trainer.optimiser != optimiser && app.count("--learning-rate") == 0) {
      settings.run.learning_rate = 0;  // the current rate belongs to another optimiser; 0 selects the default
    }
    check_divides(settings.trainer.shards, distributed::launched().size);
    job.connect();
    if (!checkpoint && job.processes->rank() == 0) check_new(settings.run.out, overwrite);
    std::string settings_note;
    if (checkpoint) {
      check_same_model(before.model, settings.model);
      check_same_embeddings(before.run, settings.run);
      check_one_run(resumed, *checkpoint);
      settings_note = note_of_settings(settings.run.out, settings.model);
    }
    job.training = std::make_unique<TrainingRun>(settings, checkpoint ? &*checkpoint : nullptr, registry,
                                                 job.processes.get());
    TrainingRun& training = *job.training;
    job.started = &training;
    if (checkpoint) {
      for (const std::string& difference : models::check_reproducible(checkpoint->metadata)) {
        std::cerr << "note: this resumed run will not be bit-identical: " << printable(difference) << '\n';
      }
    }
    if (!settings_note.empty()) std::cerr << "note: " << printable(settings_note) << '\n';
    for (const std::string& note : training.notes()) std::cerr << "note: " << printable(note) << '\n';
    checkpoint.reset();
    const Interrupt& interrupt = job.interrupt.emplace();
    std::cout << printable(training.introduction(), "\n") << std::flush;
    const bool finished = training.train([&] { return interrupt.requested(); });
    std::cout << printable(training.summary(), "\n");
    job.ended = true;
    return finished ? 0 : 1;
  });
}

}  // namespace

int train(int argc, char** argv, const models::Registry& registry) {
  const OnlyFirst only_first(distributed::launched().rank);
  Job job;
  const int code = train_in_job(argc, argv, registry, job);
  if (code != 0 && !job.ended) {
    only_first.report();
    distributed::abort_job(code);
  }
  return code;
}

}  // namespace gradus::tools
