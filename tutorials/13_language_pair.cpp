// Tutorial 13: a real language pair: words, unknown words, and their order.
//
// The model is that of tutorial 10. The new part is text: tokens, vocabularies and unknown words, held-out sentences,
// and scores of translations. The text is the library's 506 pairs, or your own file. In an output, the source word with
// the largest weight replaces each unknown word, as in Jean et al., "On using very large target vocabulary for neural
// machine translation" (2015), https://arxiv.org/abs/1412.2007, without their dictionary.

#include <gradus/autograd/random.hpp>
#include <gradus/data/batches.hpp>
#include <gradus/data/phrases.hpp>
#include <gradus/data/split.hpp>
#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/replace_unknown.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>

#include "support/measures/outputs.hpp"
#include "support/measures/word_order.hpp"
#include "support/page/blocks.hpp"
#include "support/page/report.hpp"
#include "support/pictures/training_curves.hpp"
#include "support/tasks/language.hpp"

using namespace gradus;

namespace {

using tutorial::Words;

struct Knobs {
  std::filesystem::path pairs;
  bool chinese = false, quick = false;
  std::int64_t limit = 10000, min_count = 2, embedding = 64, hidden = 96;
  double dropout = 0.5;
  std::string sentence = "Marie is reading a red book.";
};

struct Corpus {
  tutorial::Language source, target;
  data::TokenisedPairs train, seen, held_out;  // seen: the first 500 of train

  std::vector<data::Pair> ids(const data::TokenisedPairs& words) const {
    return data::encode(words, source.vocabulary, target.vocabulary);
  }
};

Corpus read(const Knobs& knobs) {
  // 1. The text: sentence pairs. A hash of the source decides which 15 % are held out. So all translations of a
  // sentence are in the same part.
  std::vector<data::SentencePair> pairs = knobs.pairs.empty() ? data::phrases(knobs.chinese ? "eng-cmn" : "eng-fra")
                                                              : data::read_tab_separated(knobs.pairs);
  if (std::ssize(pairs) > knobs.limit) pairs.resize(static_cast<std::size_t>(knobs.limit));
  const data::Split split = data::split_by_source(pairs, 0, 15);
  if (split.train.empty() || split.test.empty()) {
    fail("--pairs", pairs.size(), " pairs are too few to hold some out; give more");
  }

  // 2. Tokens: lower-case words and punctuation marks. Each Chinese character is a token.
  const data::Tokeniser english, other({.unit = knobs.chinese ? data::TokenUnit::chinese : data::TokenUnit::word,
                                        .french_spacing = !knobs.chinese});
  const auto tokens = [&](const std::vector<data::SentencePair>& text, std::size_t limit) {
    return data::tokenise(std::span(text).first(std::min(limit, text.size())), english, other);
  };
  const data::TokenisedPairs train = tokens(split.train, split.train.size());

  // 3. Vocabularies: the words that are frequent enough in the training text. All other words share one id, <unk>.
  return {.source = {english, data::Vocabulary::build(train.source, {.min_count = knobs.min_count})},
          .target = {other, data::Vocabulary::build(train.target, {.min_count = knobs.min_count})},
          .train = train,
          .seen = tokens(split.train, 500),
          .held_out = tokens(split.test, 500)};
}

// A model's translations of several sentences.
struct Translations {
  std::vector<Words> words;               // may contain `<unk>`
  std::vector<Words> replaced;            // each `<unk>` replaced by the source word with the largest weight
  std::vector<plot::Heatmap> alignments;  // the weights, if the model has attention
};

Translations translate(const models::Seq2Seq& model, const Corpus& corpus, const data::TokenisedPairs& part,
                       const models::Search& search) {
  Translations translations;
  for (const models::Decoded& best : tutorial::best_outputs(model, corpus.ids(part), search)) {
    const Words& source = part.source[translations.words.size()];
    const Words words = corpus.target.vocabulary.decode(best.tokens);
    const bool attends = best.weights.defined();                                       // (tokens, T)
    translations.words.push_back(words);
    translations.replaced.push_back(attends ? models::replace_unknown(words, best.weights, source, "<unk>") : words);
    if (attends) translations.alignments.push_back(tutorial::word_alignment(best, corpus.target, source));
  }
  return translations;
}

// A model, its translations of training and held-out sentences, and their quality.
struct Trained {
  std::unique_ptr<models::Seq2Seq> model;
  tutorial::Result result;  // the losses
  Translations of_seen, of_held_out;
  tutorial::Table::Row quality;
};

// 4. Trains one of two models. Both have the same sizes and the same batches. With so little text, dropout is needed to
// limit memorisation.
Trained train(const std::string& name, const std::string& decoder, const Corpus& corpus, const Knobs& knobs,
              const tutorial::Options& options) {
  gradus::seed(options.seed);
  auto model = models::make_model({.decoder = decoder, .embedding = knobs.embedding, .hidden = knobs.hidden,
                                   .dropout = knobs.dropout},
                                  {corpus.source.vocabulary.size(), corpus.target.vocabulary.size()});
  data::Batches batches(corpus.ids(corpus.train), {.seed = options.seed});
  const auto training = tutorial::train(name, *model, [&] { return batches.next(); }, {.steps = options.steps});
  std::cout << name << ": trained in " << tutorial::decimals(training.seconds, 1) << " s\n";

  const auto& [source, target, known, seen, held_out] = corpus;
  const auto of_seen = translate(*model, corpus, seen, models::greedy()),
             of_held_out = translate(*model, corpus, held_out, models::greedy()),
             by_beam = translate(*model, corpus, held_out, models::beam_search({}));
  const std::set<Words> sentences(known.target.begin(), known.target.end());
  data::MatchCount exact, copied;  // outputs that equal the reference; outputs that equal a training sentence
  for (std::size_t i = 0; i < of_held_out.words.size(); ++i) {
    exact.add(of_held_out.words[i] == held_out.target[i]);
    copied.add(sentences.contains(of_held_out.words[i]));
  }
  const double perplexity = std::exp(models::evaluate_loss(*model, corpus.ids(held_out)));
  const std::vector<double> quality = {target.bleu(of_seen.replaced, seen.target),
                                       target.bleu(of_held_out.words, held_out.target),
                                       target.bleu(of_held_out.replaced, held_out.target),
                                       target.bleu(by_beam.replaced, held_out.target),
                                       exact.fraction(), copied.fraction(), perplexity};
  return {std::move(model), {name, training, {}}, of_seen, of_held_out, {name, quality}};
}

void run(tutorial::Options options, const Knobs& knobs) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  if (knobs.quick) options.steps = options.steps / 4 + 1;
  const Corpus corpus = read(knobs);
  const auto& [source, target, known, seen, held_out] = corpus;
  const Words question = source.tokeniser.split(knobs.sentence);
  if (question.empty()) fail("--sentence", "it has no words; give at least one");
  const tutorial::Table unknown = tutorial::unknown_words(source, target, known, held_out);
  std::cout << known.size() << " pairs to train on, " << held_out.size() << " held out; vocabularies of "
            << source.vocabulary.size() << " and " << target.vocabulary.size() << " tokens\n" << text(unknown) << '\n';

