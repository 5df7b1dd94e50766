// `gradus train`: its files, resuming, and errors.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <unistd.h>

#include "tools/run.hpp"
#include "training/history.hpp"
#include "training/interrupt.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;
using Arguments = std::vector<std::string>;

namespace {

// A short run with all sources of randomness: dropout, scheduled sampling, the order of pairs.
Arguments arguments(const fs::path& out, Arguments more = {}) {
  Arguments all{
      "train", "--task",      "reverse", "--examples",   "40",   "--held-out", "5",         "--hidden",
      "6",     "--embedding", "5",       "--energy",     "4",    "--dropout",  "0.2",       "--sampling",
      "0.5",   "--steps",     "23",      "--eval-every", "7",    "--batch",    "8",         "--save-every",
      "5",     "--threads",   "1",       "--entropy",    "0.01", "--out",      out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Arguments replaced(Arguments all, const std::string& option, const std::string& value) {
  *std::next(std::ranges::find(all, option)) = value;
  return all;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

tools::Settings settings_of(const fs::path& run) {
  return tools::settings_from_text(content(run / "settings.toml"));
}

}  // namespace

TEST_CASE("a run writes its checkpoints, settings and log", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const Ran ran = run(arguments(out));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(contains(ran.out, "pairs       40 train, 5 dev, 5 test\n"));
  CHECK(contains(ran.out, "now try: gradus evaluate --model " + out.string()));
  std::vector<std::string> files = names(out);
  std::ranges::sort(files);
  CHECK(files == std::vector<std::string>{"alignments.svg", "best.safetensors", "curves.svg", "index.html",
                                          "last.safetensors", "log.jsonl", "settings.toml"});
  const tools::History history = tools::History::read(out / "log.jsonl", 1000);
  CHECK(history.training().size() == 23);
  REQUIRE(history.evaluations().size() == 4);  // after steps 7, 14, 21 and the last
  CHECK(history.evaluations().back().step == 23);
  CHECK(history.text() == content(out / "log.jsonl"));
  CHECK(tools::History::read(out / "log.jsonl", 14).evaluations().size() == 2);
  CHECK(settings_of(out).trainer.steps == 23);
  CHECK(contains(content(out / "curves.svg"), "held out"));
}

TEST_CASE("suggested commands use the name the command was called by", "[tools][train]") {
  const Scratch scratch;
  const std::string out = scratch.path() / "run";
  const Ran ran = run(replaced(arguments(out), "--steps", "1"), "", models::Registry::standard(), "./mine");
  CHECK(contains(ran.out,
                 "\nnow try: ./mine evaluate --model " + out + "\n         ./mine translate --model "));
  CHECK(contains(run({"train", "--help"}).out, "\n  --[no-]lower [on] "));
}

TEST_CASE("a stopped and resumed run has the same bytes as an uninterrupted one", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole";
  REQUIRE(run(arguments(whole)).code == 0);
  for (const int stop : {1, 5, 7, 12, 22}) {  // including at a save, at an evaluation and in a later epoch
    INFO("stopped after " << stop << " steps");
    const fs::path out = scratch.path() / std::to_string(stop);
    tools::Settings settings = settings_of(whole);
    settings.run.out = out;
    {
      tools::TrainingRun stopped(settings, nullptr, models::Registry::standard());
      int steps = 0;
      CHECK_FALSE(stopped.train([&] { return steps++ == stop; }));
      CHECK(contains(stopped.summary(), "resume with: gradus train --resume " + out.string() + "\n"));
    }
    gradus::seed(99);  // the random state must come from the checkpoint
    const Ran ran = run({"train", "--resume", out.string()});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "resumed     after step " + std::to_string(stop) + "\n"));
    for (const char* name : {"last.safetensors", "best.safetensors"}) {
      CHECK((content(out / name) == content(whole / name)));
    }
    CHECK(tools::History::read(out / "log.jsonl", 1000).evaluations().size() == 4);
  }
}

TEST_CASE("the log of a stopped and resumed run covers every step", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", out = scratch.path() / "stopped";
  REQUIRE(run(replaced(arguments(whole), "--steps", "200")).code == 0);  // one entry per 2 steps
  tools::Settings settings = settings_of(whole);
  settings.run.out = out;
  int steps = 0;
  tools::TrainingRun(settings, nullptr, models::Registry::standard()).train([&] { return steps++ == 7; });
  REQUIRE(run({"train", "--resume", out.string()}).code == 0);
  const auto course = [](const fs::path& folder) {
    return tools::History::read(folder / "log.jsonl", 1000).training();
  };
  const auto expected = course(whole), found = course(out);
  const auto at = [](const auto& entries, std::int64_t step) {
    return std::ranges::find(entries, step, &tools::History::Training::step)->loss;
  };
  REQUIRE(std::ranges::count(found, 7, &tools::History::Training::step) == 1);
  CHECK((at(found, 7) + at(found, 8)) / 2 == Catch::Approx(at(expected, 8)));
  CHECK(at(found, 10) == at(expected, 10));
}

TEST_CASE("a signal is recorded and does not end the process", "[tools][train][resume]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    auto* const before = std::signal(signal, SIG_DFL);  // nohup ignores SIGHUP
    {
      const tools::Interrupt interrupt;
      CHECK_FALSE(interrupt.requested());
      std::raise(signal);
      CHECK(interrupt.requested());
    }
    std::signal(signal, before);
  }
}

