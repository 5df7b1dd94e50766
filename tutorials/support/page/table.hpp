#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace tutorial {

/// The measurements of a tutorial. They are printed, and saved for the pages that quote them.
struct Table {
  struct Row {
    std::string name;
    std::vector<double> values;  ///< one per column; NaN: no value
  };
  std::string name;                  ///< part of a page's marker: <!-- result tutorial_NN_name -->
  std::string rows_are;              ///< heading of the column of row names: "length"
  std::vector<std::string> columns;  ///< headings of the other columns
  std::vector<Row> rows{};
  int digits = 3;  ///< digits after the decimal point
};

/// The value as text: "0.987".
std::string decimals(double value, int digits = 3);

/// The table in aligned columns, for a terminal.
std::string text(const Table& table);

/// The content of results.json. docs/results.py puts the tables of several seeds into the pages.
std::string json(const std::string& program, const Options& options, const std::vector<Table>& tables);

}  // namespace tutorial
