#pragma once

#include <gradus/autograd/checks.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace gradus::models {

// The row of a table with this name. @throws Error listing the names of all rows.
template <class Rows, class NameOf>
const auto& find_row(const char* where, const char* kind, std::string_view name, const Rows& rows,
                     NameOf name_of) {
  const auto found = std::ranges::find(rows, name, name_of);
  if (found != std::ranges::end(rows)) return *found;
  std::string names;
  for (const auto& row : rows) names.append(names.empty() ? "" : ", ").append(std::invoke(name_of, row));
  fail(where, "unknown ", kind, " '", name, "'; available: ", names);
}

}  // namespace gradus::models
