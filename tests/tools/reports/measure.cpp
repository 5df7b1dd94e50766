// Metrics of a model's outputs, compared with the library's functions.

#include "reports/measure.hpp"

#include <gradus/data/d2l_bleu.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>

#include <cmath>

#include "tools/run.hpp"

namespace data = gradus::data;
namespace tools = gradus::tools;

namespace {

// A translation with these words. Its only decoded token is EOS.
std::vector<tools::Translation> wrote(const tools::Sides& sides, std::vector<std::string> words) {
  tools::Translation translation;
  translation.target = std::move(words);
  translation.text = sides.target.tokeniser.join(translation.target);
  translation.decoded.tokens = {data::eos};
  return {translation};
}

struct Untrained {
  Scratch scratch;
  tools::SavedModel saved;

  explicit Untrained(const tools::Settings& settings = small_settings())
      : saved(tools::load_saved_model(write_small_model(scratch.path(), settings),
                                      gradus::models::Registry::standard())) {}
};

}  // namespace

TEST_CASE("outputs are compared with the untokenised targets", "[tools][measure]") {
  const Untrained untrained;
  const auto& [path, settings, sides, model, checkpoint, int8] = untrained.saved;
  const std::vector<data::SentencePair> pairs = {{"good morning!", "Bonjour !"},
                                                 {"the red book", "Le livre ROUGE"}};
  const std::vector outputs = {wrote(sides, {"bonjour", "!"}), wrote(sides, {"le", "livre", "noir"})};
  const auto each =
      tools::measure_each(*model, sides, pairs, outputs, tools::default_bleu_tokeniser(sides.target));
  REQUIRE(each.size() == 2);
  CHECK(each[0].exact == data::MatchCount{1, 1});
  CHECK(each[1].exact == data::MatchCount{1, 0});
  CHECK(each[0].source_tokens == 3);
  CHECK(each[1].errors.edits == 1);
  CHECK(each[1].errors.reference_length == 3);
  CHECK(each[0].bleu_counts.counts == std::vector<std::int64_t>{2, 1, 0, 0});
  CHECK(each[1].bleu_counts.counts == std::vector<std::int64_t>{2, 1, 0, 0});

  tools::Scores total = each[0];
  total += each[1];
  CHECK(total.pairs == 2);
  CHECK(total.exact == data::MatchCount{2, 1});
  const std::vector<std::string> black{"le", "livre", "noir"}, red{"le", "livre", "rouge"};
  CHECK(total.d2l_bleu() == Catch::Approx((1 + data::d2l_bleu(black, red, 2)) / 2));
}

TEST_CASE("an output without EOS is not an exact match", "[tools][measure]") {
  const Untrained untrained;
  const tools::Sides& sides = untrained.saved.sides;
  const std::vector<data::SentencePair> pairs = {{"book", "livre"}};
  std::vector<std::vector<tools::Translation>> outputs = {wrote(sides, {"livre"})};
  outputs[0][0].decoded.tokens = {sides.target.vocabulary.id("livre")};
  const auto each =
      tools::measure_each(*untrained.saved.model, sides, pairs, outputs, data::BleuTokeniser::mteval_13a);
  CHECK(each[0].exact == data::MatchCount{1, 0});
  CHECK(each[0].errors.edits == 0);
}

TEST_CASE("loss and token accuracy are computed with teacher forcing", "[tools][measure]") {
  const Untrained untrained;
  const auto& [path, settings, sides, model, checkpoint, int8] = untrained.saved;
  const auto pairs = tools::read_corpus(settings.data, 1).test;
  const auto scores = tools::measure(*model, sides, pairs, gradus::models::greedy());
  double nats = 0;
  data::MatchCount right;
  for (const auto& forced : gradus::models::force_decode(*model, tools::encode(pairs, sides))) {
    nats -= forced.log_probability;
    for (const bool likeliest : forced.likeliest) right.add(likeliest);
  }
  CHECK(scores.pairs == std::ssize(pairs));
  CHECK(scores.loss() == Catch::Approx(nats / static_cast<double>(right.count)));
  CHECK(scores.perplexity() == Catch::Approx(std::exp(scores.loss())));
  CHECK(scores.tokens == right);
  CHECK(scores.sharpness.normalised() > 0.5);
}

TEST_CASE("a source without tokens counts as an empty output, and not in the loss", "[tools][measure]") {
  const Untrained untrained;
  const std::vector<data::SentencePair> pairs = {{"\u3000", "livre"}};
  const auto scores =
      tools::measure(*untrained.saved.model, untrained.saved.sides, pairs, gradus::models::greedy());
  CHECK(scores.exact == data::MatchCount{1, 0});
  CHECK(scores.bleu_counts.hypothesis_length == 0);
  CHECK(scores.tokens.count == 0);
  CHECK(std::isnan(scores.loss()));
}

TEST_CASE("BLEU splits Chinese into characters, and is case-sensitive if the model is", "[tools][measure]") {
  tools::Settings settings = small_settings();
  settings.data.phrases = "eng-cmn";
  settings.data.target_unit = data::TokenUnit::chinese;
  settings.data.lower = false;
  const Untrained untrained(settings);
  const tools::Side& target = untrained.saved.sides.target;
  const data::BleuOptions options = tools::bleu_options(target, tools::default_bleu_tokeniser(target));
  CHECK(options.tokeniser == data::BleuTokeniser::chinese);
  CHECK_FALSE(options.lowercase);
}

TEST_CASE("byte-pair pieces are scored as words", "[tools][measure]") {
  tools::Settings settings = small_settings();
  settings.data.bpe = 20;
  const Untrained untrained(settings);
  const auto& [path, saved_settings, sides, model, checkpoint, int8] = untrained.saved;
  const std::vector<data::SentencePair> pairs = {{"the red book", "le livre rouge"}};
  const std::vector<std::string> pieces = sides.target.tokeniser.split("le livre noir");
  REQUIRE(pieces.size() > 3);
  const std::vector outputs = {wrote(sides, pieces), wrote(sides, pieces)};
  const auto each = tools::measure_each(*model, sides, pairs, std::span(outputs).first(1),
                                        tools::default_bleu_tokeniser(sides.target));
  CHECK(each[0].errors.edits == 1);
  CHECK(each[0].errors.reference_length == 3);
}
