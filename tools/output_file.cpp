#include "output_file.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/files/atomic.hpp>

#include <iostream>

namespace gradus::tools {

void check_output(std::string_view who, const std::filesystem::path& file) {
  if (file.empty()) return;
  if (std::filesystem::is_directory(file)) fail(who, "'", file.string(), "' is a folder; name a file in it");
  files::check_writable(who, file.has_parent_path() ? file.parent_path() : ".");
}

void flush_standard_output() {
  if (!std::cout.flush()) fail("output", "standard output cannot be written; is the disk full?");
}

}  // namespace gradus::tools
