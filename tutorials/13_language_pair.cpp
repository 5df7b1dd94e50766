// Tutorial 13: a real language pair: words, unknown words, and their order.
//
// From symbols to sentences nothing of the model changes. What is new is text: what a token is, which words a
// vocabulary has and what becomes of the others, what is held out, and how a translation is scored. The text is the 506
// pairs that the library brings, or a file of the learner's own. Unknown words that are written are replaced by what
// the attention looked at, as in Luong et al., "Addressing the rare word problem in neural machine translation" (2015),
// https://arxiv.org/abs/1410.8206.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/data/batches.hpp>
#include <gradus/data/bleu.hpp>
#include <gradus/data/phrases.hpp>
#include <gradus/data/split.hpp>
#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/replace_unknown.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <set>

#include "support/pictures.hpp"
#include "support/table.hpp"

using namespace gradus;

namespace {

using Words = std::vector<std::string>;

struct Knobs {
  std::filesystem::path pairs;
  bool chinese = false, quick = false;
  std::int64_t limit = 10000, min_count = 2, embedding = 64, hidden = 96;
  double dropout = 0.5;
  std::string sentence = "Marie is reading a red book.";
};

// A language: how its text is cut into tokens, and which of them have an id.
struct Language {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;

  std::string text(const Words& words) const { return tokeniser.join(words); }
};

// Sentences that belong together: as words, and as ids.
struct Part {
  data::TokenisedPairs words;
  std::vector<data::Pair> ids;

  Part first(std::size_t n) const {
    Part some = *this;
    some.words.source.resize(std::min(n, ids.size()));
    some.words.target.resize(std::min(n, ids.size()));
    some.ids.resize(std::min(n, ids.size()));
    return some;
  }
};

// How many tokens in a hundred have no id of their own.
double unknown_percent(const std::vector<Words>& sentences, const data::Vocabulary& vocabulary) {
  std::int64_t tokens = 0, unknown = 0;
  for (const Words& words : sentences) {
    tokens += std::ssize(words);
    unknown += std::ranges::count_if(words, [&](const std::string& word) { return !vocabulary.contains(word); });
  }
  return 100 * static_cast<double>(unknown) / static_cast<double>(tokens);
}

struct Translation {
  Words words;                // as the model wrote them, `<unk>` among them
  Words replaced;             // `<unk>` replaced by the word of the source with the largest weight; with attention
  models::Decoded decoded;
};

std::vector<Translation> translate(const models::Seq2Seq& model, const Part& part, const Language& target,
                                   const models::Search& search) {
  std::vector<std::vector<std::int64_t>> sources;
  for (const data::Pair& pair : part.ids) sources.push_back(pair.source);
  std::vector<Translation> translations;
  for (const auto& found : models::decode(model, sources, search)) {
    const models::Decoded& best = found.front();
    const Words words = target.vocabulary.decode(best.tokens);
    const Words& source = part.words.source[translations.size()];
    const bool attends = best.weights.defined();
    translations.push_back(
        {words, attends ? models::replace_unknown(words, best.weights, source, "<unk>") : words, best});
  }
  return translations;
}

// BLEU of the words as they were written, or replaced.
double bleu(const std::vector<Translation>& translations, Words Translation::*written, const Part& part,
            const Language& target) {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    Words words = translations[i].*written;
    std::ranges::replace(words, "<unk>", "unk");  // BLEU's own tokeniser would make three of it
    hypotheses.push_back(target.text(words));
    references.push_back({target.text(part.words.target[i])});
  }
  const bool chinese = target.tokeniser.options().unit == data::TokenUnit::chinese;
  const auto tokeniser = chinese ? data::BleuTokeniser::chinese : data::BleuTokeniser::mteval_13a;
  return data::corpus_bleu(hypotheses, references, {.tokeniser = tokeniser}).score;
}

plot::Heatmap alignment_of(const Translation& translation, const Words& source, const Language& target) {
  plot::Heatmap heatmap{.title = target.text(translation.words),
                        .columns = source,
                        .rows = translation.words,
                        .values = translation.decoded.weights.to_vector<double>()};
  if (translation.decoded.tokens.back() == data::eos) heatmap.rows.push_back("<eos>");
  return heatmap;
}

// How surely two written words look at the source in the other order: the largest product of two weights that cross.
double crossing(const Translation& translation) {
  const Tensor& alpha = translation.decoded.weights;                                   // (tokens, T)
  const std::vector<double> looked_at = argmax(alpha, 1).to_vector<double>(),          // of each token
      weight = max(alpha, 1).to_vector<double>();
  double surest = 0;
  for (std::size_t t = 0; t < translation.words.size(); ++t) {
    for (std::size_t before = 0; before < t; ++before) {
      if (looked_at[before] > looked_at[t]) surest = std::max(surest, weight[before] * weight[t]);
    }
  }
  return surest;
}

struct Corpus {
  Language source, target;
  Part train, held_out;
};

