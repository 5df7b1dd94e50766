// Options without an effect, listed in settings/settings_effects.cpp. Most options are tested twice. First,
// the command must refuse the option. Second, training without the command's checks must give the same
// weights with the option and without it.

#include <algorithm>
#include <fstream>
#include <set>

#include "settings/settings_effects.hpp"
#include "tools/short_run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

// A command line: the options in `with` make `option` have no effect. `value` is "" for a flag.
struct Row {
  Arguments with;
  std::string option, value, why;
};

const Arguments reverse{"--task", "reverse"}, dates{"--task", "dates"}, phrases{"--phrases", "eng-fra"};

Arguments operator+(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::string symbols = "without --task reverse, copy or sort", of_dates = "without --task dates",
                  task = "without --task", text = "with --task, whose examples are generated",
                  numbers = "with --task reverse, copy or sort, whose tokens are numbers",
                  fixed_why = "with --decoder fixed, which has no attention",
                  no_dev = "without dev pairs, see --dev-percent",
                  no_evaluations = "without evaluations, see --eval-every",
                  plateau = "without --schedule plateau", pruned = "without --prune",
                  taught = "without --teacher";
const Arguments fixed = reverse + Arguments{"--decoder", "fixed"},
                blind = phrases + Arguments{"--dev-percent", "0"},
                idle = reverse + Arguments{"--eval-every", "0"};

const std::vector<Row> rows{
    {phrases, "--symbols", "4", symbols},
    {dates, "--min-length", "3", symbols},
    {dates, "--max-length", "4", symbols},
    {phrases, "--test-max-length", "9", symbols},
    {reverse, "--min-year", "1990", of_dates},
    {reverse, "--max-year", "2000", of_dates},
    {reverse, "--bands", "12", "without --frames"},
    {reverse, "--min-speed", "0.8", "without --frames"},
    {reverse, "--max-speed", "1.2", "without --frames"},
    {phrases, "--examples", "9", task},
    {phrases, "--held-out", "9", task},
    {reverse, "--swap", "", text},
    {dates, "--limit", "9", text},
    {reverse, "--min-tokens", "2", text},
    {reverse, "--max-tokens", "2", text},
    {reverse, "--max-target-tokens", "2", text},
    {reverse, "--dev-pairs", "none", text},
    {reverse + Arguments{"--dev-target", "none"}, "--dev-source", "none", text},
    {reverse + Arguments{"--test-target", "none"}, "--test-source", "none", text},
    {reverse, "--test-pairs", "none", text},
    {reverse, "--no-lower", "", numbers},
    {reverse, "--no-nfkc", "", numbers},
    {reverse, "--french-spacing", "", text},
    {reverse, "--bpe", "9", "with --symbols 10 or fewer, each one digit"},
    {phrases + Arguments{"--target-unit", "character"}, "--french-spacing", "",
     "with --target-unit character"},
    {fixed, "--attention", "dot", fixed_why},
    {fixed, "--convolution", "", fixed_why},
    {reverse + Arguments{"--decoder", "cho"}, "--attention-dropout", "0.2",
     "with --decoder cho, which has no attention"},
    {reverse + Arguments{"--attention", "dot"}, "--energy", "9", "with --attention dot"},
    {reverse + Arguments{"--attention", "scaled_dot"}, "--energy", "9", "with --attention scaled_dot"},
    {fixed, "--energy", "9", fixed_why},
    {reverse, "--attention-top-k", "3", "without --attention top_k"},
    {reverse, "--attention-window", "3", "without --attention local_p"},
    {reverse, "--attention-temperature", "3", "without --attention gumbel"},
    {reverse, "--location-filters", "3", "without --attention location"},
    {reverse, "--location-width", "3", "without --attention location"},
    {reverse, "--location-smooth", "", "without --attention location"},
    {reverse, "--location-window", "3", "without --attention location"},
    {fixed, "--location-width", "3", fixed_why},
    {fixed, "--attention-window", "3", fixed_why},
    {reverse, "--maxout", "9", "without --readout maxout or maxout-earlier"},
    {reverse + Arguments{"--readout", "state"}, "--maxout", "9",
     "without --readout maxout or maxout-earlier"},
    {reverse + Arguments{"--readout", "maxout", "--tied", "output"}, "--maxout", "9",
     "with --tied output, where the embedding has its size"},
    {reverse + Arguments{"--batch-tokens", "60"}, "--batch", "9", "with --batch-tokens"},
    {reverse + Arguments{"--schedule", "constant"}, "--final-factor", "0.3", "with --schedule constant"},
    {reverse, "--plateau-factor", "0.3", plateau},
    {reverse, "--plateau-patience", "1", plateau},
    {blind, "--eval-every", "2", no_dev},
    {blind, "--metric", "bleu", no_dev},
    {blind, "--patience", "2", no_dev},
    {idle, "--metric", "bleu", no_evaluations},
    {idle, "--patience", "2", no_evaluations},
    {reverse + Arguments{"--save-every", "3"}, "--average", "2", "with one checkpoint, see --save-every"},
    {reverse, "--bf16-gradients", "", "without --shards, whose gradients are added up"},
    {reverse, "--freeze-embeddings", "", "without --source-embeddings or --target-embeddings"},
    {reverse, "--prune-from", "1", pruned},
    {reverse, "--prune-until", "2", pruned},
    {reverse, "--per-matrix", "", pruned},
    {reverse, "--teacher-weight", "0.3", taught},
    {reverse, "--teacher-temperature", "3", taught},
    {reverse, "--teacher-attention", "0.3", taught},
    {reverse, "--teacher-beam", "2", taught},
};

// Files for these tests: a dev text, which is also the test text, and a model, which is the teacher and the
// model of --init-from.
struct Files {
  Scratch scratch;
  const std::string dev = path("dev"), model = path("model");
  const Arguments taught = reverse + Arguments{"--teacher", model};

  Files() {
    std::ofstream(dev) << "good\tbon\n";
    REQUIRE(run(arguments(model)).code == 0);
  }
  std::string path(const std::string& name) const { return (scratch.path() / name).string(); }

  std::vector<Row> rows() const {
    return {
        {phrases + Arguments{"--dev-pairs", dev}, "--dev-percent", "7", "with a separate dev text"},
        {phrases + Arguments{"--test-pairs", dev}, "--test-percent", "7", "with a separate test text"},
        {reverse + Arguments{"--init-from", model}, "--initial", "small", "with --init-from"},
        {taught + Arguments{"--teacher-weight", "0", "--teacher-attention", "0.5"}, "--teacher-temperature",
         "3", "with --teacher-weight 0"},
        {taught + Arguments{"--teacher-weight", "1"}, "--label-smoothing", "0.3", "with --teacher-weight 1"},
        {reverse + Arguments{"--teacher-weight", "0"}, "--teacher", model,
         "with --teacher-weight 0 and without --teacher-attention and --teacher-beam"},
    };
  }
};

Arguments option_of(const Row& row) {
  return row.value.empty() ? Arguments{row.option} : Arguments{row.option, row.value};
}

// The settings that `gradus train` derives from these options.
tools::Settings settings_of(const Arguments& options) {
  std::string lines;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool is_flag = i + 1 == options.size() || options[i + 1].starts_with("--");
    lines += options[i].substr(2) + "=\"" + (is_flag ? "true" : options[i + 1]) + "\"\n";
    i += is_flag ? 0 : 1;
  }
  return tools::settings_from_text(lines);
}

