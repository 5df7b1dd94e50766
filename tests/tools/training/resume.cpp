// `gradus train --resume`: a resumed run writes the same bytes as an uninterrupted one. Also tests the log of
// a run, and the class Interrupt, which records signals.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <sys/stat.h>

#include "tools/short_run.hpp"
#include "training/history.hpp"
#include "training/interrupt.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

TEST_CASE("a stopped and resumed run has the same bytes as an uninterrupted one", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole";
  REQUIRE(run(arguments(whole)).code == 0);
  for (const int stop : {1, 5, 7, 12, 22}) {  // covers a save, an evaluation, and a later epoch
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
    gradus::seed(99);  // resuming must restore the random state from the checkpoint
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
  REQUIRE(run(replaced(arguments(whole), "--steps", "200")).code == 0);  // logs every second step
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
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    auto* const before = std::signal(signal, SIG_DFL);  // under nohup, SIGHUP would be ignored
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
  CHECK(contains(run({"train", "--resume", out.string()}).out,
                 "no steps left: the run had ended after step 30; best dev "));
  CHECK(settings_of(out).trainer.steps == 30);
  CHECK(settings_of(out).model.hidden == 6);
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
  // First another word with the same id, then other ids with as many tokens, then more tokens.
  for (const char* changed : {"cinque", "six", "un cinq entre mille"}) {
    write(changed);
    const Ran ran = run({"train", "--resume", out, "--steps", "3"});
    CHECK(ran.code == 1);
    CHECK(ran.err ==
          "gradus train: resume: the run was trained on other pairs or batches; give its original data and "
          "batch options, or start a new run\n");
  }
}

TEST_CASE("a resumed run with another --metric does not compare its scores with those of the old one",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  // If old and new scores were compared, the resumed run could find no new best model. The old losses exceed
  // 1, and no exact match is above 1. The old exact matches are 0, and no loss is below 0.
  for (const auto& [before, now] : {std::pair{"loss", "exact"}, {"exact", "loss"}}) {
    INFO(before << ", then " << now);
    REQUIRE(run(arguments(out, {"--metric", before, "--overwrite"})).code == 0);
    const std::string best = content(out / "best.safetensors");
    Ran ran = run({"train", "--resume", out.string(), "--metric", now});
    CHECK(ran.code == 2);
    CHECK(contains(
        ran.err,
        "the run has ended after step 23, so that --metric cannot change; give more --steps, or omit "
        "--metric"));
    CHECK((content(out / "best.safetensors") == best));
    ran = run({"train", "--resume", out.string(), "--metric", now, "--steps", "30"});
    INFO(ran.err << ran.out);
    REQUIRE(ran.code == 0);
    const tools::History history = tools::History::read(out / "log.jsonl", 1000);
    REQUIRE(history.best() != nullptr);
    CHECK(history.best()->step > 23);
    CHECK(history.best()->score ==
          (std::string(now) == "loss" ? history.best()->loss : history.best()->exact));
    CHECK((content(out / "best.safetensors") != best));
    CHECK(contains(ran.out, std::string("best dev ") + now + ' '));
  }
}

TEST_CASE("a resumed run with other dev pairs does not compare its scores with those of the old ones",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path train = scratch.path() / "train.tsv", dev = scratch.path() / "dev.tsv",
                 out = scratch.path() / "run";
  std::ofstream(train) << "a b\tx y\nb a\ty x\na a\tx x\n";
  std::ofstream(dev) << "a b\tx y\n";  // easy
  const Ran first = run({"train", "--pairs", train, "--dev-pairs", dev, "--test-percent", "0", "--steps",
                         "30", "--eval-every", "10", "--hidden", "4", "--embedding", "4", "--learning-rate",
                         "0.02", "--out", out});
  REQUIRE(first.code == 0);
  const std::string best = content(out / "best.safetensors");
  std::ofstream(dev) << "a b\ty y y y y y y\n";  // hard: no later loss is as low as the losses so far
  Ran ran = run({"train", "--resume", out});
  CHECK(ran.code == 2);
  CHECK(
      contains(ran.err,
               "the run has ended after step 30, so that the dev pairs cannot change; give more --steps, or "
               "give the original dev pairs"));
  CHECK((content(out / "best.safetensors") == best));
  ran = run({"train", "--resume", out, "--steps", "40"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  CHECK(contains(ran.err,
                 "note: the dev pairs are not those of before, so the best checkpoint is chosen among new "
                 "ones\n"));
  const tools::History history = tools::History::read(out / "log.jsonl", 1000);
  REQUIRE(history.best() != nullptr);
  CHECK(history.best()->step == 40);
  CHECK((content(out / "best.safetensors") != best));
  ran = run({"train", "--resume", out, "--steps", "41"});
  CHECK_FALSE(contains(ran.err, "the dev pairs"));
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

TEST_CASE("a log that is not a regular file is not read", "[tools][train][resume][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run", log = out / "log.jsonl";
  REQUIRE(run(arguments(out)).code == 0);
  const auto resumed = [&] { return run({"train", "--resume", out.string(), "--steps", "24"}); };
  const std::string message =
      "gradus train: log: '" + log.string() + "' is not a regular file; remove it and resume again\n";
  fs::remove(log);
  REQUIRE(::mkfifo(log.c_str(), 0600) == 0);
  CHECK(resumed().err == message);
  fs::remove(log);
  fs::create_symlink("/dev/full", log);
  CHECK(resumed().err == message);
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
  CHECK(tools::History::read(log, 1000).training().size() == entries);  // one entry lost, one added
  CHECK(tools::History::read(log, 1000).damaged_lines() == 0);
}

TEST_CASE("the plateau schedule lowers the rate of a run, also of a resumed one", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", out = scratch.path() / "stopped";
  const Arguments more{"--schedule", "plateau", "--plateau-patience", "0", "--metric", "exact"};
  const Ran ran = run(replaced(arguments(whole, more), "--eval-every", "4"));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto rates = [](const fs::path& folder) {  // exact match stays at 0, so nothing improves
    std::vector<double> all;
    const tools::History history = tools::History::read(folder / "log.jsonl", 1000);
    for (const auto& entry : history.training()) {
      if (all.empty() || entry.learning_rate != all.back()) all.push_back(entry.learning_rate);
    }
    return all;
  };
  CHECK(rates(whole) == std::vector{0.001, 0.0005, 0.00025, 0.000125, 0.0001});
  tools::Settings settings = settings_of(whole);
  settings.run.out = out;
  int steps = 0;
  tools::TrainingRun(settings, nullptr, models::Registry::standard()).train([&] { return steps++ == 13; });
  const Ran resumed = run({"train", "--resume", out.string()});
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));
  CHECK(rates(out) == rates(whole));
}
