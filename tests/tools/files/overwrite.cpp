// `gradus train --overwrite`: replaces a run, and refuses some folders.

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/safetensors.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <unistd.h>

#include "tools/short_run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

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
  write_small_model(out);
  const std::string model = content(out / "best.safetensors");
  CHECK(run(arguments(out)).err ==
        "gradus train: '" + (out / "best.safetensors").string() +
            "' is a model; choose another --out, or replace it with --overwrite\n");
  CHECK((content(out / "best.safetensors") == model));
  const Ran ran = run({"train", "--resume", out.string()});
  CHECK(ran.code == 1);
  const std::string best = (out / "best.safetensors").string();
  CHECK(ran.err == "gradus train: resume: '" + best +
                       "' holds only weights, without the state of the training; start a new run from them "
                       "with --init-from " +
                       best + "\n");
  fs::remove(best);
  CHECK(run({"train", "--resume", out.string()}).err ==
        "gradus train: resume: '" + out.string() +
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
  CHECK(diverged.err.find("first non-finite") == std::string::npos);  // that detail is for programmers
  CHECK(diverged.err.find("lower the learning rate") != std::string::npos);
  CHECK((files() == before));

  {
    tools::TrainingRun stopped(settings_of(out), nullptr, models::Registry::standard());
    CHECK_FALSE(stopped.train([] { return true; }));
    CHECK(contains(stopped.summary(), "stopped after step 0 in 0 s"));
    CHECK(contains(stopped.summary(), "\nnothing was saved\n"));
  }
  CHECK((files() == before));
}

// Once the new run has a checkpoint, a kill can leave the folder in three states: the new checkpoint and all
// old files, the new checkpoint and some old files, or only the new checkpoint.
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
                         "' holds files of no run that training would overwrite: index.html, log.jsonl, "
                         "settings.toml; choose another --out, or move them\n");
    for (const std::string& name : names(out)) CHECK(content(out / name) == "mine");
  }
  for (const char* name : {"index.html", "settings.toml", "log.jsonl"}) fs::remove(out / name);
  CHECK(run(arguments(out)).code == 0);
  CHECK(content(out / "other") == "mine");
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

TEST_CASE("weights of the user are not overwritten, beside a run or without one", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  fs::create_directory(out);
  const auto check = [&](const std::string& files) {
    for (const Arguments& more : {Arguments{}, Arguments{"--overwrite"}}) {
      CHECK(run(arguments(out, more)).err == "gradus train: '" + out.string() +
                                                 "' holds files of no run that training would overwrite: " +
                                                 files + "; choose another --out, or move them\n");
    }
  };
  std::ofstream(out / "best.safetensors") << "mine";
  gradus::nn::save_safetensors(out / "last.safetensors", {{"mine", gradus::ones({2})}});
  const std::string mine = content(out / "last.safetensors");
  check("best.safetensors, last.safetensors");
  fs::remove(out / "best.safetensors");
  check("last.safetensors");
  CHECK((content(out / "last.safetensors") == mine));
  fs::remove(out / "last.safetensors");

  REQUIRE(run(arguments(out)).code == 0);
  std::ofstream(out / "step-7.safetensors") << "mine";
  check("step-7.safetensors");
  CHECK(content(out / "step-7.safetensors") == "mine");
}
