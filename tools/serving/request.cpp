#include "serving/request.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::json;

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw BadRequest(text.str());
}

std::string found(const Json& value) {
  return std::string(value.type_name()) + ' ' +
         excerpt(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json parse(std::string_view body, const RequestLimits& limits) {
  std::int64_t deepest = 0;
  std::map<int, std::set<std::string>> keys;  // depth of an open object → the object's keys so far
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    deepest = std::max<std::int64_t>(deepest, depth);
    if (depth > limits.depth) refuse("the body nests deeper than ", limits.depth, " lists and objects");
    if (event == Json::parse_event_t::object_start) keys[depth + 1].clear();
    if (event == Json::parse_event_t::key) {
      const auto key = value.get<std::string>();
      if (!keys[depth].insert(key).second) refuse("field '", excerpt(key), "' is given twice; give it once");
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(body.begin(), body.end(), look);
  } catch (const Json::parse_error& error) {
    refuse("the body is not JSON in UTF-8: byte ", error.byte, "; send an object such as {\"q\": \"text\"}");
  } catch (const Json::out_of_range&) {
    refuse("the body has a number that is too large; send numbers of at most 64 bits");
  }
  if (!json.is_object()) refuse("the body is ", found(json), "; send an object such as {\"q\": \"text\"}");
  return json;
}

// Reads the value of a field into a request.
using Read = std::function<void(const std::string& field, const Json& value)>;
using Fields = std::map<std::string, Read>;

void read(const Json& json, const Fields& fields) {
  for (const auto& [name, value] : json.items()) {
    const auto field = fields.find(name);
    if (field == fields.end()) {
      std::string known;
      for (const auto& [other, unused] : fields) known += (known.empty() ? "" : ", ") + other;
      refuse("unknown field '", excerpt(name), "'; known: ", known);
    }
    field->second(name, value);
  }
}

Read text_into(std::string& to) {
  return [&to](const std::string& field, const Json& value) {
    if (!value.is_string()) refuse("field '", field, "': expected a string, found ", found(value));
    to = value.get<std::string>();
  };
}

Read flag_into(bool& to) {
  return [&to](const std::string& field, const Json& value) {
    if (!value.is_boolean()) refuse("field '", field, "': expected true or false, found ", found(value));
    to = value.get<bool>();
  };
}

template <class Integer>
Read integer_into(Integer& to, std::uint64_t least, std::uint64_t most) {
  return [&to, least, most](const std::string& field, const Json& value) {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
                      value.get<std::uint64_t>() <= most;
    if (!fits)
      refuse("field '", field, "': expected an integer from ", least, " to ", most, ", found ", found(value));
    to = static_cast<Integer>(value.get<std::uint64_t>());
  };
}

// Reads a number greater than `least` (or equal to `least`, if `may_equal`) and at most `most`.
Read number_into(double& to, double least, bool may_equal, double most) {
  return [&to, least, may_equal, most](const std::string& field, const Json& value) {
    const double x = value.is_number() ? value.get<double>() : std::nan("");
    if (!((may_equal ? x >= least : x > least) && x <= most)) {
      refuse("field '", field, "': expected a number ", may_equal ? "from " : "above ", least, " to ", most,
             ", found ", found(value));
    }
    to = x;
  };
}

Read constant(const std::string& only) {
  return [only](const std::string& field, const Json& value) {
    if (value != only) refuse("field '", field, "': expected \"", only, "\", found ", found(value));
  };
}

void check(const TranslateRequest& request, const Json& json, const RequestLimits& limits) {
  const auto excludes = [&](const char* a, const char* b) {
    if (json.contains(a) && json.contains(b))
      refuse("fields '", a, "' and '", b, "' exclude each other; leave out one");
  };
  const auto needs = [&](const char* a, const char* b) {
    if (json.contains(a) && !json.contains(b)) refuse("field '", a, "' needs '", b, "'");
  };
  if (request.texts.empty()) refuse("field 'q' is missing; give the text, or a list of texts");
  for (const char* one : {"temperature", "top_k", "top_p", "seed"}) {
    if (json.contains(one) && !request.search.sampling) refuse("field '", one, "' needs 'sample': true");
  }
  if (request.search.sampling) {
    for (const char* one : {"beam", "n_best", "alternatives"}) excludes("sample", one);
  }
  for (const char* one : {"n_best", "length_penalty", "coverage_penalty"}) needs(one, "beam");
  excludes("n_best", "alternatives");
  const SearchOptions& search = request.search;
  if (search.beam.n_best > search.beam.width) {
    refuse("field 'n_best': ", search.beam.n_best, " exceeds 'beam', ", search.beam.width);
  }
  if (request.alternatives >= limits.beam) {
    refuse("field 'alternatives': expected an integer from 0 to ", limits.beam - 1, ", found ",
           request.alternatives);
  }
  const std::int64_t most = search.max_steps > 0 ? search.max_steps : limits.tokens;
  if (search.constraints.min_length >= most) {
    refuse("field 'min_length': ", search.constraints.min_length, " does not fit into ", most,
           " tokens with the end of the sentence");
  }
}

}  // namespace

TranslateRequest read_translate_request(std::string_view body, const RequestLimits& limits) {
  const Json json = parse(body, limits);
  TranslateRequest request;
  SearchOptions& search = request.search;
  const auto most = static_cast<std::uint64_t>(limits.tokens), beam = static_cast<std::uint64_t>(limits.beam);
  std::string key;
  const Fields fields{
      {"q",
       [&](const std::string& field, const Json& value) {
         request.is_list = value.is_array();
         if (request.is_list && std::ssize(value) > limits.texts) {
           refuse("field 'q': expected at most ", limits.texts, " texts, found ", value.size());
         }
         if (request.is_list && value.empty()) refuse("field 'q': the list is empty");
         std::string text;
         const auto add = [&](const Json& one) {
           text_into(text)(field, one);
           request.texts.push_back(text);
         };
         if (request.is_list) {
           for (const Json& one : value) add(one);
         } else {
           add(value);
         }
       }},
      {"source", text_into(request.source)},
      {"target", text_into(request.target)},
      {"format", constant("text")},
      {"api_key", text_into(key)},  // accepted here, used by the server
      {"model", text_into(request.model)},
      {"alternatives", integer_into(request.alternatives, 0, beam - 1)},
      {"alignments", flag_into(request.alignments)},
      {"scores", flag_into(request.scores)},
      {"beam", integer_into(search.beam.width, 1, beam)},
      {"n_best", integer_into(search.beam.n_best, 1, beam)},
      {"length_penalty", number_into(search.beam.length_penalty, 0, true, 1e6)},
      {"coverage_penalty", number_into(search.beam.coverage_penalty, 0, true, 1e6)},
      {"sample", flag_into(search.sampling)},
      {"temperature", number_into(search.sample.temperature, 0, false, 1e6)},
      {"top_k", integer_into(search.sample.top_k, 0, 1'000'000)},
      {"top_p", number_into(search.sample.top_p, 0, false, 1)},
      {"seed", integer_into(search.seed, 0, std::numeric_limits<std::uint64_t>::max())},
      {"max_steps", integer_into(search.max_steps, 1, most)},
      {"min_length", integer_into(search.constraints.min_length, 0, most)},
      {"no_repeat_ngram", integer_into(search.constraints.no_repeat_ngram, 0, most)},
      {"replace_unknown", flag_into(search.replace_unknown)},
  };
  read(json, fields);
  check(request, json, limits);
  if (request.alternatives > 0) {
    search.beam.n_best = 1 + request.alternatives;
    search.beam.width = std::max(search.beam.width, search.beam.n_best);
  }
  return request;
}

AlignRequest read_align_request(std::string_view body, const RequestLimits& limits) {
  const Json json = parse(body, limits);
  AlignRequest request;
  std::string key;
  read(json, {{"q", text_into(request.text)},
              {"translation", text_into(request.translation)},
              {"model", text_into(request.model)},
              {"api_key", text_into(key)}});
  for (const char* one : {"q", "translation"}) {
    if (!json.contains(one)) refuse("field '", one, "' is missing; give both texts, 'q' and 'translation'");
  }
  return request;
}

}  // namespace gradus::tools
