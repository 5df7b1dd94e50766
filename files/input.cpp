#include <gradus/error.hpp>
#include <gradus/files/input.hpp>

#include <system_error>

namespace gradus::files {

namespace fs = std::filesystem;

Input::Input(std::string_view who, const fs::path& path, std::string_view kind) : who_(who), path_(path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    refuse("is not a regular file; give the path of a " + std::string(kind));
  in_.open(path, std::ios::binary | std::ios::ate);
  if (!in_) refuse("cannot be opened; check the path and the permissions");
  left_ = static_cast<std::uint64_t>(in_.tellg());
  in_.seekg(0);
}

void Input::read(void* into, std::uint64_t bytes) {
  in_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes));
  if (!in_) refuse("could not be read; check that no other program writes it, and try again");
  left_ -= bytes;
}

void Input::refuse(std::string_view what) const {
  throw Error(who_ + ": '" + path_.string() + "' " + std::string(what));
}

}  // namespace gradus::files
