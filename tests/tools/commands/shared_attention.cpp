// Attention that multiplies queries and annotations by the same matrix (shared_additive), in the command:
// training, decoding and compression.

#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

TEST_CASE("attention with a shared matrix trains, resumes with the same numbers, and decodes",
          "[tools][shared]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole", parts = scratch.path() / "parts";
  REQUIRE(run(arguments(whole, {"--attention", "shared_additive"})).code == 0);
  CHECK(settings_of(whole).model.attention == "shared_additive");
  stop_after(10, whole, parts);
  REQUIRE(run({"train", "--resume", parts.string()}).code == 0);
  CHECK((content(parts / "best.safetensors") == content(whole / "best.safetensors")));
  CHECK(run({"translate", "--model", whole.string(), "--beam", "3"}, "3 1 4\n2\n").code == 0);
  const Ran info = run({"info", whole.string(), "--tensors"});
  CHECK(contains(info.out, "decoder.attention.W_a.weight"));
  CHECK(!contains(info.out, "U_a"));
}

TEST_CASE("a model with a shared matrix can be rounded, pruned and narrowed", "[tools][shared]") {
  const Scratch scratch;
  const std::string model = scratch.path() / "run";
  REQUIRE(run(arguments(model, {"--attention", "shared_additive"})).code == 0);
  const auto compressed = [&](const std::string& name, const Arguments& how) {
    const std::string out = model + name;
    Arguments all{"compress", "--model", model, "--out", out};
    all.insert(all.end(), how.begin(), how.end());
    const Ran ran = run(all);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    for (const char* command : {"translate", "align"}) {
      Arguments use{command, "--model", out};
      if (use.front() == "align") use.insert(use.end(), {"--text", "3 1 4"});
      const Ran used = run(use, "3 1 4\n2\n");
      INFO(command << ": " << used.err);
      CHECK(used.code == 0);
    }
    CHECK(run({"evaluate", "--model", out}).code == 0);
    return out;
  };
  compressed("8", {"--int8"});
  compressed("pruned", {"--prune", "0.5"});
  const std::string narrow = compressed("narrow", {"--hidden", "4"});
  const std::string tuned = narrow + "-tuned";
  const Ran ran = run({"train", "--init-from", narrow, "--steps", "3", "--threads", "1", "--out", tuned});
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(settings_of(tuned).model.hidden == 4);
  CHECK(settings_of(tuned).model.attention == "shared_additive");
}