  const Trained fixed = train("fixed context", "fixed", corpus, knobs, options),
                attending = train("Bahdanau", "bahdanau", corpus, knobs, options);
  const tutorial::Table quality{
      .name = "quality",
      .rows_are = "model",
      .columns = {"BLEU, training", "BLEU", "replaced", "beam 5", "exact match", "copied", "perplexity"},
      .rows = {fixed.quality, attending.quality},
      .digits = 2};
  std::cout << "held-out sentences (first column: training sentences)\n" << text(quality) << '\n';

  // 5. The models' outputs for eight held-out sentences, taken at regular distances.
  std::vector<tutorial::Block> written;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t i = k * held_out.source.size() / 8;
    written.push_back({{"source", source.text(held_out.source[i])},
                       {"reference", target.text(held_out.target[i])},
                       {"fixed context", target.text(fixed.of_held_out.words[i])},
                       {"Bahdanau", target.text(attending.of_held_out.words[i])}});
  }

  // 6. The translation of your sentence, with its unknown words replaced.
  const data::TokenisedPairs asked{.source = {question}, .target = {{}}};
  const Translations answer = translate(*attending.model, corpus, asked, models::beam_search({}));
  const bool is_known = std::ranges::find(known.source, question) != known.source.end();
  written.push_back({{"asked", source.text(question) + (is_known ? " (trained on)" : " (not trained on)")},
                     {"read", source.text(source.vocabulary.decode(corpus.ids(asked)[0].source))},
                     {"answer", target.text(answer.words[0])},
                     {"replaced", target.text(answer.replaced[0])}});
  std::cout << tutorial::text(written) << '\n';

  // 7. Word order: of the first 500 training sentences, the three with the most certain crossings; see
  // most_crossing().
  const std::string crossed = plot::strip(tutorial::most_crossing(attending.of_seen.alignments, 3), 2),
                    curves = tutorial::loss_curves({fixed.result, attending.result});
  publish({.number = "13",
           .title = "a real language pair",
           .intro = "Two models translate English.",
           .sections = {{"Word order, in sentences of the training text", {{"word_order", crossed}}},
                        {"Translations", {{"asked", plot::svg(answer.alignments[0])}}, tutorial::text(written)},
                        {"How well", {{"loss", curves}}, text(unknown) + '\n' + text(quality)}},
           .tables = {unknown, quality},
           .try_next = "--sentence 'My sister has a white cat.'; --chinese; --pairs with a text of your own"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Knobs knobs;
  return tutorial::run(argc, argv, "Tutorial 13: a real language pair, with words, unknown words and their order",
                       {.steps = 2000, .out = "out/tutorial-13"},
                       [&](const tutorial::Options& options) { run(options, knobs); },
                       {{"--pairs", &knobs.pairs, "a text of your own: source TAB target, one pair per line"},
                        {"--limit", &knobs.limit, "read only the first pairs, this many"},
                        {"--chinese", &knobs.chinese, "translate English to Chinese"},
                        {"--min-count", &knobs.min_count, "words that occur less often are unknown"},
                        {"--embedding", &knobs.embedding, "size of an embedding, E"},
                        {"--hidden", &knobs.hidden, "size of a state, H"},
                        {"--dropout", &knobs.dropout, "fraction of units dropped in training; use less with more text"},
                        {"--sentence", &knobs.sentence, "a sentence to translate"},
                        {"--quick", &knobs.quick, "run a quarter of the steps"}});
}
