// Tests the configuration files in configs/.

#include <filesystem>

#include "settings/settings.hpp"
#include "tools/run.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path configs = fs::path(GRADUS_SOURCE) / "configs";

}  // namespace

TEST_CASE("every configuration is valid, and has its own output folder", "[tools][configs]") {
  int found = 0;
  for (const auto& entry : fs::directory_iterator(configs)) {
    INFO(entry.path());
    const auto settings = gradus::tools::settings_from_text(content(entry.path()));
    CHECK(settings.run.out == fs::path("out") / entry.path().stem());
    ++found;
  }
  CHECK(found >= 5);
}

TEST_CASE("a configuration trains", "[tools][configs]") {
  const Scratch scratch;
  const Ran ran = run({"train", "--config", (configs / "reverse.toml").string(), "--examples", "100",
                       "--held-out", "5", "--steps", "2", "--out", (scratch.path() / "out").string()});
  INFO(ran.err);
  CHECK(ran.code == 0);
}