Corpus read(const Knobs& knobs) {
  // 1. Text: pairs, of which a hash of the source holds out 15 in a hundred, so that a sentence that comes with several
  // translations never stands on both sides.
  std::vector<data::SentencePair> pairs = knobs.pairs.empty() ? data::phrases(knobs.chinese ? "eng-cmn" : "eng-fra")
                                                              : data::read_tab_separated(knobs.pairs);
  if (std::ssize(pairs) > knobs.limit) pairs.resize(static_cast<std::size_t>(knobs.limit));
  const data::Split split = data::split_by_source(pairs, 0, 15);
  if (split.train.empty() || split.test.empty()) {
    fail("--pairs", pairs.size(), " pairs are too few to hold some out; give more");
  }

  // 2. Tokens: words and punctuation marks, in lower case; of Chinese, characters.
  const data::Tokeniser english, other({.unit = knobs.chinese ? data::TokenUnit::chinese : data::TokenUnit::word,
                                        .french_spacing = !knobs.chinese});
  const data::TokenisedPairs train = data::tokenise(split.train, english, other),
                             held_out = data::tokenise(split.test, english, other);

  // 3. Vocabularies: of the words that the training text has often enough; all others share one id, <unk>.
  const Language source{english, data::Vocabulary::build(train.source, {.min_count = knobs.min_count})},
                 target{other, data::Vocabulary::build(train.target, {.min_count = knobs.min_count})};
  const auto as_ids = [&](const data::TokenisedPairs& words) {
    return data::encode(words, source.vocabulary, target.vocabulary);
  };
  return {source, target, {train, as_ids(train)}, Part{held_out, as_ids(held_out)}.first(500)};
}

tutorial::Table unknown_words(const Corpus& corpus) {
  const data::TokenisedPairs &train = corpus.train.words, &held_out = corpus.held_out.words;
  const data::Vocabulary &source = corpus.source.vocabulary, &target = corpus.target.vocabulary;
  return {.name = "unknown",
          .rows_are = "unknown, %",
          .columns = {"training", "held out"},
          .rows = {{"source", {unknown_percent(train.source, source), unknown_percent(held_out.source, source)}},
                   {"target", {unknown_percent(train.target, target), unknown_percent(held_out.target, target)}}},
          .digits = 1};
}

// A model, what it wrote for sentences that it was trained on and for the others, and how good that is.
struct Trained {
  std::unique_ptr<models::Seq2Seq> model;
  tutorial::Result result;  // its losses
  std::vector<Translation> of_seen, of_held_out;
  tutorial::Table::Row quality;
};

const std::vector<std::string> qualities = {"BLEU, training", "BLEU",   "replaced",  "beam 5",
                                            "exact match",    "copied", "perplexity"};

// 4. Two models of the same sizes are trained on the same batches. With so little text, dropout must hinder them from
// learning it by heart.
Trained train(const std::string& name, const std::string& decoder, const Corpus& corpus, const Part& seen,
              const tutorial::Options& options, const Knobs& knobs) {
  gradus::seed(options.seed);
  const models::Vocabularies sizes{.source = corpus.source.vocabulary.size(),
                                   .target = corpus.target.vocabulary.size()};
  auto model = models::make_model(
      {.decoder = decoder, .embedding = knobs.embedding, .hidden = knobs.hidden, .dropout = knobs.dropout}, sizes);
  data::Batches batches(corpus.train.ids, {.seed = options.seed});
  tutorial::Training training =
      tutorial::train(name, *model, [&] { return batches.next(); }, {.steps = options.steps});
  std::cout << name << ": trained in " << tutorial::decimals(training.seconds, 1) << " s\n";

  const Language& target = corpus.target;
  const Part& held_out = corpus.held_out;
  const auto of_seen = translate(*model, seen, target, models::greedy()),
             of_held_out = translate(*model, held_out, target, models::greedy()),
             by_beam = translate(*model, held_out, target, models::beam_search({}));
  const std::set<Words> known(corpus.train.words.target.begin(), corpus.train.words.target.end());
  data::MatchCount exact, copied;  // held-out sentences: translated as the reference, and as one of the training text
  for (std::size_t i = 0; i < of_held_out.size(); ++i) {
    exact.add(of_held_out[i].words == held_out.words.target[i]);
    copied.add(known.contains(of_held_out[i].words));
  }
  const std::vector<double> quality = {bleu(of_seen, &Translation::replaced, seen, target),
                                       bleu(of_held_out, &Translation::words, held_out, target),
                                       bleu(of_held_out, &Translation::replaced, held_out, target),
                                       bleu(by_beam, &Translation::replaced, held_out, target),
                                       exact.fraction(),
                                       copied.fraction(),
                                       std::exp(models::evaluate_loss(*model, held_out.ids))};
  return {std::move(model), {name, std::move(training), {}}, of_seen, of_held_out, {name, quality}};
}

// 5. What they write: some of the held-out sentences, from all of the text.
std::string examples(const Trained& fixed, const Trained& attending, const Corpus& corpus) {
  constexpr std::size_t shown = 8;
  std::string lines;
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = k * attending.of_held_out.size() / shown;
    lines += "source         " + corpus.source.text(corpus.held_out.words.source[i]) +
             "\nreference      " + corpus.target.text(corpus.held_out.words.target[i]) +
             "\nfixed context  " + corpus.target.text(fixed.of_held_out[i].words) +
             "\nBahdanau       " + corpus.target.text(attending.of_held_out[i].words) + "\n\n";
  }
  return lines;
}

