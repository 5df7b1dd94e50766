#include <gradus/autograd/checks.hpp>
#include <gradus/models/checkpoint.hpp>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "check_settings.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "run_file.hpp"
#include "saved_model.hpp"
#include "settings.hpp"
#include "training_run.hpp"

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

A configuration file has the options' names without the dashes, one a line: hidden=256, cell="lstm". Flags win over
it, and it over a preset. The folder of the run keeps the effective one as settings.toml.)";

// What follows an option on the command line, before it is parsed: the options that others take their
// defaults from.
std::optional<std::string> given(int argc, char** argv, std::string_view option) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == option && i + 1 < argc) return argv[i + 1];
    if (argument.starts_with(option) && argument.substr(option.size()).starts_with('=')) {
      return std::string(argument.substr(option.size() + 1));
    }
  }
  return std::nullopt;
}

fs::path last_checkpoint(const fs::path& run) {
  if (!fs::is_directory(run)) return run;
  if (!holds_run(run)) {
    fail("resume", "'", run.string(), "' has no checkpoint to go on from; begin the run anew");
  }
  return run / run_file::last;
}

void check_new(const fs::path& folder) {
  if (holds_run(folder)) {
    fail("train", "'", folder.string(), "' holds a run already; go on with it by --resume ", folder.string(),
         ", give another folder as --out, or let it be replaced by --overwrite");
  }
  if (fs::exists(folder / run_file::best)) {  // converted, or of a run that was killed before its first save
    fail("train", "'", (folder / run_file::best).string(),
         "' is a model; give another folder as --out, or let it be replaced by --overwrite");
  }
}

// The lines of TOML that say what the model is.
std::vector<std::string> model_lines(const models::ModelOptions& model) {
  CLI::App app;
  models::ModelOptions copy = model;
  add_model_options(app, copy);
  std::vector<std::string> lines;
  std::istringstream text(app.config_to_str(true));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

void check_same_model(const models::ModelOptions& before, const models::ModelOptions& now) {
  const std::vector<std::string> was = model_lines(before), is = model_lines(now);
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (was[i] != is[i]) {
      fail("resume", "the run was made with ", was[i], " and cannot go on with ", is[i],
           "; leave the model's options as they are, or begin a new run");
    }
  }
}

}  // namespace

int train(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Trains a model on a task or on pairs of sentences.", "gradus train");
  app.footer(footer);
  std::string preset, resume;
  bool overwrite = false;
  Settings settings = default_settings();
  std::optional<models::Checkpoint> checkpoint;
  models::ModelOptions model_before;
  try {  // read first, since they say the defaults of the others
    if (const auto name = given(argc, argv, "--preset")) settings = preset_settings(*name);
    if (const auto folder = given(argc, argv, "--resume")) {
      const fs::path path = last_checkpoint(*folder);
      checkpoint = models::load_checkpoint(path);
      settings = settings_of(path, checkpoint->metadata);
      model_before = settings.model;
      settings.run.out = path.has_parent_path() ? path.parent_path() : fs::path(".");
    }
  } catch (const std::exception& error) {
    return failed(app, error);
  }
  app.set_config("--config", "", "a file of options")->group("Where the options come from");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_option("--preset", preset, "a model of the papers, and how they train it where they say so")
      ->check(CLI::IsMember(models::preset_names()))
      ->group("Where the options come from")
      ->configurable(false);
  app.add_option("--resume", resume, "a run to go on with, and its options")
      ->type_name("FOLDER")
      ->group("Where the options come from")
      ->configurable(false);
  add_options(app, settings);
  allow_only(app, registry);
  const std::string optimiser = settings.trainer.optimiser;
  app.add_flag("--overwrite", overwrite, "replace the run in the folder")
      ->group("The run")
      ->configurable(false);
  app.final_callback([&, own_folder = settings.run.out] {
    if (!checkpoint || settings.run.out == own_folder) return;
    throw CLI::ValidationError(
        "--out", "a run goes on in its own folder; leave it away, or resume a copy of the folder");
  });
  return run_command(app, argc, argv, [&] {
    check_settings(settings);
    if (settings.trainer.optimiser != optimiser && app.count("--learning-rate") == 0) {
      settings.run.learning_rate = 0;  // the present one is another optimiser's
    }
    if (!checkpoint && !overwrite) check_new(settings.run.out);
    if (checkpoint) check_same_model(model_before, settings.model);
    TrainingRun training(settings, checkpoint ? &*checkpoint : nullptr, registry);
    if (checkpoint) {
      for (const std::string& difference : models::check_reproducible(checkpoint->metadata)) {
        std::cerr << "note: not bit for bit as if never stopped: " << difference << '\n';
      }
    }
    checkpoint.reset();
    const Interrupt interrupt;
    std::cout << training.introduction() << std::flush;
    const bool ended = training.train([&] { return interrupt.requested(); });
    std::cout << training.summary();
    return ended ? 0 : 1;
  });
}

}  // namespace gradus::tools