TEST_CASE("an ignored signal stays ignored, as under nohup", "[tools][train][resume]") {
  auto* const before = std::signal(SIGHUP, SIG_IGN);
  {
    const tools::Interrupt interrupt;
    std::raise(SIGHUP);
    CHECK_FALSE(interrupt.requested());
  }
  CHECK(std::signal(SIGHUP, before) == SIG_IGN);
}

TEST_CASE("a run that replaces another removes its files", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  REQUIRE(run(replaced(arguments(out, {"--overwrite"}), "--eval-every", "0")).code == 0);
  std::vector<std::string> files = names(out);
  std::ranges::sort(files);
  CHECK(files == std::vector<std::string>{"curves.svg", "index.html", "last.safetensors", "log.jsonl",
                                          "settings.toml"});

  for (const std::string& name : names(out)) fs::remove(out / name);
  std::ofstream(out / "best.safetensors") << "converted";
  CHECK(run(arguments(out)).err ==
        "gradus train: '" + (out / "best.safetensors").string() +
            "' is a model; choose another --out, or replace it with --overwrite\n");
  CHECK(content(out / "best.safetensors") == "converted");
  const Ran ran = run({"train", "--resume", out.string()});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus train: resume: '" + out.string() +
                       "' has no checkpoint to resume from; start a new run without --resume\n");
}

TEST_CASE("a replaced run is intact until the new one has a checkpoint", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  const auto files = [&] {
    std::map<std::string, std::string> contents;
    for (const std::string& name : names(out)) contents[name] = content(out / name);
    return contents;
  };
  const auto before = files();
  CHECK(run(arguments(out, {"--overwrite", "--warm-up", "100"})).code == 2);
  CHECK((files() == before));

  const Ran diverged =
      run(arguments(out, {"--overwrite", "--optimiser", "sgd", "--learning-rate", "1e45", "--clip", "inf"}));
  CHECK(diverged.code == 1);
  CHECK(diverged.err.ends_with("; the previous run in '" + out.string() + "' is intact\n"));
  CHECK((files() == before));

  {
    tools::TrainingRun stopped(settings_of(out), nullptr, models::Registry::standard());
    CHECK_FALSE(stopped.train([] { return true; }));
    CHECK(contains(stopped.summary(), "stopped after step 0 in 0 s"));
    CHECK(contains(stopped.summary(), "\nnothing was saved\n"));
  }
  CHECK((files() == before));
}

