#include "report.hpp"

#include <gradus/plot/page.hpp>

#include <iostream>

namespace tutorial {

namespace plot = gradus::plot;

void publish(const Report& report, const plot::OutputFolder& out, const Options& options) {
  plot::Page page{.title = "Tutorial " + report.number + ": " + report.title, .intro = {report.intro}};
  for (const Report::Section& section : report.sections) {
    page.sections.push_back({.heading = section.heading, .preformatted = section.numbers});
    for (const Report::Picture& picture : section.pictures) {
      page.sections.back().svgs.push_back(picture.svg);
      out.write(picture.name + ".svg", picture.svg);
    }
  }
  out.write("results.json", json("tutorial_" + report.number, options, report.tables));
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: " << report.try_next << '\n';
}

}  // namespace tutorial
