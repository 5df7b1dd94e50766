#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// Parses `source TAB target` lines. Skips blank lines. `name` is the file's name, for messages.
std::vector<SentencePair> parse_tab_separated(std::string_view operation, const std::string& name,
                                              std::span<const std::string> lines);

}  // namespace gradus::data
