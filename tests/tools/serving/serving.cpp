// Parts of gradus serve: character spans, errors if a model fails, and errors if no model fits a request.

#include <gradus/nn/decoder_step.hpp>

#include <nlohmann/json.hpp>
#include <thread>

#if GRADUS_TESTS_HTTP
#include <httplib.h>

#include "serving/http_server.hpp"
#endif

#include "no_threads.hpp"
#include "sentence_piece_model.hpp"
#include "serving/server.hpp"
#include "serving/spans.hpp"
#include "tools/run.hpp"

using namespace gradus;
using Catch::Matchers::ContainsSubstring;
using data::Tokeniser;
using tools::CharacterSpan;

namespace {

using Tokens = std::vector<std::string>;
using Spans = std::vector<std::optional<CharacterSpan>>;

Spans spans_of(const std::string& text, const Tokeniser& tokeniser, const Tokens& expected) {
  const Tokens tokens = tokeniser.split(text);
  REQUIRE(tokens == expected);
  return tools::spans_of(text, tokens, tokeniser);
}

CharacterSpan span(std::int64_t begin, std::int64_t end) { return {begin, end}; }

// A decoder with a mistake: it always throws.
struct Failing : nn::DecoderStep {
  Start start(const nn::Annotations&) const override { fail("Failing", "no state"); }
  Output step(const Tensor&, const nn::State&, const nn::Memory&) const override {
    fail("Failing", "no step");
  }
};

}  // namespace

TEST_CASE("spans count code points of the text before normalisation", "[tools][serving]") {
  CHECK(spans_of("  Où EST-il ?", Tokeniser(), {"où", "est-il", "?"}) ==
        Spans{span(2, 4), span(5, 11), span(12, 13)});
  CHECK(spans_of("L'homme, là.", Tokeniser(), {"l'", "homme", ",", "là", "."}) ==
        Spans{span(0, 2), span(2, 7), span(7, 8), span(9, 11), span(11, 12)});
  // NFKC turns a ligature into two letters, and a letter with a combining mark into one.
  CHECK(spans_of("\ufb01n e\u0301te\u0301", Tokeniser(), {"fin", "été"}) == Spans{span(0, 2), span(3, 8)});
}

TEST_CASE("spans of a long text without blanks take linear time", "[tools][serving]") {
  const std::string letters(300'000, 'a');
  Tokens tokens(500, ",");
  Spans expected;
  for (std::int64_t i = 0; i < 500; ++i) expected.emplace_back(span(i, i + 1));
  tokens.push_back("fi" + letters);
  expected.emplace_back();  // normalisation changed this token too much
  CHECK((spans_of(std::string(500, ',') + "\ufb01" + letters, Tokeniser(), tokens) == expected));
}

TEST_CASE("spans of Chinese characters", "[tools][serving]") {
  const Tokeniser chinese({.unit = data::TokenUnit::chinese});
  CHECK(spans_of("我爱 ABC，你！", chinese, {"我", "爱", "abc", ",", "你", "!"}) ==
        Spans{span(0, 1), span(1, 2), span(3, 6), span(6, 7), span(7, 8), span(8, 9)});
  // 𠀀 is one character, but four bytes, and two code units in JavaScript.
  CHECK(spans_of("𠀀我", chinese, {"𠀀", "我"}) == Spans{span(0, 1), span(1, 2)});
  const Tokeniser characters({.unit = data::TokenUnit::character});
  CHECK(spans_of("我 爱", characters, {"我", "\u2581", "爱"}) == Spans{span(0, 1), std::nullopt, span(2, 3)});
  CHECK(tools::spans_in("我爱你", Tokens{"我", "你"}) == Spans{span(0, 1), span(2, 3)});
}

TEST_CASE("a byte-pair piece has the span of its letters", "[tools][serving]") {
  const auto merges =
      data::BytePairEncoding::from_text("#version: 0.2\nl o\nlo w\ne s\nes t</w>\n", "merges");
  CHECK(spans_of("Lowest, lower", Tokeniser({}, merges), {"low@@", "est", ",", "low@@", "e@@", "r"}) ==
        Spans{span(0, 3), span(3, 6), span(6, 7), span(8, 11), span(11, 12), span(12, 13)});
  CHECK(tools::spans_in("la lowest", Tokens{"la", "low@@", "est"}) ==
        Spans{span(0, 2), span(3, 6), span(6, 9)});
}

#if GRADUS_TESTS_SENTENCE_PIECE
TEST_CASE("a SentencePiece piece has the span of its letters", "[tools][serving]") {
  const Tokens lines(20, "low lower lowest new newer newest");
  const Tokeniser tokeniser{data::SentencePiece::from_bytes(trained_pieces(lines, 20), "model")};
  const std::string text = "low  newest";
  const Tokens tokens = tokeniser.split(text);
  const Spans spans = tools::spans_of(text, tokens, tokeniser);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    INFO(tokens[i]);
    if (!spans[i]) continue;  // a lone ▁ has no span
    CHECK(spans[i]->begin == (next == 3 ? 5 : next));
    next = spans[i]->end;
  }
  CHECK(next == 11);
}
#endif

