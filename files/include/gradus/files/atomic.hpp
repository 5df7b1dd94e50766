#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
/// Atomic file writing. Errors have the form "<who>: cannot <action> '<path>': <the system's reason>; <what
/// to do>".
namespace gradus::files {

/// Writes `content`, or the concatenated pieces, to the file `target`, and replaces an existing file. The
/// file appears only when all its data is on disk. On failure, an old file is unchanged, and no temporary
/// file is left. If only the final flush of the folder fails, the new file is in place. Symbolic links
/// are followed. Devices, pipes and the process's standard output or error are written in place.
/// @throws Error.
void write_atomically(std::string_view who, const std::filesystem::path& target, std::string_view content);
void write_atomically(std::string_view who, const std::filesystem::path& target,
                      std::span<const std::string_view> pieces);

/// Removes the temporary files of killed writers from a folder. Keeps the temporary files of running
/// processes. Ignores files that cannot be removed.
void sweep(const std::filesystem::path& folder);

/// Checks that write_atomically() can write `target`: creates and removes a temporary file beside it, or
/// checks the permissions of a pipe or device. @throws Error if it cannot.
void check_target(std::string_view who, const std::filesystem::path& target);

/// Checks that a folder is writable, by writing and removing a file. @throws Error if it is not.
void check_writable(std::string_view who, const std::filesystem::path& folder);

/// Throws the Error for a failed system call. `reason` is the call's errno.
[[noreturn]] void refuse(std::string_view who, std::string_view action, const std::filesystem::path& path,
                         int reason);

}  // namespace gradus::files
#pragma GCC visibility pop
