#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tutorial {

namespace {

// The number of code points. For the tutorials' texts, this equals the width in terminal columns.
int width_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

}  // namespace

std::string decimals(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string text(const Table& table) {
  int first = width_of(table.rows_are);
  for (const Table::Row& row : table.rows) first = std::max(first, width_of(row.name));
  std::ostringstream out;
  out << "  " << padded(table.rows_are, first);
  for (const std::string& column : table.columns) out << padded(column, std::max(10, width_of(column) + 2));
  out << '\n';
  for (const Table::Row& row : table.rows) {
    out << "  " << padded(row.name, first);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const std::string value = std::isnan(row.values[i]) ? "–" : decimals(row.values[i], table.digits);
      out << padded(value, std::max(10, width_of(table.columns.at(i)) + 2));
    }
    out << '\n';
  }
  return out.str();
}

std::string json(const std::string& program, const Options& options, const std::vector<Table>& tables) {
  nlohmann::ordered_json document = {{"program", program}, {"seed", options.seed}};
  for (const Table& table : tables) {
    nlohmann::ordered_json& kept = document["tables"][table.name];
    kept = {{"rows_are", table.rows_are}, {"columns", table.columns}, {"digits", table.digits}};
    for (const Table::Row& row : table.rows)
      kept["rows"].push_back({{"name", row.name}, {"values", row.values}});
  }
  return document.dump(2) + "\n";
}

}  // namespace tutorial
