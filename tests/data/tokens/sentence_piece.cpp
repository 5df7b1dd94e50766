#include <gradus/data/tokeniser.hpp>
#include <gradus/error.hpp>

#include "sentence_piece_model.hpp"

using Catch::Matchers::ContainsSubstring;
using gradus::Error;
using gradus::data::SentencePiece;
using gradus::data::Tokeniser;
using Strings = std::vector<std::string>;

#if GRADUS_TESTS_SENTENCE_PIECE

namespace {

SentencePiece pieces() {
  const Strings lines = {"the lower lowest low", "the newest newer new", "The wide wider widest",
                         "low low new", "Ａ ½ café"};
  return SentencePiece::from_bytes(trained_pieces(lines, 50), "test.model");
}

}  // namespace

TEST_CASE("a SentencePiece model normalises, splits and joins", "[data]") {
  const Tokeniser tokeniser(pieces());
  const Strings tokens = tokeniser.split("  the \u00a0 newest low ");
  CHECK(tokens.size() < 16);
  CHECK(tokens.front().starts_with("▁"));
  CHECK(tokeniser.join(tokens) == "the newest low");
  CHECK(tokeniser.normalise(" The ½  \u00a0low") == "The 1⁄2 low");  // the model's NFKC keeps capitals
  CHECK(tokeniser.split("").empty());
  CHECK(tokeniser.join(Strings{}).empty());
}

TEST_CASE("a character unknown to a SentencePiece model is a token of its own", "[data]") {
  const Tokeniser tokeniser(pieces());
  const Strings tokens = tokeniser.split("low ψ");
  CHECK(tokens.back() == "ψ");
  CHECK(tokeniser.join(tokens) == "low ψ");
  CHECK(tokeniser.join(Strings{"▁the", "<unk>"}) == "the ⁇ ");
}

TEST_CASE("tokenisers with equal SentencePiece models are equal", "[data]") {
  const SentencePiece one = pieces();
  CHECK(one.size() == 50);
  CHECK(Tokeniser(one) == Tokeniser(SentencePiece::from_bytes(one.bytes(), "copy")));
  CHECK_FALSE(Tokeniser(one) == Tokeniser());
  CHECK_FALSE(Tokeniser(one) ==
              Tokeniser(SentencePiece::from_bytes(trained_pieces(Strings{"other text"}, 14), "")));
}

TEST_CASE("a file that is no SentencePiece model is refused", "[data]") {
  const std::string whole = pieces().bytes();
  for (const std::string& bytes :
       {std::string("not a model"), std::string(), whole.substr(0, whole.size() / 2)}) {
    CAPTURE(bytes.size());
    CHECK_THROWS_WITH(
        SentencePiece::from_bytes(bytes, "bad.model"),
        "SentencePiece: 'bad.model' is not a SentencePiece model; give the file NAME.model that "
        "spm_train wrote");
  }
  CHECK_THROWS_WITH(SentencePiece::read("/missing.model"), ContainsSubstring("'/missing.model'"));
  CHECK_THROWS_AS(Tokeniser(pieces()).split("\xff"), Error);
}

#else

TEST_CASE("without SentencePiece, its models are refused", "[data]") {
  CHECK_THROWS_WITH(
      SentencePiece::from_bytes("", "x.model"),
      ContainsSubstring("'x.model' cannot be read") && ContainsSubstring("install libsentencepiece-dev"));
}

#endif
