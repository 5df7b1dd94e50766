#pragma once

#include <gradus/plot/output.hpp>

#include <string>
#include <vector>

#include "table.hpp"

namespace tutorial {

/// The page of a tutorial: its sections with pictures, and its tables.
struct Report {
  struct Picture {
    std::string name, svg;
  };
  struct Section {
    std::string heading;
    std::vector<Picture> pictures{};
    std::string numbers{};  ///< text below the pictures; line breaks are kept
  };
  std::string number, title;  ///< "05", "gates"
  std::string intro;          ///< one sentence
  std::vector<Section> sections;
  std::vector<Table> tables;
  std::string try_next;  ///< printed at the end
};

/// Writes the sections to index.html, each picture to NAME.svg, and the tables to results.json. Prints the
/// page's path, and what to try next.
void publish(const Report& report, const gradus::plot::OutputFolder& out, const Options& options);

}  // namespace tutorial
