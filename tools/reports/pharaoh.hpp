#pragma once

#include <gradus/data/alignment_error.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "reports/translation.hpp"

namespace gradus::tools {

/// Human-annotated links of one sentence.
struct GoldLinks {
  std::set<data::Link> sure, possible;
};

/// Links in Pharaoh format, `source-target`, with tokens counted from 0: `0-0 1-2`.
std::string to_pharaoh(const std::set<data::Link>& links);

/// Reads a file with one sentence's links per line. `1-2` is a sure link, `1?2` a possible one.
/// @throws Error naming a line in another format, and for a file that data::read_lines refuses.
std::vector<GoldLinks> read_gold_links(const std::filesystem::path& path);

/// The source token with the largest attention weight for each of the first `tokens` target tokens.
/// @throws Error if the model has no attention.
std::set<data::Link> links_of(const models::Decoded& decoded, std::int64_t tokens);

}  // namespace gradus::tools
