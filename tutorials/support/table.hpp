#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace tutorial {

/// Numbers that a tutorial measured: printed, and kept for the pages that quote them.
struct Table {
  struct Row {
    std::string name;
    std::vector<double> values;  ///< one for each column; NaN where there is none
  };
  std::string name;                  ///< in a page's marker: <!-- result tutorial_NN_name -->
  std::string rows_are;              ///< the heading of the rows' names: "length"
  std::vector<std::string> columns;  ///< the headings of the values
  std::vector<Row> rows{};
  int digits = 3;  ///< behind the point
};

/// "0.987".
std::string decimals(double value, int digits = 3);

/// In columns, as a terminal shows it.
std::string text(const Table& table);

/// What a run measured, as results.json: for docs/results.py, which puts the tables of several seeds into the
/// pages.
std::string json(const std::string& program, const Options& options, const std::vector<Table>& tables);

}  // namespace tutorial
