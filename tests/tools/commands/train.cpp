// `gradus train`: the files it writes, and its options.

#include <algorithm>
#include <fstream>

#include "tools/short_run.hpp"
#include "training/history.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

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
  REQUIRE(history.evaluations().size() == 4);  // after steps 7, 14, 21 and the last one
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
  CHECK(contains(run(all).out, "trained after step 23 in "));  // --steps 23 overrides the configuration
  all.erase(std::ranges::find(all, "--steps"), std::ranges::find(all, "--steps") + 2);
  all.emplace_back("--overwrite");
  CHECK(contains(run(all).out, "trained after step 10 in "));
}

TEST_CASE("the option --epochs counts every epoch's own batches under --batch-tokens", "[tools][train]") {
  const Scratch scratch;
  const Arguments all = arguments(scratch.path() / "run", {"--epochs", "3", "--batch-tokens", "200"});
  const Ran ran = run(without(without(all, "--steps"), "--batch"));
  REQUIRE(ran.code == 0);
  const tools::Settings settings = settings_of(scratch.path() / "run");
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

TEST_CASE("equal scores are ranked by the lower loss", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out, {"--metric", "exact", "--learning-rate", "0.01"})).code == 0);
  const tools::History history = tools::History::read(out / "log.jsonl", 1000);
  REQUIRE(history.best() != nullptr);
  double least = history.evaluations().front().loss;
  for (const tools::History::Evaluation& entry : history.evaluations()) {
    REQUIRE(entry.score == 0);  // too short a run to learn reversal, so all scores are equal
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
