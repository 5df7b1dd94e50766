#include <gradus/autograd/checks.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/nn/safetensors.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/run_command.hpp"
#include "files/new_folder.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/program.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, to, from, out, vocabulary_out;
};

// The names and contents of the files that --vocabulary-out writes.
std::map<std::string, std::string> vocabulary_files(const Sides& sides) {
  std::map<std::string, std::string> files;
  for (const auto& [name, side] :
       {std::pair{std::string("source"), &sides.source}, {std::string("target"), &sides.target}}) {
    files[name + ".vocabulary.txt"] = side->vocabulary.to_text();
    if (const auto& pieces = side->tokeniser.sentence_piece()) files[name + ".model"] = pieces->bytes();
    if (const auto& bpe = side->tokeniser.bpe()) files[name + ".bpe.txt"] = bpe->to_text();
  }
  return files;
}

// Loads weights under PyTorch's names. Refuses a checkpoint of gradus, whose tensors have other names.
void load_weights(SavedModel& saved, const fs::path& path) {
  const nn::Safetensors file = nn::load_safetensors(path);
  if (models::is_checkpoint(file.metadata)) {
    fail("--from", "'", path.string(),
         "' is a checkpoint, not a file of weights; convert it first: ", program(), " convert --model ",
         path.string(), " --to FILE");
  }
  saved.model->load_state_dict(file.tensors, "'" + path.string() + "'");
  check_finite(path, *saved.model);
}

int run(const Options& options, const models::Registry& registry) {
  check_distinct(std::array{Output{"--to", options.to}, Output{"--out", options.out},
                            Output{"--vocabulary-out", options.vocabulary_out}});
  const std::array read{checkpoint_of(options.model), options.from};
  SavedModel saved = load_saved_model(options.model, registry);
  std::optional<NewFolder> folder;
  std::map<std::string, std::string> vocabulary;
  std::vector<Output> outputs{{"--to", options.to}, {"--out", options.out}};
  if (!options.vocabulary_out.empty()) {
    folder.emplace(options.vocabulary_out);
    vocabulary = vocabulary_files(saved.sides);
    for (const auto& [name, text] : vocabulary)
      outputs.push_back({"--vocabulary-out", options.vocabulary_out / name});
  }
  check_distinct(outputs);
  for (const Output& output : outputs) check_output(output.option, output.file, read);
  if (!options.from.empty()) {
    load_weights(saved, options.from);
    models::Checkpoint checkpoint = weights_alone(saved, "gradus convert");
    checkpoint.metadata.erase(compressed_key);
    models::save_checkpoint(options.out, checkpoint);
  }
  if (!options.to.empty()) nn::save(*saved.model, options.to, {{"format", "pt"}});
  if (!options.vocabulary_out.empty()) {
    for (const auto& [name, text] : vocabulary) folder->write(name, text);
  }
  return 0;
}

}  // namespace

int convert(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Exchanges weights with PyTorch, as safetensors files.\n\n"
      "  gradus convert --model run --to weights.safetensors\n"
      "      writes only the weights, with PyTorch's names, for safetensors.torch.load_file\n"
      "  gradus convert --model run --from weights.safetensors --out new.safetensors\n"
      "      writes a checkpoint with these weights and the settings and vocabularies of run, for\n"
      "      translate, evaluate and align; training cannot be resumed from it\n"
      "  gradus convert --model run --vocabulary-out folder\n"
      "      writes the vocabularies (the first line has id 4) and byte-pair encodings in subword-nmt's "
      "format",
      "gradus convert");
  Options options;
  app.add_option("--model", options.model, "the folder of a run of gradus train, or a checkpoint")
      ->type_name("RUN")
      ->required();
  const auto binary = no_standard_output("but weights are binary");
  auto* const to =
      app.add_option("--to", options.to, "weights file to write")->type_name("FILE")->check(binary);
  auto* const from =
      app.add_option("--from", options.from, "weights file to read; must hold exactly the model's weights")
          ->type_name("FILE");
  auto* const out =
      app.add_option("--out", options.out, "checkpoint to write")->type_name("FILE")->check(binary);
  app.add_option("--vocabulary-out", options.vocabulary_out, "folder for vocabularies, as text")
      ->type_name("FOLDER")
      ->check(no_standard_output("but several files are written"));
  from->needs(out)->excludes(to);
  out->needs(from);
  app.callback([&] {
    if (options.to.empty() && options.from.empty() && options.vocabulary_out.empty()) {
      throw CLI::ValidationError("nothing to convert; give --to, --from with --out, or --vocabulary-out");
    }
  });
  return run_command(app, argc, argv, [&] { return run(options, registry); });
}

}  // namespace gradus::tools
