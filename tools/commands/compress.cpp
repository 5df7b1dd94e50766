#include <gradus/autograd/checks.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/compress/pruning.hpp>
#include <gradus/compress/units.hpp>
#include <gradus/message.hpp>
#include <gradus/models/checkpoint.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include "commands/command.hpp"
#include "files/new_folder.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/numbers.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, out;
  bool int8 = false;
  std::optional<std::int64_t> hidden;
  std::optional<double> sparsity;
  bool per_matrix = false;
};

void check_new(const fs::path& folder) {
  const std::vector<fs::path> taken = run_files(folder);
  if (taken.empty()) return;
  fail("compress", "'", folder.string(), "' already has the file ", taken.front().filename().string(),
       "; choose another --out, or remove the folder");
}

NamedTensors smaller_state(std::int64_t hidden, const SavedModel& saved) {
  const models::ModelOptions& model = saved.settings.model;
  if (hidden >= model.hidden) {
    throw UsageError(message("--hidden ", hidden, " is not below the model's ", model.hidden,
                             " hidden units; give fewer"));
  }
  try {
    return compress::keep_units(*saved.model, hidden);
  } catch (const Error&) {  // names a parameter that has no known layout
    fail("compress", "'", saved.path.string(), "' (decoder '", model.decoder, "', attention '",
         model.attention, "', ", model.layers, model.layers == 1 ? " layer" : " layers",
         ") cannot lose units; --hidden needs --decoder bahdanau, an additive --attention, --layers 1 and an "
         "encoder in both directions");
  }
}

// Keeps this number of hidden units, in a smaller model.
void keep_units(std::int64_t hidden, SavedModel& saved, const models::Registry& registry) {
  const NamedTensors state = smaller_state(hidden, saved);
  saved.settings.model.hidden = hidden;
  saved.model = make_model(saved.settings, saved.sides, registry);
  saved.model->load_state_dict(state);
  saved.checkpoint.metadata["settings"] = metadata_of(saved.settings, saved.sides)["settings"];
}

// Sets the smallest weights to 0.
void prune(const Options& options, models::Seq2Seq& model) {
  compress::Pruning pruning(
      model, options.per_matrix ? compress::PruningScope::per_matrix : compress::PruningScope::global);
  pruning.prune(*options.sparsity);
  std::cout << "pruned " << digits(100 * pruning.sparsity(), 1) << " % of the weights in matrices\n";
}

int run(const Options& options, const models::Registry& registry) {
  if (!options.int8 && !options.sparsity && !options.hidden) {
    throw UsageError("nothing to do; give --int8, --prune or --hidden, or several of them");
  }
  check_new(options.out);
  SavedModel saved = load_saved_model(options.model, registry);
  if (saved.checkpoint.metadata.contains(compressed_key)) {
    fail("compress", "'", saved.path.string(), "' is compressed already; give the model that was trained");
  }
  const NewFolder folder(options.out);
  if (options.hidden) keep_units(*options.hidden, saved, registry);
  if (options.sparsity) prune(options, *saved.model);
  std::set<std::string> names;  // of the tensors in int8
  if (options.int8) {
    for (const std::string& name : compress::round_to_int8(*saved.model)) names.insert("model." + name);
  }
  models::Checkpoint checkpoint = weights_alone(saved, "gradus compress");
  if (options.int8) checkpoint.metadata[compressed_key] = "int8";
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
      "      evaluate, score, align and info; training cannot be resumed from it\n"
      "  gradus compress --prune 0.8 --model run --out sparse\n"
      "      sets the 80 % smallest weights to 0; gradus train --init-from sparse --prune 0.8 trains the "
      "others\n"
      "  gradus compress --hidden 64 --model run --out narrow\n"
      "      removes whole hidden units; gradus train --init-from narrow trains the smaller model",
      "gradus compress");
  Options options;
  app.add_flag("--int8", options.int8, "round every weight matrix to 8 bits");
  app.add_option(
         "--hidden", options.hidden,
         "keep this many hidden units of the decoder and of each encoder direction, those with the largest "
         "weights; the products get smaller")
      ->type_name("N")
      ->transform(from_1);
  auto* const sparsity =
      app.add_option("--prune", options.sparsity,
                     "fraction of the weights in matrices to set to 0, the smallest first; before --int8")
          ->type_name("N")
          ->transform(fraction_above_0);
  app.add_flag("--per-matrix", options.per_matrix, "prune the same fraction of each matrix")->needs(sparsity);
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
