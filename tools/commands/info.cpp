#include <gradus/autograd/checks.hpp>

#include <CLI/CLI.hpp>
#include <iostream>

#include "commands/run_command.hpp"
#include "files/output_file.hpp"
#include "files/run_corpus.hpp"
#include "files/saved_model.hpp"
#include "reports/description.hpp"
#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

enum class Part { all, settings, tensors, json };

std::string part_of(const Description& description, Part part) {
  switch (part) {
    case Part::all:
      return text_of(description);
    case Part::tensors:
      return tensors_of(description);
    case Part::json:
      return json_of(description);
    case Part::settings:
      break;
  }
  const auto& metadata = description.file.metadata;
  if (const auto settings = metadata.find("settings"); settings != metadata.end()) {
    return printable(settings->second, "\n\t");
  }
  fail("settings", "'", description.path.string(),
       "' has no settings; give a checkpoint written by gradus train");
}

// Prints one part of the model's corpus in the format of `gradus train --pairs`. For a model trained with
// --swap, `gradus train` and `gradus evaluate` exchange the columns of such a file, so the target is first.
void print_pairs(const std::filesystem::path& path, const models::Registry& registry,
                 const std::string& part) {
  const SavedModel saved = load_saved_model(path, registry);
  const Corpus corpus = read_run_corpus(saved.settings, saved.path);
  for (const auto& [source, target] : part == "train" ? corpus.train
                                      : part == "dev" ? corpus.dev
                                                      : corpus.test) {
    const std::string line = saved.settings.data.swap ? target + '\t' + source : source + '\t' + target;
    std::cout << for_output(line) << '\n';
  }
}

}  // namespace

int info(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Describes a checkpoint or another safetensors file.\n\n"
      "  gradus info run                           # the best checkpoint of a run\n"
      "  gradus info run/last.safetensors\n"
      "  gradus info run --settings > again.toml   # for gradus train --config again.toml",
      "gradus info");
  std::filesystem::path path;
  Part part = Part::all;
  app.add_option("path", path,
                 "the folder of a run of gradus train, a checkpoint, or another safetensors file")
      ->type_name("")
      ->required();
  auto* const settings =
      app.add_flag_callback("--settings", [&] { part = Part::settings; }, "print only its settings, as TOML");
  auto* const tensors = app.add_flag_callback(
      "--tensors", [&] { part = Part::tensors; }, "print only names, dtypes and shapes of its tensors");
  auto* const as_json =
      app.add_flag_callback("--json", [&] { part = Part::json; }, "print everything as JSON");
  std::string pairs;
  auto* const as_pairs = app.add_option("--pairs", pairs,
                                        "print the pairs of one part of its corpus: SOURCE TAB TARGET lines, "
                                        "or TARGET TAB SOURCE lines if "
                                        "it was trained with --swap")
                             ->check(CLI::IsMember({"train", "dev", "test"}));
  settings->excludes(tensors)->excludes(as_json)->excludes(as_pairs);
  tensors->excludes(as_json)->excludes(as_pairs);
  as_json->excludes(as_pairs);
  return run_command(app, argc, argv, [&] {
    if (!pairs.empty()) {
      print_pairs(path, registry, pairs);
      return 0;
    }
    std::cout << part_of(part == Part::tensors ? describe_file(path) : describe(path, registry), part);
    return 0;
  });
}

}  // namespace gradus::tools
