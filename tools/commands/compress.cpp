#include <gradus/autograd/checks.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/plot/output.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <set>
#include <string>

#include "commands/command.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, out;
  bool int8 = false;
};

void check_new(const fs::path& folder) {
  const std::vector<fs::path> taken = run_files(folder);
  if (taken.empty()) return;
  fail("compress", "'", folder.string(), "' already has the file ", taken.front().filename().string(),
       "; choose another --out, or remove the folder");
}

int run(const Options& options, const models::Registry& registry) {
  check_new(options.out);
  SavedModel saved = load_saved_model(options.model, registry);
  if (saved.checkpoint.metadata.contains(compressed_key)) {
    fail("compress", "'", saved.path.string(), "' is compressed already; give the model that was trained");
  }
  const plot::OutputFolder folder(options.out);
  std::set<std::string> names;
  for (const std::string& name : compress::round_to_int8(*saved.model)) names.insert("model." + name);
  models::Checkpoint checkpoint = weights_alone(saved);
  checkpoint.metadata[compressed_key] = "int8";
  const fs::path written = folder.path() / run_file::best;
  models::save_checkpoint(written, checkpoint, names);
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : checkpoint.tensors) bytes += tensor.numel() * 4;
  std::cout << printable(written.string()) << ": " << fs::file_size(written)
            << " bytes; the weights in f32 are " << bytes << " bytes\n";
  return 0;
}

}  // namespace

int compress(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Makes a trained model smaller and faster.\n\n"
      "  gradus compress --int8 --model run --out small\n"
      "      writes small/best.safetensors: matrices in int8 with one scale per row, for translate,\n"
      "      evaluate, score, align and info; training cannot be resumed from it",
      "gradus compress");
  Options options;
  app.add_flag("--int8", options.int8, "round every weight matrix to 8 bits")->required();
  app.add_option("--model", options.model, "the folder of a run of gradus train, or a checkpoint")
      ->type_name("RUN")
      ->required();
  app.add_option("--out", options.out, "folder to write")
      ->type_name("FOLDER")
      ->check(no_standard_output("but the model is binary"))
      ->required();
  return run_command(app, argc, argv, [&] { return run(options, registry); });
}

}  // namespace gradus::tools
