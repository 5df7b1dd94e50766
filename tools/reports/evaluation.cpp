#include "reports/evaluation.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/any_reference.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <algorithm>
#include <iostream>

#include "reports/pharaoh.hpp"
#include "reports/search_meter.hpp"

namespace gradus::tools {
namespace {

using Pairs = std::span<const data::SentencePair>;

data::MatchCount match_any(const Side& target, Pairs pairs, const std::vector<std::string>& outputs) {
  std::vector<data::SentencePair> written(pairs.begin(), pairs.end());
  std::map<std::string, std::string> answers;
  for (std::size_t i = 0; i < written.size(); ++i) {
    answers.emplace(written[i].source, outputs[i]);
    written[i].target = target.tokeniser.join(target.tokeniser.split(written[i].target));
  }
  return data::match_any_reference(answers, data::references_of(written));
}

void check_inside(const std::filesystem::path& path, std::size_t line, const std::set<data::Link>& links,
                  std::int64_t source, std::int64_t target) {
  for (const data::Link& link : links) {
    if (link.source < source && link.target < target) continue;
    fail("gold", "'", path.string(), "' line ", line, ": ", link.source, '-', link.target,
         " is outside its pair of ", source, " source and ", target,
         " target tokens; count tokens from 0 and without EOS");
  }
}

data::AlignmentError align(const models::Ensemble& model, const Sides& sides, Pairs pairs,
                           const std::filesystem::path& path) {
  const std::vector<GoldLinks> gold = read_gold_links(path);
  if (gold.size() != pairs.size()) {
    fail("gold", "'", path.string(), "' has ", gold.size(), " lines for ", pairs.size(),
         " pairs; give one line per pair");
  }
  const std::vector<data::Pair> encoded = encode(pairs, sides);
  for (std::size_t i = 0; i < gold.size(); ++i) {
    const std::int64_t source = std::ssize(encoded[i].source), target = std::ssize(encoded[i].target) - 1;
    check_inside(path, i + 1, gold[i].sure, source, target);
    check_inside(path, i + 1, gold[i].possible, source, target);
  }
  const std::vector<models::Forced> forced = models::force_decode(model, encoded);
  data::AlignmentError error;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    error.add(links_of(forced[i], std::ssize(encoded[i].target) - 1), gold[i].sure, gold[i].possible);
  }
  return error;
}

}  // namespace

Evaluation evaluate_pairs(const std::string& name, const models::Ensemble& model, const Sides& sides,
                          Pairs pairs, const EvaluationOptions& options) {
  Evaluation evaluation;
  evaluation.name = name;
  evaluation.bucket = options.bucket;
  if (!options.gold.empty()) evaluation.alignment = align(model, sides, pairs, options.gold);
  std::vector<std::string> sources;
  for (const data::SentencePair& pair : pairs) sources.push_back(pair.source);
  SearchMeter meter;
  meter.show("evaluating", std::ssize(pairs));
  const auto found = translate_sentences(model, sides, sources, meter.measured(options.search.search()),
                                         options.search.translation());
  meter.report(std::cerr);
  for (const auto& translations : found) {
    evaluation.outputs.push_back(translations.empty() ? "" : translations.front().text);
  }
  const auto tokeniser = options.bleu_tokeniser.value_or(default_bleu_tokeniser(sides.target));
  const data::BleuOptions bleu = bleu_options(sides.target, tokeniser);
  evaluation.signature = data::bleu_signature(bleu);
  evaluation.chrf_signature = data::chrf_signature(bleu.lowercase);
  for (const Scores& scores : measure_each(model, sides, pairs, found, tokeniser)) {
    const std::int64_t longer = std::max<std::int64_t>(scores.source_tokens, 1) - 1;
    evaluation.total += scores;
    evaluation.by_length[longer / options.bucket * options.bucket + 1] += scores;
  }
  if (options.any_reference) evaluation.any_reference = match_any(sides.target, pairs, evaluation.outputs);
  return evaluation;
}

}  // namespace gradus::tools
