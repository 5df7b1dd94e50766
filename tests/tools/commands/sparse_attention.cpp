// Attention with sparse, local or drawn weights, in the command: training, saving, decoding, and errors.

#include <nlohmann/json.hpp>

#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

// A short run without the attention entropy loss. `gradus train` refuses this loss for the attentions hard
// and gumbel, because their weights are 0 or 1.
Arguments sparse(const fs::path& out, const std::string& attention, const Arguments& more = {}) {
  Arguments all = replaced(arguments(out, {"--attention", attention}), "--entropy", "0");
  all.insert(all.end(), more.begin(), more.end());
  return attention == "dot" ? without(all, "--energy") : all;
}

// The weights of each target token, from `gradus align`.
std::vector<std::vector<double>> weights(const Arguments& more) {
  Arguments all{"align", "--text", "3 1 4 1 5 9", "--json", "-"};
  all.insert(all.end(), more.begin(), more.end());
  const Ran ran = run(all);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return nlohmann::json::parse(ran.out)[0]["weights"].get<std::vector<std::vector<double>>>();
}

std::ptrdiff_t most_non_zero(const std::vector<std::vector<double>>& rows) {
  std::ptrdiff_t most = 0;
  for (const auto& row : rows) {
    most = std::max(most, std::ranges::count_if(row, [](double weight) { return weight != 0; }));
  }
  return most;
}

}  // namespace

TEST_CASE("each sparse attention trains, resumes with the same numbers, and decodes", "[tools][sparse]") {
  const Scratch scratch;
  for (const std::string attention : {"sparsemax", "top_k", "local_p", "hard", "gumbel"}) {
    INFO(attention);
    const fs::path whole = scratch.path() / (attention + "-whole"), parts = scratch.path() / attention;
    REQUIRE(run(sparse(whole, attention)).code == 0);
    stop_after(10, whole, parts);
    gradus::seed(99);  // resuming must restore the random state from the checkpoint
    REQUIRE(run({"train", "--resume", parts.string()}).code == 0);
    CHECK((content(parts / "best.safetensors") == content(whole / "best.safetensors")));
    CHECK(run({"translate", "--model", whole.string(), "--beam", "3"}, "3 1 4\n2\n").code == 0);
    const std::ptrdiff_t most = most_non_zero(weights({"--model", whole.string()}));
    if (attention == "hard" || attention == "gumbel") CHECK(most == 1);
    if (attention == "top_k") CHECK(most == 2);
    if (attention == "local_p") CHECK((2 <= most && most <= 5));
  }
}

TEST_CASE("options of the attentions are saved with the run", "[tools][sparse]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  REQUIRE(run(sparse(out, "top_k", {"--attention-top-k", "3"})).code == 0);
  CHECK(settings_of(out).model.attention_top_k == 3);
  CHECK(most_non_zero(weights({"--model", out.string()})) == 3);

  const fs::path window = scratch.path() / "window";
  REQUIRE(run(sparse(window, "location",
                     {"--location-filters", "3", "--location-width", "5", "--location-window", "1"}))
              .code == 0);
  const gradus::nn::LocationOptions location = settings_of(window).model.location;
  CHECK(location.filters == 3);
  CHECK(location.width == 5);
  CHECK(location.window == 1);
  CHECK_FALSE(location.smooth);
  CHECK(most_non_zero(weights({"--model", window.string()})) == 3);
}

