// `gradus train --source-sentencepiece` and `--target-sentencepiece`.

#include <fstream>

#include "files/base64.hpp"
#include "sentence_piece_model.hpp"
#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;
using Arguments = std::vector<std::string>;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("base64 of every length", "[tools]") {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"", ""},        {"a", "YQ=="},        {"as", "YXM="},
      {"ask", "YXNr"}, {"asks", "YXNrcw=="}, {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : known) {
    CHECK(tools::to_base64(bytes) == text);
    CHECK(tools::from_base64(text) == bytes);
  }
  for (const std::string text : {"Zg=", "Zm9", "Z===", "Zm 9", "====", "Zg==Zg=="})
    CHECK_FALSE(tools::from_base64(text));
}

TEST_CASE("a SentencePiece model excludes other options for tokens", "[tools]") {
  const auto refused = [](const Arguments& more) {
    Arguments all{"train", "--phrases", "eng-fra", "--source-sentencepiece", "m"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK_THAT(refused({"--bpe", "10"}),
             ContainsSubstring("--source-sentencepiece and --bpe are alternatives; give only one of them"));
  CHECK_THAT(refused({"--source-unit", "character"}),
             ContainsSubstring("--source-unit has no effect with --source-sentencepiece; omit it"));
  CHECK_THAT(
      refused({"--target-sentencepiece", "m", "--no-lower"}),
      ContainsSubstring("--no-lower has no effect with SentencePiece models for both languages; omit it"));
  CHECK_THAT(refused({"--target-sentencepiece", "m", "--french-spacing"}),
             ContainsSubstring("--french-spacing has no effect with --target-sentencepiece; omit it"));
}

#if GRADUS_TESTS_SENTENCE_PIECE

namespace {

struct Text {
  Scratch scratch;
  fs::path at(const char* name) const { return scratch.path() / name; }

  Text() {
    std::vector<std::string> english, french;
    std::ofstream pairs(at("pairs"));
    for (const char* const noun : {"book livre", "tree arbre", "lamp lampe", "house maison"}) {
      const std::string words = noun;
      const auto space = words.find(' ');
      english.push_back("The " + words.substr(0, space));
      french.push_back("Le " + words.substr(space + 1));
      pairs << english.back() << '\t' << french.back() << '\n';
    }
    std::ofstream(at("en.model"), std::ios::binary) << trained_pieces(english, 24);
    std::ofstream(at("fr.model"), std::ios::binary) << trained_pieces(french, 24);
  }

  Ran train(const Arguments& more, const char* steps = "150") const {
    Arguments all{"train",
                  "--pairs",
                  at("pairs").string(),
                  "--dev-percent",
                  "0",
                  "--test-percent",
                  "0",
                  "--steps",
                  steps,
                  "--embedding",
                  "16",
                  "--hidden",
                  "24",
                  "--threads",
                  "1",
                  "--out",
                  at("run").string()};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

}  // namespace

TEST_CASE("a model with SentencePiece pieces trains, translates, resumes and is described", "[tools]") {
  const Text text;
  const std::string model = text.at("run").string();
  const Ran trained = text.train({"--source-sentencepiece", text.at("en.model").string(),
                                  "--target-sentencepiece", text.at("fr.model").string()});
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  CHECK(run({"translate", "--model", model}, "The lamp\n").out == "Le lampe\n");
  CHECK_THAT(run({"info", model}).out, ContainsSubstring("SentencePiece model of 24 pieces"));
  CHECK(run({"evaluate", "--model", model, "--pairs", text.at("pairs").string()}).code == 0);

  fs::remove(text.at("fr.model"));  // not needed: the checkpoint contains it
  CHECK(run({"translate", "--model", model}, "The lamp\n").out == "Le lampe\n");
  const Ran resumed = run({"train", "--resume", model, "--steps", "151"});
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);
  const std::string other = text.at("other.model").string();
  CHECK(run({"train", "--resume", model, "--steps", "152", "--target-sentencepiece", other}).err ==
        "gradus train: '" + other + "' cannot be opened: No such file or directory; check the path\n");

  REQUIRE(run({"convert", "--model", model, "--vocabulary-out", text.at("words").string()}).code == 0);
  CHECK(content(text.at("words") / "source.model") == content(text.at("en.model")));
  CHECK(fs::exists(text.at("words") / "target.model"));
}

TEST_CASE("a damaged SentencePiece model inside a checkpoint is refused", "[tools]") {
  const Text text;
  REQUIRE(text.train({"--source-sentencepiece", text.at("en.model").string()}, "1").code == 0);
  const fs::path path = text.at("run") / "last.safetensors";
  gradus::models::Checkpoint checkpoint = gradus::models::load_checkpoint(path);
  checkpoint.metadata["source.sentencepiece"] = "Zm9v";
  gradus::models::save_checkpoint(path, checkpoint);
  const Ran ran = run({"info", path.string()});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring("source SentencePiece model' is not a SentencePiece model"));
  checkpoint.metadata["source.sentencepiece"] = "%";
  gradus::models::save_checkpoint(path, checkpoint);
  CHECK_THAT(run({"info", path.string()}).err, ContainsSubstring("is not base64"));
}

TEST_CASE("a bad SentencePiece model or file of word vectors leaves no folder", "[tools]") {
  const Text text;
  CHECK(text.train({"--source-sentencepiece", text.at("pairs").string()}).code == 1);
  CHECK(text.train({"--source-embeddings", text.at("pairs").string()}).code == 1);
  CHECK_FALSE(fs::exists(text.at("run")));
}

#endif