// Trains two steps with these settings, without the command's checks. Returns the model's values.
std::vector<float> trained(tools::Settings settings) {
  const Scratch scratch;
  settings.run.out = scratch.path();
  settings.run.threads = 1;
  settings.trainer.steps = 2;
  if (settings.trainer.eval_every > 1) settings.trainer.eval_every = 1;
  tools::TrainingRun training(settings, nullptr, models::Registry::standard());
  REQUIRE(training.train([] { return false; }));
  std::vector<float> values;
  for (const auto& [name, tensor] : models::load_checkpoint(scratch.path() / "last.safetensors").tensors) {
    if (!name.starts_with("model.")) continue;
    const std::vector<float> some = tensor.to_vector<float>();
    values.insert(values.end(), some.begin(), some.end());
  }
  return values;
}

tools::Settings small(tools::Settings settings, const Row& row) {
  if (!settings.data.task.empty()) settings.data.examples = 40, settings.data.held_out = 5;
  if (settings.data.task.empty() && row.option != "--limit") settings.data.limit = 60;
  const bool is_sized = !settings.run.init_from.empty();  // true: the initial model determines the sizes
  settings.model.embedding = is_sized ? 5 : 4;
  settings.model.hidden = is_sized ? 6 : 5;
  if (row.option != "--energy") settings.model.energy = is_sized ? 4 : 6;
  settings.batches.sentences = row.option == "--batch" ? settings.batches.sentences : 8;
  return settings;
}

}  // namespace

TEST_CASE("gradus train refuses an option that has no effect", "[tools][train][effects]") {
  const Files files;
  const std::string out = files.path("new");
  for (const Row& row : [&] {
         std::vector<Row> all = rows;
         for (const Row& more : files.rows()) all.push_back(more);
         return all;
       }()) {
    const Ran ran = run(Arguments{"train", "--out", out, "--steps", "3"} + row.with + option_of(row));
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus train: " + row.option + " has no effect " + row.why +
                         "; omit it; 'gradus train --help' lists the options\n");
    CHECK_FALSE(fs::exists(out));
  }
}

