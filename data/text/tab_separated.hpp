#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// The pairs of lines `source TAB target`, without the blank lines; `name` is what messages call their file.
std::vector<SentencePair> parse_tab_separated(std::string_view operation, const std::string& name,
                                              std::span<const std::string> lines);

}  // namespace gradus::data
