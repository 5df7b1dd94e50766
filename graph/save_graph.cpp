#include <gradus/autograd/scope.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/graph/graph.hpp>

#include <filesystem>
#include <system_error>

#include "process.hpp"

namespace gradus {
namespace {

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string svg_of(const std::string& dot) {
  ProcessResult result;
  try {
    result = run_process({"dot", "-Tsvg"}, dot);
  } catch (const std::system_error& error) {
    fail("save_graph", "Graphviz's 'dot' could not be run: ", error.code().message(), "; save as .dot");
  }
  if (!result.found) {
    fail("save_graph", "Graphviz's 'dot' was not found; install the package graphviz, or save as .dot");
  }
  if (!result.status.empty()) {
    fail("save_graph", "Graphviz's 'dot' failed with ", result.status, ": ",
         without_last_newline(result.errors), "; save as .dot to see its input");
  }
  return result.output;
}

}  // namespace

void save_graph(const Tensor& root, const std::string& path, const GraphOptions& options) {
  const auto extension = std::filesystem::path(path).extension();
  if (extension != ".dot" && extension != ".svg") {
    fail("save_graph", "'", path, "' must end in .dot, for Graphviz's text, or .svg, for a picture");
  }
  const std::string dot = draw_graph(root, options);
  files::write_atomically("save_graph", path, extension == ".svg" ? svg_of(dot) : dot);
}

}  // namespace gradus
