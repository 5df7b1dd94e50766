#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
/// Files that are whole or not there. Errors are "<who>: cannot <action> '<path>': <the system's reason>;
/// <a way out>".
namespace gradus::files {

/// Puts `content`, or the pieces one after the other, into the file `target`. A file of this name is
/// replaced. It appears under its name only once all of it is on the disk; upon failure the old file, if any,
/// is as it was and nothing is left behind. A link stays, and what it leads to is replaced. What is no file
/// (a device, a pipe), or is the program's standard output or error, is written to as it is.
/// @throws Error.
void write_atomically(std::string_view who, const std::filesystem::path& target, std::string_view content);
void write_atomically(std::string_view who, const std::filesystem::path& target,
                      std::span<const std::string_view> pieces);

/// Removes from a folder what writers have left there that were killed: never the file of one at work, in
/// this process or another. What cannot be removed stays.
void sweep(const std::filesystem::path& folder);

/// Proves that write_atomically() finds a place for `target`; of a pipe or a device, that it may be written
/// to. @throws Error.
void check_target(std::string_view who, const std::filesystem::path& target);

/// Proves that files can be written in a folder, by writing and removing one. @throws Error.
void check_writable(std::string_view who, const std::filesystem::path& folder);

/// Throws the Error for what the system refused with the error number `reason`.
[[noreturn]] void refuse(std::string_view who, std::string_view action, const std::filesystem::path& path,
                         int reason);

}  // namespace gradus::files
#pragma GCC visibility pop
