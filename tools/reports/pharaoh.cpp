#include "reports/pharaoh.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>

#include <charconv>
#include <sstream>
#include <string_view>

#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

// Parses one link into `link` and `sign`: '-' for sure, '?' for possible. Returns false if the text is
// malformed.
bool parse(std::string_view text, data::Link& link, char& sign) {
  const char* const end = text.data() + text.size();
  const auto source = std::from_chars(text.data(), end, link.source);
  if (source.ec != std::errc() || source.ptr == end || text.front() == '-') return false;
  sign = *source.ptr;
  if ((sign != '-' && sign != '?') || source.ptr + 1 == end || source.ptr[1] == '-') return false;
  const auto target = std::from_chars(source.ptr + 1, end, link.target);
  return target.ec == std::errc() && target.ptr == end;
}

}  // namespace

std::string to_pharaoh(const std::set<data::Link>& links) {
  std::ostringstream text;
  for (const data::Link& link : links) {
    text << (text.tellp() > 0 ? " " : "") << link.source << '-' << link.target;
  }
  return text.str();
}

std::vector<GoldLinks> read_gold_links(const std::filesystem::path& path) {
  std::vector<GoldLinks> gold;
  for (const std::string& line : data::read_lines(path)) {
    GoldLinks links;
    std::istringstream in(line);
    for (std::string text; in >> text;) {
      data::Link link{};
      char sign = 0;
      if (!parse(text, link, sign)) {
        fail("gold", "'", path.string(), "' line ", gold.size() + 1, ": '", excerpt(text),
             "' is not a link; write 0-0 for a sure and 0?0 for a possible link, tokens counted from 0");
      }
      (sign == '-' ? links.sure : links.possible).insert(link);
    }
    gold.push_back(std::move(links));
  }
  return gold;
}

std::set<data::Link> links_of(const models::Decoded& decoded, std::int64_t tokens) {
  if (!decoded.weights.defined()) {
    fail("alignments", "the model has no attention weights; use a model trained with --decoder bahdanau");
  }
  const std::int64_t source_steps = decoded.weights.size(1);
  return data::strongest_links(
      decoded.weights.values<float>().first(static_cast<std::size_t>(tokens * source_steps)), source_steps);
}

}  // namespace gradus::tools