// The states that a kill can leave while --overwrite replaces a run: the new checkpoint beside the old files,
// beside some of them, and on its own.
TEST_CASE("a run killed while it replaces another is the new run", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", old = scratch.path() / "old";
  REQUIRE(run(arguments(whole)).code == 0);
  REQUIRE(run(arguments(old, {"--seed", "2", "--average", "2"})).code == 0);
  const fs::path stopped = scratch.path() / "stopped";
  {
    tools::Settings settings = settings_of(whole);
    settings.run.out = stopped;
    int steps = 0;
    tools::TrainingRun(settings, nullptr, models::Registry::standard()).train([&] { return steps++ == 5; });
  }
  const auto removed = names(old);
  for (std::size_t count = 0; count <= removed.size(); count += 3) {
    INFO(count << " files of the old run are removed");
    const fs::path out = scratch.path() / ("killed" + std::to_string(count));
    fs::copy(old, out);
    fs::copy(stopped / "last.safetensors", out / "next.safetensors");
    for (std::size_t i = 0; i < count; ++i) fs::remove(out / removed[i]);
    CHECK(contains(run({"info", out.string()}).out, out.string() + "/next.safetensors\n"));
    CHECK(contains(run(arguments(out)).err, "' already holds a run; resume it with --resume "));
    const Ran ran = run({"train", "--resume", out.string()});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(contains(ran.out, "resumed     after step 5\n"));
    CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));
    CHECK((content(out / "best.safetensors") == content(whole / "best.safetensors")));
    std::vector<std::string> files = names(out), expected = names(whole);
    std::ranges::sort(files);
    std::ranges::sort(expected);
    CHECK(files == expected);
  }
}

TEST_CASE("the option --epochs sets the number of steps", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  Arguments all = arguments(out, {"--epochs", "3"});
  const auto steps = std::ranges::find(all, "--steps");
  all.erase(steps, steps + 2);
  const Ran ran = run(all);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(contains(ran.out, "steps       15, 5 per epoch, "));  // 40 pairs in batches of 8
  CHECK(contains(ran.out, "trained after step 15 in "));
  CHECK(settings_of(out).run.epochs == 3);
  CHECK(settings_of(out).trainer.steps == 15);

  CHECK(contains(run({"train", "--resume", out, "--epochs", "4"}).out, "trained after step 20 in "));
  CHECK(contains(run({"train", "--resume", out, "--steps", "22"}).out, "trained after step 22 in "));
  CHECK(settings_of(out).run.epochs == 0);

  std::ofstream(scratch.path() / "again.toml") << "epochs=2\n" << "steps=7\n";
  const fs::path again = scratch.path() / "again";
  all = arguments(again, {"--config", (scratch.path() / "again.toml").string()});
  CHECK(contains(run(all).out, "trained after step 23 in "));  // the flag --steps
  all.erase(std::ranges::find(all, "--steps"), std::ranges::find(all, "--steps") + 2);
  all.emplace_back("--overwrite");
  CHECK(contains(run(all).out, "trained after step 10 in "));
}

TEST_CASE("the option --epochs counts every epoch's own batches under --batch-tokens", "[tools][train]") {
  const Scratch scratch;
  Arguments all = arguments(scratch.path() / "run", {"--epochs", "3", "--batch-tokens", "200"});
  const auto steps = std::ranges::find(all, "--steps");
  all.erase(steps, steps + 2);
  tools::Settings settings = tools::default_settings();
  const Ran ran = run(all);
  REQUIRE(ran.code == 0);
  settings = settings_of(scratch.path() / "run");
  const tools::Corpus corpus = tools::read_corpus(settings.data, settings.run.seed);
  gradus::data::BatchesOptions options = settings.batches;
  options.seed = settings.run.seed;
  gradus::data::Batches batches(tools::encode(corpus.train, tools::make_sides(settings.data, corpus.train)),
                                options);
  std::int64_t count = 0;
  for (; batches.epoch() < 3; batches.next()) {
    if (batches.position() == batches.batches_in_epoch() && batches.epoch() == 2) break;
    ++count;
  }
  CHECK(settings.trainer.steps == count);
}

TEST_CASE("the options --epochs and --steps exclude each other, and warm-up fits into the epochs",
          "[tools][train][errors]") {
  const Scratch scratch;
  const std::string help = "; 'gradus train --help' lists the options\n";
  const Ran both = run(arguments(scratch.path() / "run", {"--epochs", "3"}));
  CHECK(both.code == 2);
  CHECK(both.err == "gradus train: --steps and --epochs are alternatives; give only one of them" + help);
  Arguments all = arguments(scratch.path() / "run", {"--epochs", "3", "--warm-up", "15"});
  const auto steps = std::ranges::find(all, "--steps");
  all.erase(steps, steps + 2);
  const Ran warm = run(all);
  CHECK(warm.code == 2);
  CHECK(warm.err ==
        "gradus train: --warm-up 15 covers all 15 steps; lower --warm-up or raise --epochs" + help);
  CHECK_FALSE(fs::exists(scratch.path() / "run"));
}

