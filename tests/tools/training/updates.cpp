// `gradus train --accumulate` and `--weight-decay`.

#include <cmath>

#include "tools/short_run.hpp"

namespace fs = std::filesystem;

namespace {

std::vector<float> weights_of(const fs::path& run) {
  for (const auto& [name, tensor] : gradus::models::load_checkpoint(run / "last.safetensors").tensors) {
    if (name == "model.encoder.rnn.weight_hh_l0") return tensor.to_vector<float>();
  }
  FAIL("no weights");
  return {};
}

double norm(const std::vector<float>& weights) {
  double sum = 0;
  for (const float w : weights) sum += static_cast<double>(w) * w;
  return std::sqrt(sum);
}

// Trains, and returns the weights.
std::vector<float> trained(const Arguments& more) {
  const Scratch scratch;
  const Ran ran = run(arguments(scratch.path() / "run", more));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return weights_of(scratch.path() / "run");
}

std::string refused(const Arguments& more) {
  const Scratch scratch;
  const Ran ran = run(arguments(scratch.path() / "run", more));
  CHECK(ran.code == 2);
  CHECK(names(scratch.path()).empty());
  return ran.err;
}

const std::string help = "; 'gradus train --help' lists the options\n";

}  // namespace

TEST_CASE("the option --accumulate takes several batches per update", "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  Arguments all = arguments(out, {"--epochs", "4", "--accumulate", "2"});
  const auto steps = std::ranges::find(all, "--steps");
  all.erase(steps, steps + 2);
  const Ran ran = run(all);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(contains(ran.out, "steps       10, 5 batches per epoch, "));  // 4 epochs of 5 batches
  CHECK(contains(run({"train", "--resume", out, "--epochs", "5"}).out, "trained after step 13 in "));
  CHECK(settings_of(out).trainer.accumulate == 2);

  // The weights after one update. All 40 pairs as one batch must give the same weights as five accumulated
  // batches, because the loss is the mean over all tokens.
  const auto update = [&](const std::string& batch, const std::string& accumulate) {
    const Scratch folder;
    Arguments one = arguments(folder.path() / "run", {"--accumulate", accumulate, "--optimiser", "sgd"});
    for (const char* option : {"--dropout", "--sampling", "--entropy"}) one = replaced(one, option, "0");
    REQUIRE(run(replaced(replaced(one, "--steps", "1"), "--batch", batch)).code == 0);
    return weights_of(folder.path() / "run");
  };
  const std::vector<float> whole = update("40", "1"), parts = update("8", "5"), first = update("8", "1");
  REQUIRE(whole.size() == parts.size());
  double apart = 0, from_first = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    apart = std::max(apart, std::abs(static_cast<double>(whole[i]) - parts[i]));
    from_first = std::max(from_first, std::abs(static_cast<double>(whole[i]) - first[i]));
  }
  CHECK(apart < 1e-6);
  CHECK(from_first > 1e-5);
  CHECK(refused({"--accumulate", "0"}) ==
        "gradus train: --accumulate: expected a whole number from 1 to 1000000, found 0" + help);
}

TEST_CASE("the option --weight-decay shrinks the weights", "[tools][train]") {
  const Arguments adamw{"--optimiser", "adamw"};
  const auto with = [&](const std::string& decay) {
    return trained({"--optimiser", "adamw", "--weight-decay", decay});
  };
  const std::vector<float> own = trained(adamw), none = with("0");
  CHECK((own == with("0.01")));
  CHECK((own == with("own")));
  CHECK((own != none));
  CHECK(norm(with("5")) < 0.95 * norm(none));
  CHECK(refused({"--weight-decay", "-1"}) ==
        "gradus train: --weight-decay: expected a finite number of at least 0, found -1" + help);
  CHECK(refused({"--weight-decay", "some"}) ==
        "gradus train: --weight-decay: expected a finite number of at least 0, found some" + help);
}
