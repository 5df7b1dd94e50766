#pragma once

#include <gradus/data/bleu.hpp>
#include <gradus/data/chrf.hpp>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace gradus::tools {

struct TextOptions {
  data::BleuTokeniser tokeniser = data::BleuTokeniser::mteval_13a;
  bool lowercase = false;
};

/// BLEU and chrF of a file of translations.
struct TextScores {
  std::int64_t lines = 0;
  data::BleuScore bleu;
  double chrf = 0;
  std::string bleu_signature, chrf_signature;
};

/// @param hypotheses a file with one translation per line
/// @throws Error if the file does not have one line per target, or if the file or a target is empty.
TextScores score_text(const std::filesystem::path& hypotheses, std::span<const std::string> targets,
                      const TextOptions& options);

/// The number of lines, and a line per metric with its signature.
std::string text_of(const TextScores& scores);
nlohmann::ordered_json to_json(const TextScores& scores);

}  // namespace gradus::tools
