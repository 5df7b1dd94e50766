// Errors of `gradus train`.

#include <fstream>

#include "tools/short_run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

TEST_CASE("errors about data name the options at fault", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path text = scratch.path() / "text.tsv", out = scratch.path() / "run";
  std::ofstream(text) << "one two\tun\none two three\tun deux trois\n";
  const auto refused = [&](const Arguments& more) {
    Arguments all{"train", "--pairs", text, "--out", out, "--dev-percent", "0", "--test-percent", "0"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    CHECK_FALSE(fs::exists(out));
    return std::to_string(ran.code) + ' ' + ran.err;
  };
  const auto lengths = [](const char* least, const char* most, const char* target) {
    return std::string(
               "1 gradus train: corpus: the length limits remove every pair: sources have 2 to 3 tokens "
               "(--min-tokens ") +
           least + ", --max-tokens " + most + "), targets 1 to 3 (--max-target-tokens " + target +
           "); change these options\n";
  };
  CHECK(refused({"--min-tokens", "4"}) == lengths("4", "50", "75"));
  CHECK(refused({"--max-tokens", "1"}) == lengths("1", "1", "75"));
  CHECK(refused({"--min-count", "3"}) ==
        "1 gradus train: corpus: no source token reaches --min-count 3 (maximum 2); lower --min-count\n");
  CHECK(refused({"--bpe", "9", "--target-unit", "character"}) ==
        "2 gradus train: --target-unit character cannot be combined with --bpe; omit one of them; 'gradus "
        "train "
        "--help' lists the options\n");
  CHECK(refused({"--batch-tokens", "6"}) ==
        "1 gradus train: a pair of 7 tokens (3 source, 4 target) exceeds --batch-tokens 6; raise it, or drop "
        "such pairs with --max-tokens and --max-target-tokens\n");
  std::ofstream(text) << "one\n";
  CHECK(refused({}) ==
        "1 gradus train: '" + text.string() +
            "' line 1: expected 2 tab-separated columns, found 1; add the target or remove the line\n");
}

TEST_CASE("the error for a folder that cannot be created omits library names", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "file";
  std::ofstream(file) << "in the way";
  const Ran ran = run(arguments(file));
  CHECK(ran.code == 1);
  CHECK(ran.err.starts_with("gradus train: cannot create folder '" + file.string() + "': "));
}

TEST_CASE("a non-finite loss ends a run and leaves its checkpoints unchanged", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out, {"--optimiser", "sgd"})).code == 0);
  const std::string last = content(out / "last.safetensors"), best = content(out / "best.safetensors");
  const Ran ran = run({"train", "--resume", out.string(), "--steps", "60", "--learning-rate", "1e14",
                       "--clip", "inf", "--save-every", "50"});
  CHECK(ran.code == 1);
  const std::string::size_type at = ran.err.find("gradus train: the loss at step ");
  REQUIRE(at != ran.err.npos);
  CHECK_FALSE(contains(ran.err, "first non-finite value"));  // that detail is for programmers
  CHECK(contains(
      ran.err, "; the last checkpoint is intact; resume with: gradus train --resume " + out.string() + "\n"));
  CHECK(ran.err.find('\n', at) == ran.err.size() - 1);
  CHECK((content(out / "last.safetensors") == last));
  CHECK((content(out / "best.safetensors") == best));
}

TEST_CASE("non-finite parameters are not saved", "[tools][train][errors]") {
  const Scratch scratch;
  tools::Settings settings = tools::default_settings();
  settings.data.task = "reverse";
  settings.data.examples = 10;
  settings.data.held_out = 2;
  settings.model.hidden = settings.model.embedding = settings.model.energy = 3;
  settings.trainer.optimiser = "sgd";
  settings.trainer.steps = 1;
  settings.run.learning_rate = 1e45;
  settings.run.out = scratch.path();
  tools::TrainingRun ruined(settings, nullptr, models::Registry::standard());
  CHECK_THROWS_WITH(
      ruined.train([] { return false; }),
      Catch::Matchers::StartsWith("train: a weight is ") &&
          Catch::Matchers::EndsWith(" after step 1, which is not saved; lower the learning rate"));
  CHECK_FALSE(fs::exists(scratch.path() / "last.safetensors"));
}