TEST_CASE("an option that is refused for its lack of an effect has none", "[tools][train][effects][long]") {
  const Files files;
  std::vector<Row> all = rows;
  for (const Row& more : files.rows()) all.push_back(more);
  for (const Row& row : all) {
    INFO(row.option << ' ' << row.why);
    // Without --teacher or --…-source, the command refuses the other options (`with`), too. So there is no
    // valid run to compare with.
    if (row.option == "--teacher" || row.option.ends_with("-source")) continue;
    const auto with = trained(small(settings_of(row.with + option_of(row)), row)),
               without = trained(small(settings_of(row.with), row));
    CHECK((with == without));
  }
}

TEST_CASE("every row of the table of effects is tested", "[tools][train][effects]") {
  std::set<std::string> tested{"--source-unit", "--target-unit", "--overwrite", "--init-from",
                               "--dev-target",  "--test-target", "--silence"};  // tested elsewhere
  const Files files;
  for (const Row& row : rows) tested.insert(row.option);
  for (const Row& row : files.rows()) tested.insert(row.option);
  for (const char* name : {"lower", "nfkc"}) {
    if (tested.contains(std::string("--no-") + name)) tested.insert(std::string("--") + name);
  }
  for (const tools::Effect& effect :
       tools::settings_effects(tools::default_settings(), models::Registry::standard(), false)) {
    CHECK(tested.contains(effect.option));
  }
}

TEST_CASE("a configuration file may hold options without an effect", "[tools][train][effects]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "shared.toml", first = scratch.path() / "first",
                 again = scratch.path() / "again";
  std::ofstream(file) << "task=\"reverse\"\nexamples=30\nheld-out=4\nhidden=4\nembedding=4\nenergy=9\n"
                         "attention=\"dot\"\nswap=false\nlimit=7\nsteps=2\n"
                         "dev-source=\"none\"\ndev-target=\"none\"\n";
  const auto train = [](const fs::path& config, const fs::path& out, const Arguments& more = {}) {
    return run(Arguments{"train", "--config", config.string(), "--out", out.string()} + more);
  };
  const Ran ran = train(file, first, {"--decoder", "fixed"});
  REQUIRE(ran.code == 0);
  CHECK(
      contains(ran.err, "note: " + file.string() +
                            ": without an effect here: limit, dev-source, dev-target, attention, energy\n"));
  CHECK(train(file, again, {"--decoder", "fixed", "--energy", "8"}).code == 2);

  // The settings.toml of a run lists all options, even those without an effect.
  const Ran repeated = train(first / "settings.toml", again);
  REQUIRE(repeated.code == 0);
  CHECK(
      contains(repeated.err, ": without an effect here: limit, dev-source, dev-target, attention, energy\n"));
  const Ran plain = train(file, scratch.path() / "plain",
                          {"--decoder", "bahdanau", "--attention", "additive", "--limit", "0"});
  CHECK(plain.code == 2);  // on the command line, such an option is refused with any value
}

TEST_CASE("a resumed run refuses options that only start a run", "[tools][train][effects][resume]") {
  const Scratch scratch;
  const std::string out = (scratch.path() / "run").string();
  REQUIRE(run(arguments(out)).code == 0);
  const auto refused = [&](const Arguments& more) {
    const Ran ran = run(Arguments{"train", "--resume", out} + more);
    CHECK(ran.code == 2);
    return ran.err;
  };
  const std::string help = "; 'gradus train --help' lists the options\n";
  CHECK(refused({"--overwrite"}) == "gradus train: --overwrite has no effect with --resume; omit it" + help);
  CHECK(refused({"--init-from", out}) ==
        "gradus train: --init-from has no effect with --resume; omit it" + help);
  CHECK(refused({"--steps", "5"}) ==
        "gradus train: --steps 5 ends before step 23, which the run has reached; give more" + help);
  CHECK(refused({"--epochs", "1"}) ==
        "gradus train: --epochs 1 ends before step 23, which the run has reached; give more" + help);
  CHECK(run({"train", "--resume", out, "--steps", "23"}).code == 0);
}

