#pragma once

#include <gradus/error.hpp>
#include <gradus/models/cell.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gradus::web {

/// The cells, with their names in `gradus train`.
inline constexpr std::array<std::pair<std::string_view, models::Cell>, 4> cells{
    {{"gru", models::Cell::gru},
     {"lstm", models::Cell::lstm},
     {"original-gru", models::Cell::original_gru},
     {"rnn", models::Cell::rnn}}};

/// @throws Error for an unknown name, listing the known ones.
inline models::Cell cell_named(const std::string& name) {
  for (const auto& [known, cell] : cells) {
    if (known == name) return cell;
  }
  throw Error("model: unknown cell '" + name + "'; available: gru, lstm, original-gru, rnn");
}

inline std::string name_of(models::Cell cell) {
  for (const auto& [name, known] : cells) {
    if (known == cell) return std::string(name);
  }
  throw Error("model: unknown cell");
}

}  // namespace gradus::web
