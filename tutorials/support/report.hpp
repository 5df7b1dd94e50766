#pragma once

#include <gradus/plot/output.hpp>

#include <string>
#include <vector>

#include "table.hpp"

namespace tutorial {

/// What a tutorial leaves behind.
struct Report {
  struct Picture {
    std::string name, svg;
  };
  struct Section {
    std::string heading;
    std::vector<Picture> pictures{};
    std::string numbers{};  ///< below the pictures, line by line as printed
  };
  std::string number, title;  ///< "05", "gates"
  std::string intro;          ///< a sentence
  std::vector<Section> sections;
  std::vector<Table> tables;
  std::string try_next;  ///< what the program ends by saying
};

/// Writes its sections as one page, index.html, each picture as NAME.svg, and the tables as results.json.
/// Says where they are, and what to try next.
void publish(const Report& report, const gradus::plot::OutputFolder& out, const Options& options);

}  // namespace tutorial
