// `gradus train --resume` in a folder that holds files of two runs.

#include <algorithm>
#include <cstddef>
#include <fstream>

#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;

namespace {

// A run with these options, each followed by its value.
Arguments short_run(const fs::path& out, const Arguments& options = {}) {
  Arguments all{"train",     "--task",       "reverse", "--examples",   "40", "--held-out", "5", "--steps",
                "12",        "--eval-every", "4",       "--save-every", "4",  "--batch",    "8", "--hidden",
                "6",         "--embedding",  "5",       "--energy",     "4",  "--threads",  "1", "--out",
                out.string()};
  for (std::size_t i = 0; i < options.size(); i += 2) {
    if (std::ranges::count(all, options[i]) > 0) all = without(all, options[i]);
    all.insert(all.end(), {options[i], options[i + 1]});
  }
  return all;
}

Ran resumed(const fs::path& folder, const char* steps, const Arguments& more = {}) {
  Arguments all{"train", "--resume", folder.string(), "--steps", steps};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

void replace(const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("a folder with checkpoints of two runs is refused", "[tools][train][resume][errors]") {
  const Scratch scratch;
  const fs::path own = scratch.path() / "own", other = scratch.path() / "other";
  REQUIRE(run(short_run(own, {"--average", "2"})).code == 0);
  const std::string last = content(own / "last.safetensors"), settings = content(own / "settings.toml");
  for (const auto& [options, difference] :
       {std::pair{Arguments{"--hidden", "7"}, "has hidden=7 instead of hidden=6"},
        {{"--attention", "top_k"}, "has attention=\"top_k\" instead of attention=\"additive\""},
        {{"--symbols", "12"}, "has another vocabulary"},
        {{"--seed", "2"}, "has another vocabulary"},  // other examples
        {{"--batch", "7"}, "was trained on other pairs or batches"}}) {
    for (const char* name : {"best.safetensors", "step-8.safetensors"}) {
      if (name[0] == 's' && options.front() != "--hidden") continue;  // without a state of the batches
      INFO(difference << " in " << name);
      Arguments more = short_run(other, options);
      more.insert(more.end(), {"--average", "2", "--overwrite"});
      REQUIRE(run(more).code == 0);
      const std::string kept = content(own / name);
      replace(other / name, own / name);
      const Ran ran = resumed(own, "14");
      CHECK(ran.code == 1);
      CHECK(ran.err == "gradus train: resume: '" + own.string() + "' holds files of two runs: " + name + ' ' +
                           difference +
                           ", unlike last.safetensors; move the file of the other run to another "
                           "folder\n");
      CHECK((content(own / "last.safetensors") == last));
      CHECK(content(own / "settings.toml") == settings);
      std::ofstream(own / name, std::ios::binary) << kept;
    }
  }
  CHECK(resumed(own, "14").code == 0);
}

TEST_CASE("a folder with other checkpoints of its own run is resumed", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", out = scratch.path() / "run";
  REQUIRE(run(short_run(whole)).code == 0);
  stop_after(10, whole, out);
  SECTION("the best checkpoint is newer than the last") {
    replace(whole / "best.safetensors", out / "best.safetensors");
    CHECK(resumed(out, "14").code == 0);
  }
  SECTION("options that may change have changed") {
    REQUIRE(resumed(out, "14",
                    {"--learning-rate", "0.01", "--metric", "exact", "--eval-every", "13", "--prune", "0.5",
                     "--prune-until", "13", "--label-smoothing", "0.1"})
                .code == 0);
    CHECK(resumed(out, "15").code == 0);
    CHECK(resumed(out / "best.safetensors", "16").code == 0);
  }
  SECTION("the best model is compressed, or damaged, or missing") {
    REQUIRE(run({"compress", "--hidden", "4", "--model", whole.string(), "--out",
                 (scratch.path() / "narrow").string()})
                .code == 0);
    replace(scratch.path() / "narrow/best.safetensors", out / "best.safetensors");
    CHECK(resumed(out, "14").code == 0);
    std::ofstream(out / "best.safetensors") << "nothing";
    CHECK(resumed(out, "15").code == 0);
    fs::remove(out / "best.safetensors");
    CHECK(resumed(out, "16").code == 0);
  }
  SECTION("a new run was killed while it replaced this run") {
    const fs::path other = scratch.path() / "other";
    REQUIRE(run(short_run(other, {"--hidden", "7"})).code == 0);
    fs::rename(other / "last.safetensors", out / "next.safetensors");
    CHECK(resumed(out, "14").code == 0);
    CHECK(settings_of(out).model.hidden == 7);
  }
}

TEST_CASE("a resumed run notes that settings.toml is of another model", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path own = scratch.path() / "own", other = scratch.path() / "other";
  REQUIRE(run(short_run(own)).code == 0);
  REQUIRE(run(short_run(other, {"--hidden", "7"})).code == 0);
  const std::string note =
      "note: '" + (own / "settings.toml").string() +
      "' has hidden=7 instead of hidden=6; the run keeps the options of its checkpoint, and "
      "replaces this file\n";
  replace(other / "settings.toml", own / "settings.toml");
  Ran ran = resumed(own, "14");
  CHECK(ran.code == 0);
  CHECK(contains(ran.err, note));
  CHECK(settings_of(own).model.hidden == 6);
  ran = resumed(own, "15");
  CHECK(ran.code == 0);
  CHECK_FALSE(contains(ran.err, "settings.toml"));
  std::ofstream(own / "settings.toml") << "nonsense";
  ran = resumed(own, "16");
  CHECK(ran.code == 0);
  CHECK_FALSE(contains(ran.err, "settings.toml"));
}