TEST_CASE("attention can be restricted to its k largest weights after training", "[tools][sparse]") {
  const Scratch scratch;
  const std::string a = scratch.path() / "a", b = scratch.path() / "b";
  REQUIRE(run(sparse(a, "additive")).code == 0);
  REQUIRE(run(sparse(b, "dot")).code == 0);
  const auto all = weights({"--model", a}), two = weights({"--model", a, "--attention-top-k", "2"});
  CHECK(most_non_zero(all) == 6);
  CHECK(most_non_zero(two) == 2);
  CHECK(weights({"--model", a, "--attention-top-k", "99"}) ==
        weights({"--model", a, "--attention-top-k", "6"}));
  CHECK(most_non_zero(weights({"--model", b, "--attention-top-k", "1"})) == 1);  // b projects its query
  CHECK(run({"translate", "--model", a, "--model", b, "--attention-top-k", "1"}, "3 1\n").code == 0);
  const auto score = [&](const std::string& k) {
    return run({"score", "--model", a, "--attention-top-k", k}, "3 1 4 1 5\t5 1 4 1 3\n").out;
  };
  CHECK(score("2") != score("0"));
  const Ran evaluated = run({"evaluate", "--model", a, "--attention-top-k", "2", "--beam", "2"});
  CHECK(evaluated.code == 0);
  CHECK(contains(evaluated.out, "5 test pairs, beam 2, length penalty 0.6, top-2 attention\n"));
}

TEST_CASE("sparse attention reports options that do not fit", "[tools][sparse]") {
  const Scratch scratch;
  const std::string out = scratch.path() / "run", new_run = scratch.path() / "new";
  const auto refused = [&](const Arguments& given) {
    const Ran ran = run(given);
    return std::to_string(ran.code) + ' ' + ran.err;
  };
  const std::string help = "; 'gradus train --help' lists the options\n";
  for (const std::string attention : {"hard", "gumbel"}) {
    CHECK(refused(arguments(new_run, {"--attention", attention})) ==
          "2 gradus train: --entropy needs weights that spread, but those of --attention " + attention +
              " are 0 or 1; omit --entropy, or give another --attention" + help);
    CHECK(
        refused({"gradcheck", "--attention", attention}) ==
        "2 gradus gradcheck: --attention " + attention +
            " draws positions at random; its gradient is an estimate, which finite differences cannot check; "
            "give another --attention; 'gradus gradcheck --help' lists the options\n");
  }
  CHECK(contains(refused(sparse(new_run, "local_p", {"--attention-window", "0.5"})),
                 "expected a finite number of at least 1, found 0.5"));
  for (const std::string width : {"4", "0", "-3", "3.5", "99999999999999999999", ""}) {
    CHECK(contains(refused(sparse(new_run, "location", {"--location-width", width})),
                   "--location-width: expected an odd number from 1 to 1000000000000000, found " +
                       (width.empty() ? "nothing" : width)));
  }
  CHECK_FALSE(fs::exists(new_run));

  // Earlier versions trained this run. Omitting the option would keep the weight in the run's settings.
  const fs::path hard = scratch.path() / "hard";
  REQUIRE(run(replaced(sparse(hard, "hard"), "--sampling", "0")).code == 0);
  const fs::path last = hard / "last.safetensors";
  models::Checkpoint checkpoint = models::load_checkpoint(last);
  tools::Settings settings = settings_of(hard);
  settings.teacher.model = hard;
  settings.teacher.attention = 1;
  checkpoint.metadata["settings"] = tools::to_text(settings);
  models::save_checkpoint(last, checkpoint);
  const Arguments resume{"train", "--resume", hard.string(), "--steps", "25"};
  CHECK(refused(resume) ==
        "2 gradus train: --teacher-attention needs weights that spread, but those of --attention hard are 0 "
        "or 1; give --teacher-attention 0" +
            help);
  Arguments without_attention = resume;
  without_attention.insert(without_attention.end(), {"--teacher-attention", "0"});
  CHECK(run(without_attention).code == 0);

  REQUIRE(run(sparse(out, "sparsemax")).code == 0);
  CHECK(
      refused({"translate", "--model", out, "--attention-top-k", "2"}) ==
      "1 gradus translate: top-k attention: '" + out +
          "/best.safetensors' (decoder 'bahdanau', attention 'sparsemax') has no softmax of attention scores "
          "to restrict; omit --attention-top-k, or use a model trained with --decoder bahdanau and an "
          "attention with a softmax, such as additive\n");
}
