// `gradus train --int8`: training with weights rounded to int8.

#include <gradus/nn/int8.hpp>

#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace nn = gradus::nn;
namespace tools = gradus::tools;

namespace {

Arguments rounded(const fs::path& out, Arguments more = {}) {
  more.insert(more.begin(), "--int8");
  return arguments(out, std::move(more));
}

// The checkpoint's matrices with a name that begins with `prefix`. The returned names lack the prefix.
gradus::NamedTensors matrices(const fs::path& file, const std::string& prefix) {
  gradus::NamedTensors found;
  for (const auto& [name, tensor] : models::load_checkpoint(file).tensors) {
    if (name.starts_with(prefix) && tensor.rank() == 2)
      found.emplace_back(name.substr(prefix.size()), tensor);
  }
  return found;
}

bool is_rounded(const gradus::Tensor& W) {
  return nn::dequantised(nn::quantise_rows(W)).to_vector<float>() == W.to_vector<float>();
}

}  // namespace

TEST_CASE("train --int8 trains with rounded matrices, and keeps exact ones in its checkpoints",
          "[tools][train][compress]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const Ran ran = run(rounded(out));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  for (const char* name : {"last.safetensors", "best.safetensors"}) {
    const auto model = matrices(out / name, "model."), exact = matrices(out / name, "trainer.exact.");
    REQUIRE(model.size() > 4);
    REQUIRE(exact.size() == model.size());
    for (std::size_t i = 0; i < model.size(); ++i) {
      CAPTURE(name, model[i].first);
      CHECK(model[i].first == exact[i].first);
      CHECK(is_rounded(model[i].second));
      CHECK_FALSE(is_rounded(exact[i].second));
      CHECK(nn::dequantised(nn::quantise_rows(exact[i].second)).to_vector<float>() ==
            model[i].second.to_vector<float>());
    }
  }
  CHECK(settings_of(out).int8);

  const fs::path small = scratch.path() / "small";
  REQUIRE(run({"compress", "--int8", "--model", out.string(), "--out", small.string()}).code == 0);
  const auto before = matrices(out / "best.safetensors", "model."),
             after = matrices(small / "best.safetensors", "model.");
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].second.to_vector<float>() == after[i].second.to_vector<float>());
  }
  CHECK(run({"evaluate", "--model", small.string()}).code == 0);
}

TEST_CASE("a stopped and resumed run with --int8 has the same bytes as an uninterrupted one",
          "[tools][train][resume][compress]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", out = scratch.path() / "resumed";
  REQUIRE(run(rounded(whole)).code == 0);
  stop_after(7, whole, out);
  REQUIRE(run({"train", "--resume", out.string()}).code == 0);
  CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));
}

TEST_CASE("a run resumed with --int8 chooses its best model among rounded ones",
          "[tools][train][resume][compress]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  const auto resumed = [&](Arguments more) {
    more.insert(more.begin(), {"train", "--resume", out.string(), "--threads", "1", "--int8"});
    return run(more);
  };
  const Ran refused = resumed({});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err,
                 "the run has ended after step 23, so that --int8 cannot change; give more --steps, or omit "
                 "--int8"));
  // A large learning rate, so that no rounded model has a better loss than the exact one.
  REQUIRE(resumed({"--steps", "26", "--learning-rate", "200"}).code == 0);
  const auto best = matrices(out / "best.safetensors", "model.");
  REQUIRE(best.size() > 4);
  for (const auto& [name, W] : best) CHECK(is_rounded(W));
  CHECK(tools::History::read(out / "log.jsonl", 1000).best()->step > 23);
}

TEST_CASE("the average of a run with --int8 is rounded", "[tools][train][average][compress]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(rounded(out, {"--average", "2", "--learning-rate", "0.05"})).code == 0);
  const auto average = matrices(out / "average.safetensors", "model."),
             last = matrices(out / "last.safetensors", "model.");
  REQUIRE(average.size() == last.size());
  for (std::size_t i = 0; i < average.size(); ++i) {
    CAPTURE(average[i].first);
    CHECK(is_rounded(average[i].second));
    CHECK(average[i].second.to_vector<float>() != last[i].second.to_vector<float>());
  }
}

TEST_CASE("training with --int8 can begin and end in a resumed run, and errors name the reason",
          "[tools][train][resume][compress]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  CHECK(matrices(out / "last.safetensors", "trainer.exact.").empty());
  REQUIRE(run({"train", "--resume", out.string(), "--steps", "26", "--int8"}).code == 0);
  for (const auto& [name, W] : matrices(out / "last.safetensors", "model.")) CHECK(is_rounded(W));
  REQUIRE(run({"train", "--resume", out.string(), "--steps", "29", "--int8=false"}).code == 0);
  CHECK(matrices(out / "last.safetensors", "trainer.exact.").empty());

  const Ran infinite =
      run(rounded(scratch.path() / "no", {"--optimiser", "sgd", "--clip", "inf", "--learning-rate", "1e39"}));
  CHECK(contains(infinite.err, "gradus train: a weight is not finite after step 1; lower the learning rate"));
  const Ran refused = run(rounded(scratch.path() / "no", {"--prune", "0.5"}));
  CHECK(refused.code == 2);
  CHECK(contains(refused.err,
                 "gradus train: --int8 may move pruned weights away from 0; train with --prune and without "
                 "--int8, and then round with gradus compress --int8;"));
}
