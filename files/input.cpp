#include <gradus/error.hpp>
#include <gradus/files/input.hpp>

#include <cerrno>
#include <system_error>

namespace gradus::files {
namespace {

namespace fs = std::filesystem;

std::string_view way_in(int reason) {
  switch (reason) {
    case ENOENT:
      return "check the path";
    case ENOTDIR:
      return "part of the path is a file; check the path";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ELOOP:
      return "symbolic links form a cycle; remove one, or give another path";
    case EACCES:
    case EPERM:
      return "check the permissions";
    case EISDIR:
      return "give the path of a file";
    case EMFILE:
    case ENFILE:
      return "close other programs, or raise the limit of this shell, 'ulimit -n'";
    default:
      return "check the path and the permissions";
  }
}

}  // namespace

void refuse_to_open(std::string_view who, const fs::path& path, int reason) {
  throw Error(std::string(who) + ": '" + path.string() + "' cannot be opened: " +
              std::generic_category().message(reason) + "; " + std::string(way_in(reason)));
}

Input::Input(std::string_view who, const fs::path& path, std::string_view kind) : who_(who), path_(path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    refuse("is not a regular file; give the path of a " + std::string(kind));
  in_.open(path, std::ios::binary | std::ios::ate);
  if (!in_) refuse_to_open(who, path, errno);
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
