// `gradus train --source-embeddings`, `--target-embeddings` and `--freeze-embeddings`.

#include <fstream>

#include "tools/run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;
using Arguments = std::vector<std::string>;

namespace {

struct Files {
  Scratch scratch;
  fs::path at(const char* name) const { return scratch.path() / name; }

  Files() {
    std::ofstream(at("pairs")) << "the red book\tle livre rouge\nthe book\tle livre\na book\tun livre\n";
    std::ofstream(at("english")) << "3 2\nthe 0.5 -0.25\nbook 3 4\nhouse 5 6\n";
    std::ofstream(at("french")) << "livre 7 8\n";
    std::ofstream(at("large")) << "the 1 2 3\n";
    std::ofstream(at("other")) << "das 1 2\n";
  }

  Ran train(const Arguments& more, const char* out = "run") const {
    Arguments all{"train",
                  "--pairs",
                  at("pairs"),
                  "--dev-percent",
                  "0",
                  "--test-percent",
                  "0",
                  "--steps",
                  "2",
                  "--embedding",
                  "2",
                  "--hidden",
                  "3",
                  "--energy",
                  "2",
                  "--threads",
                  "1",
                  "--out",
                  at(out).string()};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

std::vector<float> row(const tools::SavedModel& saved, const std::string& part, const char* token) {
  const auto& side = part == "encoder" ? saved.sides.source : saved.sides.target;
  const std::int64_t id = side.vocabulary.id(token);
  for (const auto& [name, tensor] : saved.checkpoint.tensors) {
    if (name != "model." + part + ".embedding.weight") continue;
    const auto values = tensor.values<float>();
    return {values.begin() + id * 2, values.begin() + id * 2 + 2};
  }
  return {};
}

tools::SavedModel saved(const fs::path& run) {
  return tools::load_saved_model(run / "last.safetensors", gradus::models::Registry::standard());
}

}  // namespace

TEST_CASE("word vectors are the first embeddings, and the coverage is printed", "[tools][train]") {
  const Files files;
  const Ran ran = files.train({"--source-embeddings", files.at("english"), "--target-embeddings",
                               files.at("french"), "--learning-rate", "1e-30"});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(ran.out.find("\nembeddings  2 of 4 source tokens (50.0 %) from " + files.at("english").string() +
                     "\nembeddings  1 of 4 target tokens (25.0 %) from " + files.at("french").string() +
                     "\nsteps ") != std::string::npos);
  const tools::SavedModel model = saved(files.at("run"));
  CHECK(row(model, "encoder", "the") == std::vector{0.5F, -0.25F});
  CHECK(row(model, "encoder", "book") == std::vector<float>{3, 4});
  CHECK(row(model, "decoder", "livre") == std::vector<float>{7, 8});
  REQUIRE(files.train({"--learning-rate", "1e-30"}, "random").code == 0);
  const tools::SavedModel random = saved(files.at("random"));
  CHECK(row(model, "encoder", "red") == row(random, "encoder", "red"));
  CHECK(row(model, "decoder", "un") == row(random, "decoder", "un"));
  CHECK(row(model, "encoder", "the") != row(random, "encoder", "the"));
}

TEST_CASE("frozen embeddings stay as they are, also in a resumed run", "[tools][train][resume]") {
  const Files files;
  const Arguments frozen{"--source-embeddings", files.at("english"), "--target-embeddings",
                         files.at("french"), "--freeze-embeddings"};
  REQUIRE(files.train(frozen).code == 0);
  const tools::SavedModel before = saved(files.at("run"));
  fs::remove(files.at("english"));  // resuming does not need the file of word vectors
  const Ran resumed = run({"train", "--resume", files.at("run"), "--steps", "4"});
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(resumed.out.find("embeddings") == std::string::npos);
  const tools::SavedModel after = saved(files.at("run"));
  for (const char* token : {"the", "red"})
    CHECK(row(after, "encoder", token) == row(before, "encoder", token));
  CHECK(row(after, "decoder", "livre") == std::vector<float>{7, 8});
  CHECK(row(after, "encoder", "the") == std::vector{0.5F, -0.25F});

  const std::string fixed = "gradus train: resume: the run's embeddings are in its checkpoint, so ",
                    omit = " cannot change; omit it, or start a new run\n";
  CHECK(run({"train", "--resume", files.at("run"), "--steps", "5", "--source-embeddings", "x"}).err ==
        fixed + "--source-embeddings" + omit);
  CHECK(run({"train", "--resume", files.at("run"), "--steps", "5", "--freeze-embeddings=false"}).err ==
        fixed + "--freeze-embeddings" + omit);
}

TEST_CASE("trained embeddings change", "[tools][train]") {
  const Files files;
  REQUIRE(files.train({"--source-embeddings", files.at("english")}).code == 0);
  CHECK(row(saved(files.at("run")), "encoder", "the") != std::vector{0.5F, -0.25F});
}

TEST_CASE("word vectors that do not fit are refused", "[tools][train][errors]") {
  const Files files;
  const auto refused = [&](const Arguments& more) {
    const Ran ran = files.train(more);
    return std::to_string(ran.code) + ' ' + ran.err;
  };
  CHECK(refused({"--source-embeddings", files.at("large")}) ==
        "1 gradus train: embeddings: '" + files.at("large").string() +
            "' has vectors of size 3, and --embedding is 2; give --embedding 3 or another file\n");
  CHECK(refused({"--target-embeddings", files.at("other")}) ==
        "1 gradus train: embeddings: '" + files.at("other").string() +
            "' has a vector for none of the 4 target tokens; give a file of that language, and see --lower "
            "and --bpe\n");
  CHECK(refused({"--source-embeddings", files.at("none")}) ==
        "1 gradus train: '" + files.at("none").string() +
            "' cannot be opened: No such file or directory; check the path\n");
  const std::string help = "; 'gradus train --help' lists the options\n";
  CHECK(refused({"--freeze-embeddings"}) ==
        "2 gradus train: --freeze-embeddings has no effect without --source-embeddings or "
        "--target-embeddings; omit it" +
            help);
  CHECK(refused({"--tied", "all", "--shared-vocabulary", "--source-embeddings", "a", "--target-embeddings",
                 "b"}) ==
        "2 gradus train: --source-embeddings and --target-embeddings are alternatives with --tied all; give "
        "only one of them" +
            help);
}
