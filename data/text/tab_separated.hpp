#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// Parses `source TAB target` lines and skips blank lines. `name` is the file's name in messages. Sets
// `with_more`, if given, to the number of pairs with further columns.
std::vector<SentencePair> parse_tab_separated(std::string_view operation, const std::string& name,
                                              std::span<const std::string> lines,
                                              std::int64_t* with_more = nullptr);

}  // namespace gradus::data