TEST_CASE("training reports errors in one line, and keeps the previous run", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  const std::string before = content(out / "last.safetensors");
  const auto check = [&](const Arguments& given, int code, const std::string& message) {
    const Ran ran = run(given);
    CHECK(ran.code == code);
    CHECK(ran.err == "gradus train: " + message + "\n");
  };
  const fs::path mistyped = scratch.path() / "mistyped.toml";
  std::ofstream(mistyped) << "hiden = 9\n";
  check({"train", "--config", mistyped.string()}, 2,
        mistyped.string() + ": unknown option 'hiden'; did you mean hidden?");

  const std::string run_name = "'" + out.string() + "'";
  check(arguments(out), 1,
        run_name + " already holds a run; resume it with --resume " + out.string() +
            ", choose another --out, or replace it with --overwrite");
  check({"train", "--resume", out.string(), "--out", (scratch.path() / "other").string()}, 2,
        "--out: a resumed run keeps its folder; omit --out, or resume a copy of the folder; 'gradus train "
        "--help' lists the options");
  check({"train", "--resume", out.string(), "--hidden", "8"}, 1,
        "resume: the run was started with hidden=6 and cannot be resumed with hidden=8; omit the model "
        "options, or start a new run");
  for (const char* name : {"line\nbreak", "both ' \""}) {
    const fs::path unusual = scratch.path() / name;
    const Ran ran = run(arguments(unusual));
    CAPTURE(name, ran.err);
    if (ran.code == 0) {  // CLI11 2.4 or later escapes these characters
      CHECK(run({"train", "--resume", unusual.string(), "--steps", "25"}).code == 0);
      continue;
    }
    CHECK(ran.code == 1);
    CHECK(ran.err ==
          "gradus train: settings: a path with a backslash, a line break or both kinds of quotes cannot be "
          "saved; rename the file or folder\n");
    CHECK_FALSE(fs::exists(unusual));
  }
  check({"train", "--resume", out.string(), "--optimiser", "sgd"}, 1,
        "resume: the run was started with --optimiser adam, whose state does not fit --optimiser sgd; omit "
        "--optimiser, or start a new run");
  check({"train", "--resume", out.string(), "--examples", "41"}, 1,
        "resume: the run was trained on other pairs or batches; give its original data and batch options, or "
        "start a new run");
  const std::string help = "; 'gradus train --help' lists the options", new_run = scratch.path() / "new";
  const std::string one_of =
      " training data; give one of --task, --phrases, --pairs, or --source with --target";
  check({"train", "--out", new_run}, 2, "no" + one_of + help);
  check({"train", "--task", "copy", "--phrases", "eng-fra"}, 2, "more than one source of" + one_of + help);
  check({"train", "--source", "en.txt"}, 2, "--source needs --target" + help);
  check({"train", "--pairs", "p.txt", "--dev-target", "d.txt"}, 2, "--dev-target needs --dev-source" + help);
  check({"train", "--pairs", "p.txt", "--source", "en.txt"}, 2,
        "--pairs and --source are alternatives; give only one of them" + help);
  check({"train", "--task", "copy", "--min-length", "9", "--max-length", "5"}, 2,
        "--min-length 9 exceeds --max-length 5; lower --min-length or raise --max-length" + help);
  check({"train", "--task", "copy", "--min-length", "9", "--test-max-length", "5"}, 2,
        "--min-length 9 exceeds --test-max-length 5; lower --min-length or raise --test-max-length" + help);
  check({"train", "--task", "dates", "--min-year", "2100"}, 2,
        "--min-year 2100 exceeds --max-year 2049; lower --min-year or raise --max-year" + help);
  check({"train", "--phrases", "eng-fra", "--min-tokens", "60"}, 2,
        "--min-tokens 60 exceeds --max-tokens 50; lower --min-tokens or raise --max-tokens" + help);
  check({"train", "--task", "copy", "--warm-up", "100", "--steps", "100"}, 2,
        "--warm-up 100 covers all 100 steps; lower --warm-up or raise --steps" + help);
  check({"train", "--task", "copy", "--tied", "all"}, 2,
        "--tied all needs a shared vocabulary; add --shared-vocabulary, or give --tied output" + help);
  check({"train", "--task", "copy", "--preset", "vaswani"}, 2,
        "--preset: unknown value 'vaswani'; available: sutskever, cho, bahdanau, d2l, notebook" + help);
  check({"train", "--task", "copy", "--attention", "mine"}, 2,
        "--attention: unknown value 'mine'; available: additive, dot, gumbel, hard, local_p, location, "
        "monotonic, scaled_dot, shared_additive, sparsemax, top_k" +
            help);
  check({"train", "--task", "copy", "--decoder", "mine"}, 2,
        "--decoder: unknown value 'mine'; available: bahdanau, cho, fixed" + help);
  check({"train", "--task", "copy", "--bridge", "backward", "--no-bidirectional"}, 2,
        "--bridge backward needs an encoder in both directions; omit --no-bidirectional, or give --bridge "
        "summary" +
            help);
  check({"train", "--task", "copy", "--bridge", "copy"}, 2,
        "--bridge copy needs an encoder in one direction; add --no-bidirectional, or give --bridge summary" +
            help);
  check({"train", "--task", "copy", "--decoder", "cho", "--bridge", "backward"}, 2,
        "--decoder cho starts from a summary of the source; give --bridge summary or zeros" + help);
  check({"train", "--task", "copy", "--schedule", "exponential", "--final-factor", "0"}, 2,
        "--schedule exponential cannot end at --final-factor 0; raise --final-factor" + help);
  const auto plateau = [&](const Arguments& given, const std::string& message) {
    Arguments all{"train", "--task", "copy", "--schedule", "plateau"};
    all.insert(all.end(), given.begin(), given.end());
    check(all, 2, message + help);
  };
  plateau({"--eval-every", "0"},
          "--schedule plateau needs evaluations; give --eval-every, or another --schedule");
  plateau({"--final-factor", "1.5"},
          "--schedule plateau cannot lower the learning rate with --final-factor 1.5; give one below 1");
  plateau({"--patience", "4", "--plateau-patience", "3"},
          "--patience 4 ends training before --plateau-patience 3 has lowered the learning rate once; give "
          "--patience 5 or more");
  plateau({"--plateau-factor", "1"},
          "--plateau-factor: expected a number of at least 0 and below 1, found 1");
  check({"train", "--phrases", "eng-fra", "--schedule", "plateau", "--dev-percent", "0", "--out", new_run}, 2,
        "--schedule plateau needs dev pairs; raise --dev-percent, or give --dev-pairs" + help);
  check({"train", "--task", "copy", "--decoder", "fixed", "--entropy", "0.1"}, 2,
        "--entropy needs attention weights, which --decoder fixed lacks; omit --entropy, or give --decoder "
        "bahdanau" +
            help);
  check({"train", "--task", "copy", "--decoder", "fixed", "--coverage", "0.1"}, 2,
        "--coverage needs attention weights, which --decoder fixed lacks; omit --coverage, or give --decoder "
        "bahdanau" +
            help);
  check({"train", "--task", "copy", "--attention", "hard", "--coverage", "0.1"}, 2,
        "--coverage needs weights that spread, but those of --attention hard are 0 or 1; omit --coverage, or "
        "give another --attention" +
            help);
  check({"train", "--task", "copy", "--coverage", "-1"}, 2,
        "--coverage: expected a finite number of at least 0, found -1" + help);
  check({"train", "--batch", "1000001"}, 2,
        "--batch: expected a whole number from 1 to 1000000, found 1000001" + help);
  for (const std::string number : {"99999999999999999999", "1e3", "0x10", "8.0", "-1", "three"}) {
    check({"train", "--seed=" + number}, 2,
          "--seed: expected a whole number from 0 to 18446744073709551615, found " + number + help);
  }
  for (const std::string number : {"1e-400", "1e400"}) {
    check({"train", "--learning-rate", number}, 2,
          "--learning-rate: expected a magnitude from 4.9e-324 to 1.8e308, found " + number + help);
  }
  check({"train", "--learning-rate", "nan"}, 2,
        "--learning-rate: expected a finite number of at least 0, found nan" + help);
  check({"train", "--phrases", "eng-fra", "--dev-percent", "60", "--test-percent", "60"}, 2,
        "--dev-percent 60 and --test-percent 60 leave nothing to train on; lower them to less than 100 "
        "together" +
            help);
  check({"train", "--task", "copy", "--average", "1"}, 2,
        "--average 1 is the last checkpoint itself; give 2 or more, or 0" + help);
  check(
      {"train", "--phrases", "eng-fra", "--source-sentencepiece", "m", "--shared-vocabulary"}, 2,
      "--shared-vocabulary needs both languages split alike; add --target-sentencepiece with the same model, "
      "or omit --shared-vocabulary" +
          help);
  const std::string few = " has too few different sources to split by --dev-percent 5 and --test-percent 5: ",
                    percentages = ", or change the percentages" + help;
  check({"train", "--task", "reverse", "--symbols", "2", "--min-length", "1", "--max-length", "1", "--out",
         new_run},
        2, "--task reverse" + few + "none for dev; raise --symbols or --max-length" + percentages);
  check({"train", "--out", "-"}, 2, "--out: '-' is standard output, but a run is a folder; name one" + help);
  check({"train", "--task", "copy", "--teacher", ""}, 2,
        "--teacher: the value is empty; give one, or omit the option" + help);
  check({"train", "--task", "copy", "--out", ""}, 2,
        "--out: the value is empty; give one, or omit the option" + help);
  check({"train", "--per-matrix", "1", "--prune", "0.3"}, 2,
        "--per-matrix takes no value, found '1'; omit it" + help);
  check({"train", "--resume", out.string(), "--preset", "d2l"}, 2,
        "--preset cannot be combined with --resume; omit one of them" + help);
  check({"train", "--hidden", "3", "--hidden", "4"}, 2,
        "--hidden takes one value, found several; give one" + help);
  check({"train", "--hidden"}, 2, "--hidden needs a value" + help);
  check({"train", "--config", (scratch.path() / "none").string()}, 1,
        "'" + (scratch.path() / "none").string() +
            "' cannot be opened: No such file or directory; check the path");
  std::ofstream(mistyped) << "[model]\nhidden = 9\n";
  check({"train", "--config", mistyped.string()}, 2,
        mistyped.string() + ": line 1: unknown section [model]; write all options without sections" + help);
  std::ofstream(mistyped) << "=3\n";
  check({"train", "--config", mistyped.string()}, 2,
        mistyped.string() + ": line 1: found no option before the '='; write OPTION=VALUE" + help);
  std::ofstream(mistyped) << "hidden=0x20\n";
  check({"train", "--config", mistyped.string()}, 2,
        mistyped.string() + ": --hidden: expected a whole number from 1 to 1000000000000000, found 0x20" +
            help);
  std::ofstream(mistyped) << "hidden=20\n";
  check({"train", "--config", mistyped.string(), "--embedding", "0"}, 2,
        "--embedding: expected a whole number from 1 to 1000000000000000, found 0" + help);
  check({"train", "--hiden", "3"}, 2, "unknown option '--hiden'; did you mean --hidden?");
  check({"train", "--no-lowr"}, 2, "unknown option '--no-lowr'; did you mean --no-lower?");
  check({"train", "--transformer", "yes", "--hiden", "3"}, 2, "unknown option '--transformer'" + help);
  check({"train", "--cell", "transformer"}, 2,
        "--cell: unknown value 'transformer'; available: rnn, gru, original-gru, lstm; 'gradus train --help' "
        "lists the options");
  CHECK((content(out / "last.safetensors") == before));
  CHECK_FALSE(fs::exists(scratch.path() / "new"));
}
