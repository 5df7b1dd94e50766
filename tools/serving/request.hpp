#pragma once

#include <gradus/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "settings/search_options.hpp"

namespace gradus::tools {

/// An error in the client's request. The text names the fault, and often says what to send.
class BadRequest : public Error {
 public:
  using Error::Error;
};

/// The limits of a request.
struct RequestLimits {
  std::int64_t texts = 64;     ///< maximum per request
  std::int64_t tokens = 1000;  ///< maximum per text and per output
  std::int64_t beam = 16;
  std::int64_t depth = 4;          ///< maximum depth of nested lists and objects
  std::int64_t weights = 1 << 22;  ///< maximum number of attention weights in an answer
};

/// The body of POST /translate.
struct TranslateRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q was a list
  std::string model;     ///< empty: the model for `source` and `target`; if they are empty too, the first
  std::string source, target;
  std::int64_t alternatives = 0;
  bool alignments = false, scores = false;
  SearchOptions search;
};

/// Reads a body of POST /translate. @throws BadRequest for text that is not JSON in UTF-8, for missing,
/// unknown or repeated fields, for values that nest too deeply, have a wrong type or are out of range, and
/// for fields that contradict each other.
TranslateRequest read_translate_request(std::string_view body, const RequestLimits& limits);

/// The body of POST /align.
struct AlignRequest {
  std::string text, translation;
  std::string model;
};
/// Reads a body of POST /align. @throws BadRequest for the same errors as read_translate_request().
AlignRequest read_align_request(std::string_view body, const RequestLimits& limits);

}  // namespace gradus::tools
