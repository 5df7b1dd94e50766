#include "files/new_folder.hpp"

#include <system_error>

namespace gradus::tools {

namespace fs = std::filesystem;

MissingFolders::MissingFolders(const fs::path& path) {
  std::error_code error;
  for (fs::path folder = path; !folder.empty() && !fs::exists(folder, error) && !error;
       folder = folder.parent_path()) {
    missing_.push_back(folder);
  }
}

MissingFolders::~MissingFolders() {
  std::error_code ignored;
  for (const fs::path& folder : missing_) fs::remove(folder, ignored);  // removes only empty folders
}

}  // namespace gradus::tools
