#include <gradus/autograd/checks.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/nn/safetensors.hpp>
#include <gradus/plot/output.hpp>

#include <CLI/CLI.hpp>
#include <array>

#include "command.hpp"
#include "output_file.hpp"
#include "saved_model.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, to, from, out, vocabulary_out;
};

// So that training's state is no longer there: it does not belong to these weights.
models::Checkpoint weights_alone(const SavedModel& saved) {
  models::Checkpoint checkpoint{{}, saved.checkpoint.metadata};
  for (const auto& [name, tensor] : saved.model->state_dict()) {
    checkpoint.tensors.emplace_back("model." + name, tensor);
  }
  return checkpoint;
}

void write(const plot::OutputFolder& folder, const std::string& name, const Side& side) {
  folder.write(name + ".vocabulary.txt", side.vocabulary.to_text());
  if (const auto& bpe = side.tokeniser.bpe()) folder.write(name + ".bpe.txt", bpe->to_text());
}

// The weights of a file, unless it is a checkpoint, which has them under other names among others.
void load_weights(SavedModel& saved, const fs::path& path) {
  const nn::Safetensors file = nn::load_safetensors(path);
  if (models::is_checkpoint(file.metadata)) {
    fail("--from", "'", path.string(), "' is a checkpoint, not weights alone; give those that ", program(),
         " convert --model ", path.string(), " --to FILE writes");
  }
  saved.model->load_state_dict(file.tensors, "'" + path.string() + "'");
}

int run(const Options& options, const models::Registry& registry) {
  const std::array read{checkpoint_of(options.model), options.from};
  check_output("to", options.to, read);
  check_output("out", options.out, read);
  SavedModel saved = load_saved_model(options.model, registry);
  if (!options.from.empty()) {
    load_weights(saved, options.from);
    models::save_checkpoint(options.out, weights_alone(saved));
  }
  if (!options.to.empty()) nn::save(*saved.model, options.to, {{"format", "pt"}});
  if (!options.vocabulary_out.empty()) {
    const plot::OutputFolder folder(options.vocabulary_out);
    write(folder, "source", saved.sides.source);
    write(folder, "target", saved.sides.target);
  }
  return 0;
}

}  // namespace

int convert(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Moves weights between gradus and PyTorch, through safetensors files.\n\n"
      "  gradus convert --model run --to weights.safetensors\n"
      "      writes the weights alone, under PyTorch's names (safetensors.torch.load_file reads them)\n"
      "  gradus convert --model run --from weights.safetensors --out new.safetensors\n"
      "      puts such weights into a new checkpoint with the settings and vocabularies of run, which\n"
      "      translate, evaluate and align take; training cannot go on from it\n"
      "  gradus convert --model run --vocabulary-out folder\n"
      "      writes the tokens, the first of which has id 4, and byte-pair encodings as subword-nmt reads "
      "them",
      "gradus convert");
  Options options;
  app.add_option("--model", options.model, "the folder of a run of gradus train, or a checkpoint")
      ->type_name("RUN")
      ->required();
  const auto binary = no_standard_output("and weights are binary");
  auto* const to =
      app.add_option("--to", options.to, "the weights, to write")->type_name("FILE")->check(binary);
  auto* const from =
      app.add_option("--from", options.from, "weights: every one, and no other")->type_name("FILE");
  auto* const out =
      app.add_option("--out", options.out, "the checkpoint, to write")->type_name("FILE")->check(binary);
  app.add_option("--vocabulary-out", options.vocabulary_out, "for vocabularies, as text")
      ->type_name("FOLDER")
      ->check(no_standard_output("and several files are written"));
  from->needs(out)->excludes(to);
  out->needs(from);
  app.callback([&] {
    if (options.to.empty() && options.from.empty() && options.vocabulary_out.empty()) {
      throw CLI::ValidationError("there is nothing to do; give --to, --from with --out, or --vocabulary-out");
    }
  });
  return run_command(app, argc, argv, [&] { return run(options, registry); });
}

}  // namespace gradus::tools