TEST_CASE("files that do not belong to a run are not overwritten", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "site";
  fs::create_directory(out);
  for (const char* name : {"index.html", "settings.toml", "log.jsonl", "other"})
    std::ofstream(out / name) << "mine";
  for (const Arguments& more : {Arguments{}, Arguments{"--overwrite"}}) {
    const Ran ran = run(arguments(out, more));
    CHECK(ran.code == 1);
    CHECK(ran.err == "gradus train: '" + out.string() +
                         "' holds no run, but files that training would overwrite: index.html, log.jsonl, "
                         "settings.toml; choose another --out, or move them\n");
    for (const std::string& name : names(out)) CHECK(content(out / name) == "mine");
  }
  for (const char* name : {"index.html", "settings.toml", "log.jsonl"}) fs::remove(out / name);
  CHECK(run(arguments(out)).code == 0);
  CHECK(content(out / "other") == "mine");
}

TEST_CASE("equal scores are ranked by the lower loss", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out, {"--metric", "exact", "--learning-rate", "0.01"})).code == 0);
  const tools::History history = tools::History::read(out / "log.jsonl", 1000);
  REQUIRE(history.best() != nullptr);
  double least = history.evaluations().front().loss;
  for (const tools::History::Evaluation& entry : history.evaluations()) {
    REQUIRE(entry.score == 0);  // too few steps to reverse anything
    CHECK(entry.best == (&entry == &history.evaluations().front() || entry.loss < least));
    least = std::min(least, entry.loss);
  }
  CHECK(history.best()->loss == least);
  CHECK(least < history.evaluations().front().loss);
}

TEST_CASE("a run that stops early reports why", "[tools][train]") {
  const Scratch scratch;
  const Ran ran = run(replaced(
      arguments(scratch.path() / "run", {"--patience", "2", "--learning-rate", "1e-30"}), "--steps", "100"));
  CHECK(ran.code == 0);
  CHECK(contains(ran.out, "trained after step 21 in "));
  CHECK(contains(ran.out, " s, stopped early: no new best in 2 evaluations; best dev "));
}

TEST_CASE("a run can be resumed with more steps, and a different number of threads is noted",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  const Ran more = run({"train", "--resume", out.string(), "--steps", "30", "--threads", "2"});
  CHECK(more.code == 0);
  CHECK(contains(more.err,
                 "note: this resumed run will not be bit-identical: the number of threads was 1 and is 2\n"));
  CHECK(contains(more.out, "trained after step 30"));
  CHECK(settings_of(out).trainer.steps == 30);
  CHECK(settings_of(out).model.hidden == 6);
}

TEST_CASE("flags override a configuration file, which overrides a preset", "[tools][train][settings]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "my.toml", out = scratch.path() / "run";
  std::ofstream(file) << "hidden=9\nembedding=4\ncell=\"lstm\"\nlayers=1\n";
  const Ran ran = run({"train", "--task", "copy", "--examples", "20", "--held-out", "3", "--steps", "2",
                       "--preset", "d2l", "--config", file.string(), "--embedding", "7", "--bridge",
                       "summary", "--out", out.string()});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const tools::Settings settings = settings_of(out);
  CHECK(settings.model.embedding == 7);
  CHECK(settings.model.hidden == 9);
  CHECK(settings.model.cell == models::Cell::lstm);
  CHECK(settings.model.initial == models::Initial::xavier);
  CHECK_FALSE(settings.model.bidirectional);
}