TEST_CASE("gradcheck refuses model options without an effect", "[tools][gradcheck][effects]") {
  const auto refused = [](const Arguments& more) {
    const Ran ran = run(Arguments{"gradcheck"} + more);
    CHECK(ran.code == 2);
    CHECK(ran.out == "");
    return ran.err;
  };
  const auto message = [](const std::string& text) {
    return "gradus gradcheck: " + text + "; omit it; 'gradus gradcheck --help' lists the options\n";
  };
  CHECK(refused({"--decoder", "fixed", "--attention", "dot"}) ==
        message("--attention has no effect " + fixed_why));
  CHECK(refused({"--attention-window", "3"}) ==
        message("--attention-window has no effect without --attention local_p"));
  CHECK(refused({"--maxout", "3"}) ==
        message("--maxout has no effect without --readout maxout or maxout-earlier"));
}

TEST_CASE("an attention that the registry does not describe may use every option", "[tools][effects]") {
  models::Registry registry = models::Registry::standard();
  registry.attentions["mine"] = {registry.attentions.at("additive").make};
  registry.decoders["mine"] = {registry.decoders.at("bahdanau").make};
  const auto effect = [&](const models::ModelOptions& model, const std::string& option) {
    for (const tools::Effect& one : tools::model_effects(model, registry)) {
      if (one.option == option) return one.present;
    }
    FAIL("no row for " << option);
    return false;
  };
  CHECK(effect({.attention = "mine"}, "--energy"));
  CHECK(effect({.decoder = "mine"}, "--maxout"));
  CHECK(effect({.decoder = "mine"}, "--attention"));
  CHECK(effect({.attention = "location"}, "--energy"));
  CHECK_FALSE(effect({.attention = "dot"}, "--energy"));
}

TEST_CASE("commands that read a model refuse options without an effect", "[tools][effects]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  const std::string model = write_small_model(scratch.path() / "bahdanau").string();
  settings.model.decoder = "fixed";
  const std::string blind_model = write_small_model(scratch.path() / "fixed", settings).string();
  const std::string pairs = (scratch.path() / "pairs").string();
  std::ofstream(pairs) << "good morning\tbonjour\n";
  const auto check = [&](const Arguments& given, const std::string& option, const std::string& why) {
    const Ran ran = run(given, "good morning\n");
    CHECK(ran.code == 2);
    CHECK(ran.out == "");
    CHECK(ran.err == "gradus " + given[0] + ": " + option + " has no effect " + why + "; omit it; 'gradus " +
                         given[0] + " --help' lists the options\n");
  };
  const std::string greedy = "with --beam 1, which is greedy",
                    likeliest = "with --top-k 1, which is the likeliest token",
                    no_attention = "with a model without attention";
  for (const Arguments& command :
       {Arguments{"translate", "--model"}, {"evaluate", "--pairs", pairs, "--model"}}) {
    const Arguments seeing = command + Arguments{model}, not_seeing = command + Arguments{blind_model};
    check(seeing + Arguments{"--beam", "1", "--length-penalty", "1"}, "--length-penalty", greedy);
    check(seeing + Arguments{"--beam", "1", "--coverage-penalty", "1"}, "--coverage-penalty", greedy);
    check(seeing + Arguments{"--sample", "--top-k", "1", "--temperature", "2"}, "--temperature", likeliest);
    check(seeing + Arguments{"--sample", "--top-k", "1", "--top-p", "0.5"}, "--top-p", likeliest);
    check(seeing + Arguments{"--sample", "--top-k", "1", "--seed", "2"}, "--seed", likeliest);
    check(not_seeing + Arguments{"--beam", "2", "--coverage-penalty", "1"}, "--coverage-penalty",
          no_attention);
    check(not_seeing + Arguments{"--replace-unknown"}, "--replace-unknown", no_attention);
    CHECK(run(not_seeing + Arguments{"--no-replace-unknown"}, "good\n").code == 0);
    CHECK(run(seeing + Arguments{"--beam", "2", "--coverage-penalty", "1", "--replace-unknown"}, "good\n")
              .code == 0);
  }
  check({"evaluate", "--model", model, "--pairs", pairs, "--bucket", "3"}, "--bucket",
        "without --by-length, --json or --svg");
  check({"evaluate", "--model", model, "--pairs", pairs, "--json", "--by-length"}, "--by-length",
        "with --json, which always has these numbers");
  const std::string files = "with --source and --target";
  check({"score", "--model", model, "--source", pairs, "--target", pairs, "--swap"}, "--swap", files);
  check({"align", "--model", model, "--source", pairs, "--target", pairs, "--swap"}, "--swap", files);
  check({"align", "--model", model, "--text", "good", "--swap"}, "--swap", "with --text");
  CHECK(run({"align", "--model", model, "--swap", "--json", "-"}, "bonjour\tgood morning\n").out ==
        run({"align", "--model", model, "--json", "-"}, "good morning\tbonjour\n").out);
}
