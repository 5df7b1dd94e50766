#include "reports/evaluation_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <set>
#include <sstream>

namespace gradus::tools {
namespace {

// The number, or "-" if it is NaN.
std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string percent(double part) { return std::isnan(part) ? "-" : number(100 * part, 2) + " %"; }

using Row = std::vector<std::string>;

// Aligns the first column left and the other columns right.
std::string in_columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::ostringstream text;
  for (const Row& row : rows) {
    text << std::left << std::setw(static_cast<int>(widths[0])) << row[0] << std::right;
    for (std::size_t i = 1; i < row.size(); ++i) text << std::setw(static_cast<int>(widths[i] + 2)) << row[i];
    text << '\n';
  }
  return text.str();
}

struct Figure {
  std::string name;
  std::function<std::string(const Evaluation&)> of;
};

std::vector<Figure> figures(const Evaluation& measured) {
  std::vector<Figure> figures = {
      {"BLEU", [](const Evaluation& e) { return number(e.total.bleu(), 2); }},
      {"chrF", [](const Evaluation& e) { return number(e.total.chrf(), 2); }},
      {"d2l's BLEU, k = 2", [](const Evaluation& e) { return number(e.total.d2l_bleu(), 4); }},
      {"exact match", [](const Evaluation& e) { return percent(e.total.exact.fraction()); }},
      {"token error rate", [](const Evaluation& e) { return percent(e.total.errors.rate()); }},
      {"perplexity", [](const Evaluation& e) { return number(e.total.perplexity(), 3); }},
      {"token accuracy", [](const Evaluation& e) { return percent(e.total.tokens.fraction()); }},
      {"attention's entropy, nats", [](const Evaluation& e) { return number(e.total.sharpness.nats(), 3); }},
  };
  if (measured.any_reference) {
    figures.push_back(
        {"sources answered right", [](const Evaluation& e) { return percent(e.any_reference->fraction()); }});
    figures.push_back(
        {"word error rate", [](const Evaluation& e) { return percent(1 - e.any_reference->fraction()); }});
  }
  if (measured.alignment) {
    figures.push_back(
        {"alignment error rate", [](const Evaluation& e) { return percent(e.alignment->rate()); }});
  }
  return figures;
}

std::string range(std::int64_t first, std::int64_t bucket) {
  return bucket == 1 ? std::to_string(first)
                     : std::to_string(first) + "-" + std::to_string(first + bucket - 1);
}

Row header(const std::string& first, Evaluations evaluations) {
  Row row{first};
  for (const Evaluation& evaluation : evaluations) row.push_back(evaluation.name);
  return row;
}

}  // namespace

std::string table(Evaluations evaluations) {
  std::vector<Row> rows{header("", evaluations)};
  for (const Figure& figure : figures(evaluations.front())) {
    rows.push_back({figure.name});
    for (const Evaluation& evaluation : evaluations) rows.back().push_back(figure.of(evaluation));
  }
  std::string text = in_columns(rows) + '\n';
  for (const Evaluation& evaluation : evaluations) {
    if (evaluations.size() > 1) text += evaluation.name + ": ";
    text += data::bleu_line(data::bleu_score(evaluation.total.bleu_counts), evaluation.signature) + '\n';
    if (evaluations.size() > 1) text += evaluation.name + ": ";
    text += evaluation.chrf_signature + " = " + number(evaluation.total.chrf(), 2) + '\n';
  }
  return text;
}

std::string table_by_length(Evaluations evaluations) {
  std::set<std::int64_t> lengths;
  Row header{"source length", "pairs"};
  for (const Evaluation& evaluation : evaluations) {
    header.push_back("BLEU " + evaluation.name);
    header.push_back("exact");
    for (const auto& [first, scores] : evaluation.by_length) lengths.insert(first);
  }
  std::vector<Row> rows{header};
  bool too_short = false;
  for (const std::int64_t first : lengths) {
    const auto scores_of = [first](const Evaluation& evaluation) {
      const auto found = evaluation.by_length.find(first);
      return found == evaluation.by_length.end() ? Scores{} : found->second;
    };
    rows.push_back(
        {range(first, evaluations.front().bucket), std::to_string(scores_of(evaluations.front()).pairs)});
    for (const Evaluation& evaluation : evaluations) {
      const Scores scores = scores_of(evaluation);
      rows.back().push_back(scores.pairs == 0 ? "-" : number(scores.bleu(), 2));
      too_short = too_short || (scores.pairs > 0 && scores.bleu_counts.totals.back() == 0);
      rows.back().push_back(percent(scores.exact.fraction()));
    }
  }
  return in_columns(rows) +
         (too_short ? "BLEU is 0 if no output has four words, since it counts 4-grams.\n" : "");
}

plot::Curves curves_by_length(Evaluations evaluations) {
  plot::Curves curves{.title = "BLEU by source length", .x_label = "source tokens", .y_label = "BLEU"};
  for (const Evaluation& evaluation : evaluations) {
    plot::Series series{.name = evaluation.name};
    for (const auto& [first, scores] : evaluation.by_length) {
      series.x.push_back(static_cast<double>(scores.source_tokens) / static_cast<double>(scores.pairs));
      series.y.push_back(scores.bleu());
    }
    curves.series.push_back(std::move(series));
  }
  return curves;
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  const Scores& total = evaluation.total;
  const data::BleuScore bleu = data::bleu_score(total.bleu_counts);
  nlohmann::ordered_json json = {
      {"model", evaluation.name},
      {"bleu", bleu.score},
      {"bleu_signature", evaluation.signature},
      {"bleu_precisions", bleu.precisions},
      {"bleu_brevity_penalty", bleu.brevity_penalty},
      {"chrf", total.chrf()},
      {"chrf_signature", evaluation.chrf_signature},
      {"d2l_bleu", total.d2l_bleu()},
      {"exact_match", total.exact.fraction()},
      {"token_error_rate", total.errors.rate()},
      {"loss", total.loss()},
      {"perplexity", total.perplexity()},
      {"token_accuracy", total.tokens.fraction()},
      {"attention_entropy", total.sharpness.nats()},
      {"attention_entropy_normalised", total.sharpness.normalised()},
  };
  if (evaluation.any_reference) {
    json["any_reference"] = evaluation.any_reference->fraction();
    json["word_error_rate"] = 1 - evaluation.any_reference->fraction();
    json["distinct_sources"] = evaluation.any_reference->count;
  }
  if (evaluation.alignment) {
    json["alignment_error_rate"] = evaluation.alignment->rate();
    json["alignment_precision"] = evaluation.alignment->precision();
    json["alignment_recall"] = evaluation.alignment->recall();
  }
  json["by_length"] = nlohmann::ordered_json::array();
  for (const auto& [first, scores] : evaluation.by_length) {
    json["by_length"].push_back({{"from", first},
                                 {"to", first + evaluation.bucket - 1},
                                 {"pairs", scores.pairs},
                                 {"bleu", scores.bleu()},
                                 {"exact_match", scores.exact.fraction()}});
  }
  return json;
}

}  // namespace gradus::tools