TEST_CASE("numbers are decimal, on the command line and in a configuration", "[tools][train][settings]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "my.toml", out = scratch.path() / "run";
  std::ofstream(file) << "hidden=010\nseed=08\ndropout=0.10\n";
  const Ran ran =
      run({"train", "--task", "copy", "--examples", "020", "--held-out", "3", "--steps", "+2", "--embedding",
           "011", "--learning-rate", "1e-310", "--config", file.string(), "--out", out.string()});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const tools::Settings settings = settings_of(out);
  CHECK(settings.model.hidden == 10);
  CHECK(settings.model.embedding == 11);
  CHECK(settings.model.dropout == 0.1);
  CHECK(settings.data.examples == 20);
  CHECK(settings.trainer.steps == 2);
  CHECK(settings.run.seed == 8);
  CHECK(settings.run.learning_rate == 1e-310);
}

TEST_CASE("a preset is trained as in its paper unless flags override it", "[tools][train][settings]") {
  const Scratch scratch;
  const auto trained = [&](const char* preset, const Arguments& more) {
    const fs::path out = scratch.path() / "run";
    Arguments all{"train",    "--preset", preset,        "--layers", "1",     "--overwrite",
                  "--hidden", "4",        "--embedding", "4",        "--out", out.string()};
    for (const char* word : {"--task", "copy", "--examples", "20", "--held-out", "3", "--steps", "1"}) {
      all.push_back(word);
    }
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const tools::Settings settings = settings_of(out);
    std::ostringstream text;
    text << settings.trainer.optimiser << ' ' << settings.run.learning_rate << ' '
         << settings.trainer.schedule;
    return text.str();
  };
  CHECK(trained("bahdanau", {}) == "adadelta 1 constant");
  CHECK(trained("cho", {}) == "adadelta 1 constant");
  CHECK(trained("sutskever", {}) == "sgd 0.7 constant");
  CHECK(trained("d2l", {}) == "adam 0.005 constant");
  CHECK(trained("notebook", {}) == "adam 0 linear");
  CHECK(trained("sutskever", {"--optimiser", "adam"}) == "adam 0 constant");
  CHECK(trained("sutskever", {"--optimiser", "adam", "--learning-rate", "0.01"}) == "adam 0.01 constant");
  CHECK(trained("bahdanau", {"--learning-rate", "0.5", "--schedule", "cosine"}) == "adadelta 0.5 cosine");
}

TEST_CASE("resuming after the text has changed is refused", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path text = scratch.path() / "text.tsv", out = scratch.path() / "run";
  const auto write = [&](const char* last) {
    std::ofstream file(text);
    for (const char* word : {"one", "two", "three", "four"}) file << word << "\tun " << word << '\n';
    file << "five\t" << last << '\n';
  };
  write("cinq");
  const Arguments small{"--pairs",  text, "--dev-percent", "0", "--test-percent", "0", "--steps", "2",
                        "--hidden", "4",  "--embedding",   "4", "--out",          out};
  Arguments first{"train"};
  first.insert(first.end(), small.begin(), small.end());
  REQUIRE(run(first).code == 0);
  for (const char* changed : {"six", "un cinq entre mille"}) {  // the same number of tokens, and more
    write(changed);
    const Ran ran = run({"train", "--resume", out, "--steps", "3"});
    CHECK(ran.code == 1);
    CHECK(ran.err ==
          "gradus train: resume: the run was trained on other pairs or batches; give its original data and "
          "batch options, or start a new run\n");
  }
}

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
  CHECK(contains(ran.err, "; the first non-finite value came from "));
  CHECK(contains(ran.err, ": its result "));
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
      Catch::Matchers::StartsWith("train: 'model.") &&
          Catch::Matchers::EndsWith(" after step 1, so it is not saved; lower the learning rate"));
  CHECK_FALSE(fs::exists(scratch.path() / "last.safetensors"));
}

TEST_CASE("log values of the wrong type are ignored", "[tools][train]") {
  const Scratch scratch;
  const fs::path log = scratch.path() / "log.jsonl";
  std::ofstream(log) << R"({"step":3,"dev_loss":"low","best":1,"seconds":[]})" << '\n';
  const tools::History history = tools::History::read(log, 5);
  REQUIRE(history.evaluations().size() == 1);
  CHECK_FALSE(history.evaluations()[0].best);
  CHECK(std::isnan(history.evaluations()[0].loss));
}

