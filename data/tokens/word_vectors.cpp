#include <gradus/data/word_vectors.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "text/lines.hpp"

namespace gradus::data {
namespace {

constexpr std::string_view reader = "read_word_vectors", spaces = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(spaces);
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

// Removes the last field of a trimmed, non-empty text, and returns it.
std::string_view take_last(std::string_view& text) {
  const std::size_t before = text.find_last_of(spaces);
  const std::string_view field = text.substr(before == text.npos ? 0 : before + 1);
  text = trimmed(text.substr(0, before == text.npos ? 0 : before));
  return field;
}

std::int64_t count_fields(std::string_view text) {
  std::int64_t count = 0;
  for (text = trimmed(text); !text.empty(); take_last(text)) ++count;
  return count;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

// Parses a finite number. `where` returns the prefix of the error message.
template <class Where>
float number(const Where& where, std::string_view field) {
  float value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size() && std::isfinite(value)) return value;
  fail(where(), ": expected a finite number, found '", field, "'; correct or remove the line");
}

struct Header {
  std::int64_t words, size;
};

std::optional<Header> header_of(std::string_view line) {
  if (count_fields(line) != 2) return std::nullopt;
  std::string_view rest = trimmed(line);
  const auto size = whole(take_last(rest)), words = whole(rest);
  return size && words ? std::optional(Header{*words, *size}) : std::nullopt;
}

WordVectors parse(std::span<const std::string_view> lines, std::string_view source_name,
                  const Vocabulary& vocabulary) {
  const std::optional<Header> header = lines.empty() ? std::nullopt : header_of(lines[0]);
  const std::size_t first = header ? 1 : 0;
  if (lines.size() == first) {
    fail(reader, ": '", source_name, "' has no word vectors; write a word and its numbers on each line");
  }
  if (header && header->words != std::ssize(lines) - 1) {
    fail(at_line(reader, source_name, 1), ": the header says ", header->words, " words, but ",
         std::ssize(lines) - 1, " follow; copy the file again, or correct the header");
  }
  WordVectors vectors;
  vectors.size = header ? header->size : count_fields(lines[0]) - 1;
  if (vectors.size < 1) {
    fail(at_line(reader, source_name, 1), ": the vectors have no numbers; write a word and its numbers");
  }
  std::vector<bool> found(static_cast<std::size_t>(vocabulary.size()));
  std::vector<std::string_view> fields;  // fields of one line, last field first
  for (std::size_t i = first; i < lines.size(); ++i) {
    const auto where = [&, i] { return at_line(reader, source_name, i + 1); };
    std::string_view word = trimmed(lines[i]);
    for (fields.clear(); std::ssize(fields) < vectors.size && !word.empty();) {
      fields.push_back(take_last(word));
    }
    if (word.empty()) {
      fail(where(), ": expected a word and ", vectors.size, " numbers, found ", count_fields(lines[i]),
           " fields; correct or remove the line");
    }
    const std::int64_t id = vocabulary.id(word);
    if (id == unk || found[static_cast<std::size_t>(id)]) continue;
    found[static_cast<std::size_t>(id)] = true;
    vectors.ids.push_back(id);
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
      vectors.values.push_back(number(where, *field));
    }
  }
  return vectors;
}

}  // namespace

WordVectors word_vectors_from_text(std::string_view text, std::string_view source_name,
                                   const Vocabulary& vocabulary) {
  return parse(split_lines(reader, source_name, text), source_name, vocabulary);
}

WordVectors read_word_vectors(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  const std::vector<std::string> lines = read_lines(reader, path);
  return parse(std::vector<std::string_view>(lines.begin(), lines.end()), path.string(), vocabulary);
}

}  // namespace gradus::data