TEST_CASE("a failure of the model is not the client's", "[tools][serving]") {
  const Scratch scratch;
  auto registry = models::Registry::standard();
  registry.decoders["failing"] = {
      [](const models::DecoderOptions&, const auto&) { return std::make_unique<Failing>(); }};
  auto settings = small_settings();
  settings.model.decoder = "failing";
  const auto path = write_small_model(scratch.path(), settings, 1, registry);
  tools::ServiceOptions options;
  options.models = {{"en-fr", path.string()}};
  tools::Service service(options, registry);
  const std::string wrong = R"({"q": 7})", right = R"({"q": "I see."})";
  const auto answer = [&](const std::string& body) { return service.translate(body, [] { return false; }); };
  CHECK_THROWS_AS(answer(wrong), tools::BadRequest);
  try {
    answer(right);
    FAIL("no error");
  } catch (const tools::BadRequest&) {
    FAIL("the client is blamed");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring("no state"));
  }
#if GRADUS_TESTS_HTTP
  tools::ServerOptions at;
  at.port = 0;
  tools::Server server(service, at);
  const int port = server.bind();
  std::ostringstream log;
  auto* const old = std::cout.rdbuf(log.rdbuf());
  std::thread serving([&] { server.run(); });
  {
    httplib::Client client("127.0.0.1", port);
    const auto status = [&](const std::string& body) {
      const auto found = client.Post("/translate", body, "application/json");
      return found ? std::pair{found->status, found->body} : std::pair{0, std::string()};
    };
    CHECK(status(wrong).first == 400);
    const auto [code, message] = status(right);
    CHECK(code == 500);
    CHECK_THAT(message, ContainsSubstring("no state"));
  }
  server.stop();
  serving.join();
  std::cout.rdbuf(old);
#endif
}

#if GRADUS_TESTS_HTTP
TEST_CASE("a server whose threads cannot be started is an error", "[tools][serving][errors]") {
  std::string error;
  try {
    const NoThreads no_threads;
    const tools::HttpServer server(
        {.connections = 3, .patience = std::chrono::seconds(1), .head = 1 << 16, .body = 1 << 20});
  } catch (const Error& found) {
    error = found.what();
  }
  CHECK_THAT(error, ContainsSubstring(" of 3 threads for connections could be started ("));
  CHECK_THAT(error, ContainsSubstring("lower --connections"));
}
#endif

TEST_CASE("the error of a request that no model fits names its languages and the models",
          "[tools][serving]") {
  const Scratch scratch;
  const auto registry = models::Registry::standard();
  tools::ServiceOptions options;
  options.models = {{"en-fr", write_small_model(scratch.path(), small_settings(), 1, registry).string()}};
  tools::Service service(options, registry);
  const auto error_of = [&](const std::string& fields) -> std::string {
    try {
      service.translate(R"({"q": "a", )" + fields + "}", [] { return false; });
    } catch (const tools::BadRequest& error) {
      return error.what();
    }
    return {};
  };
  CHECK(error_of(R"("source": "en")") == "no model for source 'en' and target ''; available: en-fr");
  CHECK(error_of(R"("source": "auto", "target": "de")") ==
        "no model for source 'auto' and target 'de'; available: en-fr");
  CHECK(error_of(R"("model": "fr")") == "unknown model 'fr'; available: en-fr");
}
