// A command that fails before it writes anything must not leave a folder behind.

#include "tools/short_run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

TEST_CASE("a run that fails before its first update leaves no folder", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path parent = scratch.path() / "runs", out = parent / "run";
  const std::string model = write_small_model(scratch.path() / "model");
  const auto fails = [&](const Arguments& more, const std::string& message) {
    const Ran ran = run(replaced(replaced(arguments(out, more), "--sampling", "0"), "--entropy", "0"));
    INFO(ran.err);
    CHECK(ran.code == 1);
    CHECK(contains(ran.err, message));
    CHECK_FALSE(fs::exists(parent));
  };
  fails({"--teacher", model}, "teacher: '" + model + "' has another source vocabulary");
  fails({"--teacher", scratch.path() / "none"},
        "teacher: '" + (scratch.path() / "none").string() + "' cannot be opened: No such file");
  fails({"--attention", "gumbel", "--attention-temperature", "1e-300"}, "the loss at step 1 is nan");
  CHECK(run({"train", "--phrases", "eng-fra", "--init-from", model, "--hidden", "9", "--out", out}).code ==
        1);
  CHECK_FALSE(fs::exists(parent));

  fs::create_directory(parent);  // exists already, so the command must not remove it
  CHECK(run(replaced(arguments(out, {"--teacher", model}), "--sampling", "0")).code == 1);
  CHECK(names(parent).empty());
  {
    tools::Settings settings = tools::default_settings();
    settings.data.task = "reverse";
    settings.data.examples = settings.data.held_out = 5;
    settings.run.out = out;
    tools::TrainingRun stopped(settings, nullptr, models::Registry::standard());
    CHECK(fs::exists(out));
    stopped.train([] { return true; });
  }
  CHECK(names(parent).empty());
}

TEST_CASE("compress and convert that fail leave no folder", "[tools][compress][convert][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "new" / "out";
  const std::string model = write_small_model(scratch.path() / "model");
  CHECK(run({"compress", "--hidden", "9", "--model", model, "--out", out}).code != 0);
  CHECK_FALSE(fs::exists(out.parent_path()));
  {
    const SizeLimit full_disk(100);
    CHECK(run({"compress", "--int8", "--model", model, "--out", out}).code == 1);
    CHECK(run({"convert", "--model", model, "--vocabulary-out", out}).code == 1);
  }
  CHECK_FALSE(fs::exists(out.parent_path()));
  CHECK(run({"compress", "--int8", "--model", model, "--out", out}).code == 0);
  CHECK(names(out).size() == 1);
}
