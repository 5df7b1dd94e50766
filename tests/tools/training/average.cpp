// `gradus train --average`: the step files it keeps, their mean, and resumption.

#include <gradus/models/average.hpp>

#include <algorithm>
#include <fstream>

#include "files/run_folder.hpp"
#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;
using Arguments = std::vector<std::string>;

namespace {

Arguments arguments(const fs::path& out, Arguments more = {}) {
  Arguments all{"train", "--task",       "reverse",   "--examples",  "40", "--held-out", "5",  "--hidden",
                "6",     "--energy",     "4",         "--embedding", "5",  "--steps",    "23", "--batch",
                "8",     "--save-every", "5",         "--threads",   "1",  "--average",  "3",  "--eval-every",
                "7",     "--out",        out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> weights_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& [step, path] : tools::step_files(folder)) files.push_back(path.filename().string());
  return files;
}

gradus::NamedTensors tensors_of(const fs::path& path) { return models::load_checkpoint(path).tensors; }

}  // namespace

TEST_CASE("the option --average keeps the newest checkpoints' weights and their mean",
          "[tools][train][average]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const Ran ran = run(arguments(out));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const std::vector<std::string> kept{"step-15.safetensors", "step-20.safetensors", "step-23.safetensors"};
  CHECK(weights_in(out) == kept);
  std::vector<gradus::NamedTensors> states;
  for (const std::string& name : kept) states.push_back(tensors_of(out / name));
  const gradus::NamedTensors mean = tensors_of(out / "average.safetensors"),
                             expected = models::average(states);
  REQUIRE(mean.size() == expected.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    CHECK(mean[i].first == expected[i].first);
    CHECK(mean[i].first.starts_with("model."));
    CHECK((mean[i].second.to_vector<float>() == expected[i].second.to_vector<float>()));
  }
  CHECK((mean[0].second.to_vector<float>() != states[2][0].second.to_vector<float>()));
  for (const auto& [name, tensor] : tensors_of(out / "last.safetensors")) {  // states[2] is the last step's
    for (const auto& [own, value] : states[2]) {
      if (own == name) CHECK((value.to_vector<float>() == tensor.to_vector<float>()));
    }
  }
  CHECK(models::load_checkpoint(out / "average.safetensors").metadata.at("averaged") == "15 20 23");

  // The summary must name the averaged steps, and the dev loss of the averaged weights.
  const std::string average = (out / "average.safetensors").string();
  const std::string line = "average of the weights after steps 15, 20, 23: dev loss ";
  const auto at = ran.out.find(line);
  REQUIRE(at != ran.out.npos);
  CHECK_THAT(ran.out, Catch::Matchers::ContainsSubstring(", in " + average + "\n"));
  const auto saved = tools::load_saved_model(average, models::Registry::standard());
  const auto corpus = tools::read_corpus(saved.settings.data, saved.settings.run.seed);
  const double loss = models::evaluate_loss(*saved.model, tools::encode(corpus.dev, saved.sides));
  CHECK(std::abs(std::stod(ran.out.substr(at + line.size())) - loss) < 1e-4);

  // Other commands load the averaged weights, and those of a step, like any model.
  CHECK(run({"translate", "--model", average}, "1 2 3\n").code == 0);
  CHECK(run({"translate", "--model", out / "step-20.safetensors"}, "1 2 3\n").code == 0);
  CHECK_THAT(run({"info", average}).out,
             Catch::Matchers::ContainsSubstring("\naverage     of the weights after steps 15 20 23\n"));
}

TEST_CASE("a stopped and resumed run has the same average as an uninterrupted one",
          "[tools][train][average][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole";
  REQUIRE(run(arguments(whole)).code == 0);
  for (const int stop : {1, 5, 7, 12, 20, 22}) {
    INFO("stopped after " << stop << " steps");
    const fs::path out = scratch.path() / std::to_string(stop);
    stop_after(stop, whole, out);
    CHECK(tools::step_files(out).size() == static_cast<std::size_t>(std::min(stop / 5, 3)));
    if (stop == 12) {  // simulates a killed run: a step file is newer than the last checkpoint
      fs::copy(whole / "step-20.safetensors", out / "step-400.safetensors");
    }
    if (stop == 20) fs::remove(out / "step-20.safetensors");
    REQUIRE(run({"train", "--resume", out.string()}).code == 0);
    CHECK(weights_in(out) == weights_in(whole));
    for (const std::string& name : weights_in(whole)) CHECK((content(out / name) == content(whole / name)));
    CHECK((content(out / "average.safetensors") == content(whole / "average.safetensors")));
  }
}

TEST_CASE("a run that ends early counts its last checkpoint, and a new run removes an old average",
          "[tools][train][average]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const Ran early = run(arguments(out, {"--patience", "1", "--learning-rate", "0", "--metric", "exact"}));
  INFO(early.err);
  REQUIRE(early.code == 0);
  CHECK_THAT(early.out, Catch::Matchers::ContainsSubstring("stopped early"));
  const auto files = weights_in(out);
  REQUIRE_FALSE(files.empty());
  CHECK(files.back() == "step-14.safetensors");

  std::ofstream(out / "step-x.safetensors") << "mine";
  Arguments again = arguments(out, {"--overwrite"});
  *std::next(std::ranges::find(again, "--average")) = "0";
  REQUIRE(run(again).code == 0);
  CHECK(weights_in(out).empty());
  CHECK_FALSE(fs::exists(out / "average.safetensors"));
  CHECK(content(out / "step-x.safetensors") == "mine");
}

TEST_CASE("names of step files are read strictly", "[tools][train][average]") {
  CHECK(tools::run_file::step_of("step-500.safetensors") == 500);
  CHECK(tools::run_file::of_step(500) == "step-500.safetensors");
  for (const char* name :
       {"step-.safetensors", "step-05.safetensors", "step-5", "step-5.safetensors.old",
        "step--5.safetensors.", "last.safetensors", "step-99999999999999999999.safetensors"}) {
    CHECK_FALSE(tools::run_file::step_of(name));
  }
}

TEST_CASE("other outputs do not overwrite a run's averaged weights", "[tools][train][average][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(arguments(out)).code == 0);
  const fs::path step = out / "step-20.safetensors";
  const Ran ran = run({"convert", "--model", out, "--to", step});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus convert: --to: '" + step.string() +
                       "' belongs to the run in its folder; choose another name or folder\n");
}
