#include <gradus/autograd/graph.hpp>
#include <gradus/autograd/runtime.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

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
         without_last_newline(result.errors), "; save as .dot to see what it was given");
  }
  return result.output;
}

// REPLACE by the library's one home of atomic writes.
void write_atomically(const std::string& path, const std::string& content) {
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  file << content;
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  std::remove(temporary.c_str());
  fail("save_graph", "cannot write '", path, "': ", std::generic_category().message(reason),
       "; choose a folder that you may write to");
}

}  // namespace

void save_graph(const Tensor& root, const std::string& path, const GraphOptions& options) {
  const auto extension = std::filesystem::path(path).extension();
  if (extension != ".dot" && extension != ".svg") {
    fail("save_graph", "'", path, "' is neither a .dot, Graphviz's text, nor an .svg, a picture; name it so");
  }
  const std::string dot = draw_graph(root, options);
  write_atomically(path, extension == ".svg" ? svg_of(dot) : dot);
}

}  // namespace gradus
