#pragma once

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus {

/// The first of `rows` whose name is `name`. `name_of(row)` returns a row's name.
/// @throws Error if there is no such row. The message begins with `who`, calls the row a `kind`, and lists
/// all names.
template <class Rows, class NameOf>
const auto& find_row(const char* who, const char* kind, std::string_view name, const Rows& rows,
                     NameOf name_of) {
  const auto found = std::ranges::find(rows, name, name_of);
  if (found != std::ranges::end(rows)) return *found;
  std::string names;
  for (const auto& row : rows) names.append(names.empty() ? "" : ", ").append(std::invoke(name_of, row));
  throw Error(message(who, ": unknown ", kind, " '", name, "'; available: ", names));
}

}  // namespace gradus
#pragma GCC visibility pop
