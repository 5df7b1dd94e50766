#include "process.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT: POSIX leaves this declaration to the program

namespace gradus {
namespace {

[[noreturn]] void fail_by_system(int reason) { throw std::system_error(reason, std::generic_category()); }

// An unnamed temporary file that replaces a pipe between processes. With a pipe, a process may block or get
// SIGPIPE.
class Channel {
 public:
  Channel() : file_(std::tmpfile()) {
    if (!file_) fail_by_system(errno);
  }

  int descriptor() const { return ::fileno(file_.get()); }

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0) {
      fail_by_system(errno);
    }
    std::rewind(file_.get());
  }

  std::string read() {
    std::rewind(file_.get());
    std::string text;
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file_.get())) text.append(buffer, n);
    return text;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

// Returns 0, or the error number.
int spawn(pid_t& child, const std::vector<std::string>& command, const Channel& in, const Channel& out,
          const Channel& err) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int reason = ::posix_spawn_file_actions_init(&actions); reason != 0) return reason;
  int reason = 0;
  for (const auto& [channel, number] : {std::pair{&in, 0}, {&out, 1}, {&err, 2}}) {
    if (reason == 0) reason = ::posix_spawn_file_actions_adddup2(&actions, channel->descriptor(), number);
  }
  if (reason == 0)
    reason = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return reason;
}

std::string wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail_by_system(errno);
  }
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::string& input) {
  Channel in, out, err;
  in.write(input);
  ProcessResult result;
  pid_t child = 0;
  if (const int reason = spawn(child, command, in, out, err); reason != 0) {
    if (reason != ENOENT) fail_by_system(reason);
    result.found = false;
    return result;
  }
  result.status = wait_for(child);
  result.output = out.read();
  result.errors = err.read();
  return result;
}

}  // namespace gradus
