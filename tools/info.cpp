#include <gradus/autograd/checks.hpp>

#include <CLI/CLI.hpp>
#include <iostream>

#include "command.hpp"
#include "description.hpp"

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
  if (const auto settings = metadata.find("settings"); settings != metadata.end()) return settings->second;
  fail("settings", "'", description.path.string(), "' has none; give a checkpoint that gradus train wrote");
}

}  // namespace

int info(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Prints what a checkpoint holds, or any other safetensors file.\n\n"
      "  gradus info run                           # the best checkpoint of a run\n"
      "  gradus info run/last.safetensors\n"
      "  gradus info run --settings > again.toml   # for gradus train --config again.toml",
      "gradus info");
  std::filesystem::path path;
  Part part = Part::all;
  app.add_option("path", path, "a checkpoint, the folder of a run, or another safetensors file")->required();
  auto* const settings = app.add_flag_callback(
      "--settings", [&] { part = Part::settings; }, "its settings alone, as TOML");
  auto* const tensors = app.add_flag_callback(
      "--tensors", [&] { part = Part::tensors; }, "names, dtypes and shapes of its tensors alone");
  auto* const as_json = app.add_flag_callback(
      "--json", [&] { part = Part::json; }, "everything, for programs");
  settings->excludes(tensors)->excludes(as_json);
  tensors->excludes(as_json);
  return run_command(app, argc, argv, [&] {
    std::cout << part_of(describe(path, registry), part);
    return 0;
  });
}

}  // namespace gradus::tools
