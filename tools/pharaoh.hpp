#pragma once

#include <gradus/data/alignment_error.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "translation.hpp"

namespace gradus::tools {

/// The links that people made in one sentence.
struct GoldLinks {
  std::set<data::Link> sure, possible;
};

/// Links as Pharaoh and later aligners write them, `source-target` from 0: `0-0 1-2`.
std::string to_pharaoh(const std::set<data::Link>& links);

/// A file of such lines, where `1?2` is a link that is possible and not sure.
/// @throws Error naming the line when it is of another form, or as data::read_lines.
std::vector<GoldLinks> read_gold_links(const std::filesystem::path& path);

/// Where the model looked most for each of the first tokens it wrote.
/// @throws Error when it has no attention.
std::set<data::Link> links_of(const models::Decoded& decoded, std::int64_t tokens);

}  // namespace gradus::tools
