#include "reports/text_scores.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>

#include <array>
#include <iomanip>
#include <sstream>
#include <vector>

namespace gradus::tools {

TextScores score_text(const std::filesystem::path& hypotheses, std::span<const std::string> targets,
                      const TextOptions& options) {
  const std::vector<std::string> lines = data::read_lines(hypotheses);
  if (lines.size() != targets.size()) {
    fail("hypotheses", "'", hypotheses.string(), "' has ", lines.size(), " lines for ", targets.size(),
         " targets; give one translation per line, in the order of the targets");
  }
  const data::BleuOptions bleu{.tokeniser = options.tokeniser, .lowercase = options.lowercase};
  data::BleuCounts bleu_counts;
  data::ChrfCounts chrf_counts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (targets[i].empty()) {
      fail("hypotheses", "target ", i + 1, " is blank; remove it and its translation from both files");
    }
    bleu_counts += data::bleu_counts(lines[i], std::array{targets[i]}, bleu);
    chrf_counts += data::chrf_counts(lines[i], targets[i], options.lowercase);
  }
  if (lines.empty())
    fail("hypotheses", "'", hypotheses.string(), "' is empty; give one translation per line");
  return {.lines = std::ssize(lines),
          .bleu = data::bleu_score(bleu_counts, bleu),
          .chrf = data::chrf_score(chrf_counts),
          .bleu_signature = data::bleu_signature(bleu),
          .chrf_signature = data::chrf_signature(options.lowercase)};
}

std::string text_of(const TextScores& scores) {
  std::ostringstream text;
  text << scores.lines << " lines\n"
       << data::bleu_line(scores.bleu, scores.bleu_signature) << '\n'
       << scores.chrf_signature << " = " << std::fixed << std::setprecision(2) << scores.chrf << '\n';
  return text.str();
}

nlohmann::ordered_json to_json(const TextScores& scores) {
  return {{"pairs", scores.lines},
          {"bleu", scores.bleu.score},
          {"bleu_signature", scores.bleu_signature},
          {"bleu_precisions", scores.bleu.precisions},
          {"bleu_brevity_penalty", scores.bleu.brevity_penalty},
          {"chrf", scores.chrf},
          {"chrf_signature", scores.chrf_signature}};
}

}  // namespace gradus::tools
