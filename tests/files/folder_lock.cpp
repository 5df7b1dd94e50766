// Exclusive locks of folders.

#include <gradus/error.hpp>
#include <gradus/files/folder_lock.hpp>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "autograd/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
using gradus::files::FolderLock;

namespace {

std::string refusal(const fs::path& folder, const std::string& holder) {
  return "train: '" + folder.string() + "' is in use by " + holder +
         "; wait until it ends, or choose another folder";
}

}  // namespace

TEST_CASE("a second lock is refused and names the first process", "[files]") {
  const Scratch scratch;
  {
    const FolderLock lock("train", scratch.path());
    CHECK_ERROR(FolderLock("train", scratch.path()),
                refusal(scratch.path(), "process " + std::to_string(::getpid())));
    std::ofstream(scratch.path() / ".gradus.lock");  // the holder has not yet written its process id
    CHECK_ERROR(FolderLock("train", scratch.path()), refusal(scratch.path(), "another process"));
  }
  CHECK(names(scratch.path()).empty());
  CHECK_NOTHROW(FolderLock("train", scratch.path()));
}

TEST_CASE("a lock ends with its process, even if killed", "[files]") {
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock("train", scratch.path());
    ::raise(SIGKILL);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(content(scratch.path() / ".gradus.lock") == std::to_string(child));
  std::optional<FolderLock> lock;
  CHECK_NOTHROW(lock.emplace("train", scratch.path()));
  CHECK(content(scratch.path() / ".gradus.lock") == std::to_string(::getpid()));
}

TEST_CASE("a moved folder stays locked, and releasing the lock removes its file", "[files]") {
  const Scratch scratch;
  const fs::path before = scratch.path() / "before", after = scratch.path() / "after";
  fs::create_directory(before);
  {
    const FolderLock lock("train", before);
    fs::rename(before, after);
    CHECK_THROWS_AS(FolderLock("train", after), gradus::Error);
  }
  CHECK(names(after).empty());
  CHECK_ERROR(FolderLock("train", before),
              "train: cannot open folder '" + before.string() +
                  "': No such file or directory; the folder does not exist; create it, or choose "
                  "another");
}

TEST_CASE("only one of many threads holds the lock", "[files]") {
  const Scratch scratch;
  std::atomic<int> holders = 0, most = 0, taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int attempt = 0; attempt < 500; ++attempt) {
        try {
          const FolderLock lock("train", scratch.path());
          if (++holders > 1) most = 2;
          ++taken;
          --holders;
        } catch (const gradus::Error&) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 0);
  CHECK(taken > 0);
}