// 6. Word order: the three sentences of the training text in which two words cross most surely.
std::string word_order(const std::vector<Translation>& translations, const Part& part, const Language& target) {
  std::vector<std::size_t> order(translations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return crossing(translations[i]); });
  const auto is_repeated = [&](std::size_t i, std::size_t j) { return part.words.source[i] == part.words.source[j]; };
  order.erase(std::unique(order.begin(), order.end(), is_repeated), order.end());
  std::vector<plot::Heatmap> heatmaps;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k) {
    heatmaps.push_back(alignment_of(translations[order[k]], part.words.source[order[k]], target));
  }
  return plot::strip(heatmaps);
}

void run(tutorial::Options options, const Knobs& knobs) {
  const plot::OutputFolder out(options.out);  // says now, not after training, when it cannot be written
  if (knobs.quick) options.steps = options.steps / 4 + 1;
  const Corpus corpus = read(knobs);
  const auto& [source, target, training_text, held_out] = corpus;
  const Words question = source.tokeniser.split(knobs.sentence);
  if (question.empty()) fail("--sentence", "there is no word in it; give one at least");
  const tutorial::Table unknown = unknown_words(corpus);
  std::cout << training_text.ids.size() << " pairs to train on, " << held_out.ids.size()
            << " held out; vocabularies of " << source.vocabulary.size() << " and " << target.vocabulary.size()
            << " tokens\n"
            << text(unknown) << '\n';

  const Part seen = training_text.first(500);
  const Trained fixed = train("fixed context", "fixed", corpus, seen, options, knobs),
                attending = train("Bahdanau", "bahdanau", corpus, seen, options, knobs);
  const tutorial::Table quality{.name = "quality",
                                .rows_are = "model",
                                .columns = qualities,
                                .rows = {fixed.quality, attending.quality},
                                .digits = 2};
  std::cout << "held-out sentences, but for the first column\n" << text(quality) << '\n';

  // 7. A sentence of the learner's, with what becomes of words that the model does not know.
  const Part asked{{{question}, {{}}}, {{source.vocabulary.encode(question), {data::eos}}}};
  const Translation answer = translate(*attending.model, asked, target, models::beam_search({})).front();
  const auto& known = training_text.words.source;
  const bool is_known = std::ranges::find(known, question) != known.end();
  const std::string lines = examples(fixed, attending, corpus) + "asked          " + source.text(question) +
                            (is_known ? " (trained on)" : " (not trained on)") +
                            "\nread           " + source.text(source.vocabulary.decode(asked.ids[0].source)) +
                            "\nanswer         " + target.text(answer.words) +
                            "\nreplaced       " + target.text(answer.replaced) + '\n';
  std::cout << lines << '\n';

  // 8. Pictures.
  const std::string curves = tutorial::loss_curves({fixed.result, attending.result}),
                    crossed = word_order(attending.of_seen, seen, target),
                    asked_svg = plot::svg(alignment_of(answer, question, target));
  const plot::Page page{.title = "Tutorial 13: a real language pair",
                        .intro = {"English, and what two models make of it."},
                        .sections = {{.heading = "Word order, in sentences of the training text", .svgs = {crossed}},
                                     {.heading = "Translations", .svgs = {asked_svg}, .preformatted = lines},
                                     {.heading = "How well",
                                      .svgs = {curves},
                                      .preformatted = text(unknown) + '\n' + text(quality)}}};
  out.write("word_order.svg", crossed);
  out.write("asked.svg", asked_svg);
  out.write("loss.svg", curves);
  out.write("results.json", tutorial::json("tutorial_13", options, {unknown, quality}));
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --sentence 'My sister has a white cat.'; --chinese; --pairs with a text of your own\n";
}

}  // namespace

int main(int argc, char** argv) {
  Knobs knobs;
  return tutorial::run(argc, argv, "Tutorial 13: a real language pair, with words, unknown words and their order",
                       {.steps = 2000, .out = "out/tutorial-13"},
                       [&](const tutorial::Options& options) { run(options, knobs); },
                       {{"--pairs", &knobs.pairs, "a text of your own: source TAB target, one pair a line"},
                        {"--limit", &knobs.limit, "read so many pairs, the first ones"},
                        {"--chinese", &knobs.chinese, "English to Chinese"},
                        {"--min-count", &knobs.min_count, "words that occur less often are unknown"},
                        {"--embedding", &knobs.embedding, "E, the numbers of an embedding"},
                        {"--hidden", &knobs.hidden, "H, the numbers of a state"},
                        {"--dropout", &knobs.dropout, "share of units dropped in training; less for more text"},
                        {"--sentence", &knobs.sentence, "a sentence to translate"},
                        {"--quick", &knobs.quick, "take a quarter of the steps"}});
}