TEST_CASE("damaged lines of the log do not prevent a resumption", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run", log = out / "log.jsonl";
  REQUIRE(run(arguments(out)).code == 0);
  const std::size_t entries = tools::History::read(log, 1000).training().size();
  std::string text = content(log);
  text[text.find("loss")] = '\xff';
  std::ofstream(log, std::ios::binary) << text << "no entry\n";
  const Ran ran = run({"train", "--resume", out.string(), "--steps", "24"});
  CHECK(ran.code == 0);
  CHECK(contains(ran.err, "note: damaged lines dropped from log.jsonl: 2\n"));
  CHECK(tools::History::read(log, 1000).training().size() == entries);  // one less, and the new step
  CHECK(tools::History::read(log, 1000).damaged_lines() == 0);
}

TEST_CASE("a second run in a folder is refused and names the first process", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  tools::Settings settings = tools::default_settings();
  settings.data.task = "reverse";
  settings.data.examples = 10;
  settings.data.held_out = 2;
  settings.run.out = out;
  const tools::TrainingRun first(settings, nullptr, models::Registry::standard());
  const Ran second = run(arguments(out, {"--overwrite"}));
  CHECK(second.code == 1);
  CHECK(second.err == "gradus train: '" + out.string() + "' is in use by process " +
                          std::to_string(::getpid()) + "; wait until it ends, or choose another folder\n");
  CHECK(names(out) == std::vector<std::string>{".gradus.lock"});
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
        "--preset: vaswani not in {sutskever,cho,bahdanau,d2l,notebook}" + help);
  check({"train", "--task", "copy", "--attention", "mine"}, 2,
        "--attention: mine not in {additive,dot,scaled_dot}" + help);
  check({"train", "--task", "copy", "--decoder", "mine"}, 2,
        "--decoder: mine not in {bahdanau,cho,fixed}" + help);
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
  check({"train", "--task", "copy", "--decoder", "fixed", "--entropy", "0.1"}, 2,
        "--entropy needs attention weights, which --decoder fixed lacks; omit --entropy, or give --decoder "
        "bahdanau" +
            help);
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
  const auto without = [&](const Arguments& given, const std::string& message) {
    Arguments all{"train"};
    all.insert(all.end(), given.begin(), given.end());
    check(all, 2, message + "; omit it" + help);
  };
  const std::string symbols = " has no effect without --task reverse, copy or sort";
  without({"--phrases", "eng-fra", "--symbols", "4"}, "--symbols 4" + symbols);
  without({"--task", "dates", "--max-length", "4"}, "--max-length 4" + symbols);
  without({"--task", "copy", "--max-year", "2000"}, "--max-year 2000 has no effect without --task dates");
  without({"--phrases", "eng-fra", "--examples", "4"}, "--examples 4 has no effect without --task");
  without({"--task", "copy", "--patience", "3", "--eval-every", "0"},
          "--patience 3 has no effect without evaluations, see --eval-every");
  without({"--task", "copy", "--decoder", "fixed", "--attention", "dot"},
          "--attention dot has no effect without attention, see --decoder");
  check({"train", "--resume", out.string(), "--preset", "d2l"}, 2, "--preset excludes --resume" + help);
  check({"train", "--hidden", "3", "--hidden", "4"}, 2,
        "--hidden takes one value, found several; give one" + help);
  check({"train", "--hidden"}, 2, "--hidden needs a value" + help);
  check({"train", "--config", (scratch.path() / "none").string()}, 1,
        "cannot read '" + (scratch.path() / "none").string() + "'; check the path and the permissions");
  std::ofstream(mistyped) << "[model]\nhidden = 9\n";
  check({"train", "--config", mistyped.string()}, 2,
        mistyped.string() + ": unknown section [model]; write all options without sections" + help);
  check({"train", "--hiden", "3"}, 2, "unknown option '--hiden'; did you mean --hidden?");
  check({"train", "--no-lowr"}, 2, "unknown option '--no-lowr'; did you mean --no-lower?");
  check({"train", "--transformer", "yes", "--hiden", "3"}, 2, "unknown option '--transformer'" + help);
  check({"train", "--cell", "transformer"}, 2,
        "--cell: transformer not in {rnn,gru,original-gru,lstm}; 'gradus train --help' lists the options");
  CHECK((content(out / "last.safetensors") == before));
  CHECK_FALSE(fs::exists(scratch.path() / "new"));
}
