#include <gradus/nn/optimisers.hpp>
#include <gradus/nn/schedule.hpp>

#include <CLI/CLI.hpp>
#include <optional>
#include <span>

#include "settings/add_option.hpp"
#include "settings/choices.hpp"
#include "settings/options.hpp"
#include "settings/ranges.hpp"
#include "settings/shortest.hpp"

namespace gradus::tools {
namespace {

template <class Kind>
std::vector<std::string> names_of(std::span<const Kind> kinds) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

// Text such as "adam 0.001, sgd 0.1, …".
std::string default_rates() {
  std::string text;
  for (const nn::OptimiserKind& kind : nn::optimisers()) {
    text.append(text.empty() ? "" : ", ").append(kind.name).append(" " + shortest(kind.learning_rate));
  }
  return text;
}

// Text such as "adamw 0.01, others 0".
std::string default_decays() {
  std::string text;
  for (const nn::OptimiserKind& kind : nn::optimisers()) {
    if (kind.weight_decay > 0) text.append(kind.name).append(" " + shortest(kind.weight_decay) + ", ");
  }
  return text + "others 0";
}

// Adds an option that takes a number or "own". "own" stands for an empty `value`.
CLI::Option* add_or_own(CLI::App& app, const std::string& flag, std::optional<double>& value,
                        const std::string& help) {
  const auto set = [&value](const std::string& text) {
    double number = 0;
    value = read_number(text, number) == std::errc() ? std::optional(number) : std::nullopt;
  };
  return app.add_option_function<std::string>(flag, set, help)
      ->type_name("N")
      ->default_str(value ? shortest(*value) : "own");
}

// A validator that also accepts "own".
CLI::Validator or_own(const CLI::Validator& number) {
  return {[number](std::string& text) { return text == "own" ? std::string() : number(text); }, ""};
}

}  // namespace

void add_training_options(CLI::App& app, Settings& settings) {
  models::TrainerOptions& trainer = settings.trainer;
  app.option_defaults()->always_capture_default()->group("Training");
  app.add_option("--steps", trainer.steps, "number of updates, including those before a --resume")
      ->transform(from_1);
  app.add_option("--epochs", settings.run.epochs,
                 "number of passes over the training pairs; replaces --steps [0: train for --steps]")
      ->transform(between(0, 1000000));
  app.add_option("--source-embeddings", settings.run.source_embeddings,
                 "initial source embeddings: word vectors in the text format of word2vec, fastText or GloVe")
      ->type_name("FILE");
  app.add_option("--target-embeddings", settings.run.target_embeddings, "initial target embeddings, likewise")
      ->type_name("FILE");
  add_switch(
      app, "--freeze-embeddings", settings.run.freeze_embeddings,
      "keep the embeddings of --source-embeddings and --target-embeddings as they are; those of tokens "
      "without a vector stay random");
  app.add_option("--init-from", settings.run.init_from,
                 "initial weights: those of this trained model, with its data and model options")
      ->type_name("RUN");
  app.add_option("--batch", settings.batches.sentences, "pairs per batch")->transform(between(1, 1000000));
  app.add_option("--batch-tokens", settings.batches.tokens,
                 "maximum tokens per batch, both sides with padding; replaces --batch [0: no limit]")
      ->transform(from_0);
  app.add_option("--optimiser", trainer.optimiser, "update rule")
      ->check(CLI::IsMember(names_of(nn::optimisers())));
  add_number(app, "--learning-rate", settings.run.learning_rate, "learning rate [0: " + default_rates() + "]")
      ->transform(finite_from_0);
  add_or_own(app, "--weight-decay", trainer.weight_decay,
             "weight decay of the update rule; own: " + default_decays())
      ->transform(or_own(finite_from_0));
  app.add_option(
         "--schedule", trainer.schedule,
         "learning rate after the warm-up: constant; falling to --final-factor at the last step (linear, "
         "cosine, exponential); or falling when --metric stops improving (plateau)")
      ->check(CLI::IsMember(names_of(nn::schedules())));
  add_number(app, "--final-factor", trainer.final_factor,
             "final/initial learning-rate ratio; of the plateau schedule, the least")
      ->transform(finite_from_0);
  add_number(app, "--plateau-factor", trainer.plateau_factor,
             "--schedule plateau multiplies the learning rate by this when --metric stops improving")
      ->transform(fraction_below_1);
  app.add_option("--plateau-patience", trainer.plateau_patience,
                 "evaluations in a row without an improvement that --schedule plateau allows; the next one "
                 "lowers the learning rate")
      ->transform(from_0);
  app.add_option("--warm-up", trainer.warm_up, "learning-rate warm-up steps")->transform(from_0);
  app.add_option("--accumulate", trainer.accumulate,
                 "batches per update, whose gradients are averaged over all tokens")
      ->transform(between(1, 1000000));
  app.add_option(
         "--shards", trainer.shards,
         "parts of a batch, a power of two; their gradients are added up in a fixed order, so that the "
         "weights are the same for any number of processes that divides N")
      ->transform(between(1, 65536));
  add_switch(app, "--bf16-gradients", trainer.bf16_gradients,
             "round the gradients of --shards to bf16, which halves the bytes between processes");
  add_number(app, "--clip", trainer.clip_norm, "maximum gradient norm; larger gradients are scaled down")
      ->transform(above_0);
  // Accepts bf16 on every processor, because the settings of a model from another processor may name it.
  // check_settings() refuses to train with an unsupported precision.
  add_choice(
      app, "--precision", trainer.precision, precision_names,
      "precision of matrix-product inputs; all else is f32. bf16 is faster on processors that support it");
  add_number(app, "--label-smoothing", trainer.loss.label_smoothing,
             "probability spread uniformly over all tokens")
      ->transform(fraction);
  add_number(app, "--entropy", trainer.loss.attention_entropy,
             "weight of the attention entropy in the loss; positive values sharpen attention")
      ->transform(finite);
  add_number(app, "--coverage", trainer.loss.attention_coverage,
             "weight of the coverage loss, which penalises attending to a position twice")
      ->transform(finite_from_0);
  add_number(app, "--sampling", trainer.loss.sampling,
             "scheduled sampling: fraction of the model's own tokens fed back at the end of training")
      ->transform(fraction);
  app.add_option("--eval-every", trainer.eval_every,
                 "steps between evaluations on the dev text; another follows the last step [0: none]")
      ->transform(from_0);
  app.add_option(
         "--metric", settings.run.metric,
         "dev metric that selects the best checkpoint, and that --patience and --schedule plateau watch; "
         "bleu and exact decode greedily")
      ->check(CLI::IsMember({"loss", "bleu", "exact"}));
  app.add_option("--patience", trainer.patience,
                 "early stopping: end after this many evaluations in a row without a new best [0: never]")
      ->transform(from_0);

  app.option_defaults()->group("Run");
  app.add_option("--out", settings.run.out, "folder of the run")
      ->type_name("FOLDER")
      ->check([](const std::string& folder) {
        return folder == "-" ? "'-' is standard output, but a run is a folder; name one" : "";
      });
  app.add_option("--save-every", settings.run.save_every, "steps between checkpoints")->transform(from_1);
  app.add_option("--average", settings.run.average,
                 "also write average.safetensors: the mean of the weights of the newest N checkpoints, one "
                 "every --save-every steps and one at the end, which are kept as step-STEP.safetensors [0: "
                 "none]")
      ->transform(between(0, 1000));
  app.add_option("--seed", settings.run.seed,
                 "seed of generated examples, initial values, dropout and the order of pairs")
      ->transform(any_seed);
  app.add_option("--threads", settings.run.threads,
                 "number of threads of each process [0: one per core, at most 16; of several processes, one]")
      ->transform(between(0, 256));
}

void add_options(CLI::App& app, Settings& settings) {
  add_data_options(app, settings.data);
  add_model_options(app, settings.model);
  add_training_options(app, settings);
  add_compression_options(app, settings);
}

}  // namespace gradus::tools
