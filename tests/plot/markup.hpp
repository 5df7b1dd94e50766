#pragma once

#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

/// Checks the XML or HTML of a picture or page.

inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':'; }

// True if text may contain the character at `at`. An & must begin &amp;, &lt;, &gt; or &quot;. Not
// allowed are < and the characters below U+0020 except newline and tab.
inline bool is_escaped(const std::string& markup, std::size_t at) {
  const char c = markup[at];
  if (c == '&') {
    for (const std::string_view reference : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
      if (markup.compare(at, reference.size(), reference) == 0) return true;
    }
    return false;
  }
  return c != '<' && (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
}

// Parses attributes, and moves `at` past them. Returns an error, or an empty string.
inline std::string attribute_fault(const std::string& markup, std::size_t& at) {
  std::set<std::string> names;
  while (at < markup.size() && markup[at] == ' ') {
    const std::size_t start = ++at;
    while (at < markup.size() && is_name(markup[at])) ++at;
    if (markup.compare(at, 2, "=\"") != 0) return "attribute without a value";
    if (!names.insert(markup.substr(start, at - start)).second) return "attribute twice";
    for (at += 2; at < markup.size() && markup[at] != '"'; ++at) {
      if (!is_escaped(markup, at)) return "attribute not escaped";
    }
    if (at++ == markup.size()) return "attribute without an end";
  }
  return "";
}

// Checks that tags nest, attributes are quoted and unique, and texts are escaped. The void elements meta and
// link need no end tag. Returns an error, or an empty string.
inline std::string fault(const std::string& markup) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < markup.size();) {
    if (markup[at] != '<') {
      if (!is_escaped(markup, at)) return "not escaped: " + markup.substr(at, 40);
      ++at;
      continue;
    }
    const std::size_t start = at++;
    if (markup.compare(at, 8, "!DOCTYPE") == 0) {
      at = markup.find('>', at) + 1;
      continue;
    }
    const bool closes = markup[at] == '/';
    const std::size_t name_start = at += closes;
    while (at < markup.size() && is_name(markup[at])) ++at;
    const std::string name = markup.substr(name_start, at - name_start);
    const std::string wrong = closes ? "" : attribute_fault(markup, at);
    if (!wrong.empty()) return wrong + ": " + markup.substr(start, 40);
    const bool empty = !closes && (name == "meta" || name == "link" || markup.compare(at, 2, "/>") == 0);
    at += markup.compare(at, 2, "/>") == 0;
    if (name.empty() || at >= markup.size() || markup[at++] != '>')
      return "no tag: " + markup.substr(start, 40);
    if (closes) {
      if (open.empty() || open.back() != name) return "closes nothing: " + markup.substr(start, 40);
      open.pop_back();
    } else if (!empty) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "left open: " + open.back();
}
