#include <gradus/autograd/checks.hpp>
#include <gradus/compress/bf16.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/compress/pruning.hpp>
#include <gradus/compress/target_tokens.hpp>
#include <gradus/compress/units.hpp>
#include <gradus/message.hpp>
#include <gradus/models/checkpoint.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/run_command.hpp"
#include "files/new_folder.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "files/zeros.hpp"
#include "settings/numbers.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, out;
  bool int8 = false, bf16 = false;
  std::optional<std::int64_t> hidden, target_words;
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
  } catch (const Error&) {  // replaces a message that names only a parameter
    fail("compress", "'", saved.path.string(), "' (decoder '", model.decoder, "', attention '",
         model.attention, "', ", model.layers, model.layers == 1 ? " layer" : " layers",
         model.convolution ? ", a convolution" : "",
         model.readout == models::ReadoutForm::state ? ", readout 'state'" : "",
         ") cannot lose units; --hidden needs --decoder bahdanau, one layer, an encoder in both directions, "
         "an --attention with additive energies (additive, shared_additive, sparsemax, top_k, hard or "
         "gumbel), no --convolution, no --pyramid above 1, and no --readout state");
  }
}

// Rebuilds the model after a change of its settings or vocabularies. Loads `state`, which has the new sizes.
void replace_model(const NamedTensors& state, SavedModel& saved, const models::Registry& registry) {
  saved.model = make_model(saved.settings, saved.sides, registry);
  saved.model->load_state_dict(state);
  for (const auto& [key, text] : metadata_of(saved.settings, saved.sides))
    saved.checkpoint.metadata[key] = text;
}

// Shrinks the model to this number of hidden units.
void keep_units(std::int64_t hidden, SavedModel& saved, const models::Registry& registry) {
  const NamedTensors state = smaller_state(hidden, saved);
  std::cout << "kept " << hidden << " of " << saved.settings.model.hidden << " hidden units\n";
  saved.settings.model.hidden = hidden;
  replace_model(state, saved, registry);
}

// Keeps the most frequent words of the target vocabulary.
void keep_target_words(std::int64_t words, SavedModel& saved, const models::Registry& registry) {
  if (saved.settings.data.shared_vocabulary) {
    fail("compress", "'", saved.path.string(),
         "' was trained with --shared-vocabulary, and its most frequent words include source words; omit "
         "--target-words, or train without --shared-vocabulary");
  }
  data::Vocabulary& vocabulary = saved.sides.target.vocabulary;
  const std::int64_t tokens = data::unk + 1 + words;
  if (tokens >= vocabulary.size()) {
    throw UsageError(message("--target-words ", words, " is not below the model's ",
                             vocabulary.size() - (data::unk + 1), " target words; give fewer"));
  }
  const NamedTensors state = compress::keep_target_tokens(*saved.model, tokens);
  std::cout << "kept " << words << " of " << vocabulary.size() - (data::unk + 1) << " target words\n";
  std::vector<std::string> kept;
  for (std::int64_t id = data::unk + 1; id < tokens; ++id) kept.push_back(vocabulary.token(id));
  vocabulary = data::Vocabulary(std::move(kept));
  replace_model(state, saved, registry);
}

// Sets the smallest weights to 0.
void prune(const Options& options, models::Seq2Seq& model) {
  compress::Pruning pruning(
      model, options.per_matrix ? compress::PruningScope::per_matrix : compress::PruningScope::global);
  pruning.prune(*options.sparsity);
  std::cout << "pruned " << digits(100 * zeros_of(model).fraction, 1) << " % of the weights in matrices\n";
}

// Rounds the weights if --int8 or --bf16 is given, and writes them.
void save(const Options& options, const SavedModel& saved, const fs::path& path) {
  std::set<std::string> int8, bf16;
  if (options.int8) int8 = compress::round_to_int8(*saved.model);
  if (options.int8 || options.bf16) bf16 = compress::round_to_bf16(*saved.model, int8);
  models::Checkpoint checkpoint = weights_alone(saved, "gradus compress");
  checkpoint.metadata["settings"] = text_without_training(saved.settings);
  if (options.sparsity || saved.settings.prune.sparsity > 0) checkpoint.metadata[pruned_key] = "magnitude";
  if (options.int8) checkpoint.metadata[compressed_key] = compressed_int8;
  if (options.bf16) checkpoint.metadata[compressed_key] = compressed_bf16;
  nn::Narrow narrow;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const std::string own = name.substr(std::string_view("model.").size());
    if (int8.contains(own)) narrow.int8.insert(name);
    if (bf16.contains(own)) narrow.bf16.insert(name);
  }
  models::save_checkpoint(path, checkpoint, narrow);
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : checkpoint.tensors) bytes += tensor.numel() * 4;
  std::cout << printable(path.string()) << ": " << fs::file_size(path) << " bytes; the weights in f32 are "
            << bytes << " bytes\n";
}

int run(const Options& options, const models::Registry& registry) {
  if (!options.int8 && !options.bf16 && !options.sparsity && !options.hidden && !options.target_words) {
    throw UsageError(
        "nothing to do; give --int8, --bf16, --prune, --hidden or --target-words, or several of them");
  }
  check_new(options.out);
  SavedModel saved = load_saved_model(options.model, registry);
  if (saved.checkpoint.metadata.contains(compressed_key)) {
    fail("compress", "'", saved.path.string(), "' is compressed already; give the model that was trained");
  }
  const NewFolder folder(options.out);
  if (options.target_words) keep_target_words(*options.target_words, saved, registry);
  if (options.hidden) keep_units(*options.hidden, saved, registry);
  if (options.sparsity) prune(options, *saved.model);
  save(options, saved, folder.path() / run_file::best);
  return 0;
}

}  // namespace

int compress(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Makes a trained model smaller and faster.\n\n"
      "  gradus compress --int8 --model run --out small\n"
      "      writes small/best.safetensors: matrices in int8 with one scale per row, for translate,\n"
      "      evaluate, score, align, serve, export, convert and info; training cannot be resumed from it\n"
      "  gradus compress --bf16 --model run --out half\n"
      "      writes half/best.safetensors: every weight in 16 bits\n"
      "  gradus compress --prune 0.8 --model run --out sparse\n"
      "      sets the 80 % smallest weights to 0; gradus train --init-from sparse --prune 0.8 "
      "--prune-until 1 trains the others\n"
      "  gradus compress --hidden 64 --model run --out narrow\n"
      "      removes whole hidden units; gradus train --init-from narrow trains the smaller model",
      "gradus compress");
  Options options;
  auto* const int8 =
      app.add_flag("--int8", options.int8, "round every weight matrix to 8 bits, and vectors to 16");
  app.add_flag("--bf16", options.bf16,
               "round every weight to 16 bits, which halves the file; products stay f32")
      ->excludes(int8);
  app.add_option(
         "--hidden", options.hidden,
         "keep this many hidden units of the decoder and of each encoder direction, those with the largest "
         "weights; the products get smaller")
      ->type_name("N")
      ->transform(from_1);
  app.add_option("--target-words", options.target_words,
                 "keep only the N most frequent words of the target vocabulary; the others cannot be written")
      ->type_name("N")
      ->transform(from_1);
  auto* const sparsity =
      app.add_option("--prune", options.sparsity,
                     "fraction of the weights in matrices to set to 0, the smallest first; before --int8")
          ->type_name("N")
          ->transform(fraction_inside);
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
