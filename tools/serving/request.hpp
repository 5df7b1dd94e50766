#pragma once

#include <gradus/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/search_options.hpp"

namespace gradus::tools {

/// A request that the client must change. Its text says which field is wrong, and what to send.
class BadRequest : public Error {
 public:
  using Error::Error;
};

/// The limits of a request.
struct RequestLimits {
  std::int64_t texts = 64;     ///< of one request
  std::int64_t tokens = 1000;  ///< of one text, and of one output
  std::int64_t beam = 16;
  std::int64_t depth = 4;          ///< of nested lists and objects
  std::int64_t weights = 1 << 22;  ///< attention weights of an answer
};

/// The body of POST /translate.
struct TranslateRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q was a list
  std::string model;     ///< empty: the first one, or that of the languages
  std::string source, target;
  std::int64_t alternatives = 0;
  bool alignments = false, scores = false;
  SearchOptions search;
};

/// Reads a body of POST /translate. @throws BadRequest for text that is not JSON in UTF-8, for unknown fields
/// and values of another type or out of range, and for fields that contradict each other.
TranslateRequest read_translate_request(std::string_view body, const RequestLimits& limits);

/// The body of POST /align.
struct AlignRequest {
  std::string text, translation;
  std::string model;
};
/// @throws BadRequest as above.
AlignRequest read_align_request(std::string_view body, const RequestLimits& limits);

}  // namespace gradus::tools
