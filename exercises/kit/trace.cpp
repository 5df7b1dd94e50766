#include "trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <link.h>
#include <string_view>
#include <typeinfo>
#include <unistd.h>
#include <unwind.h>

namespace exercise {

namespace {

// The return addresses on the calling thread's stack, innermost first. Allocates no memory.
class Stack {
 public:
  void fill() {
    size_ = 0;
    _Unwind_Backtrace(add, this);
  }
  const std::uintptr_t* begin() const { return frames_.data(); }
  const std::uintptr_t* end() const { return begin() + size_; }

 private:
  static _Unwind_Reason_Code add(_Unwind_Context* context, void* data) {
    auto& stack = *static_cast<Stack*>(data);
    int before = 0;  // 1 at an interrupted instruction (in a signal handler), 0 at a return address
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
    stack.frames_[stack.size_++] = before ? address : address - 1;
    return stack.size_ < stack.frames_.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
  }

  std::array<std::uintptr_t, 100> frames_;
  std::size_t size_ = 0;
};

// ---- Exceptions ----

struct Thrown {
  const void* object = nullptr;
  Stack stack;
};

// The last 16 exceptions thrown. The last one is not enough, because a checker may throw others before it
// rethrows the learner's exception.
thread_local std::array<Thrown, 16> recent;
thread_local std::size_t throws = 0;

std::uintptr_t load_address() {
  std::uintptr_t address = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = program->dlpi_addr;
        return 1;  // stop at the first object, which is the program itself
      },
      &address);
  return address;
}

// ---- Ends of the program ----

// The size in bytes of the range below main()'s frame that Linux reserves for the stack.
constexpr std::uintptr_t below_stack = 128 << 20;
constexpr unsigned longest_unwinding = 2;  // seconds; unwinding a corrupted stack may hang

int file = -1;
pid_t process;
std::uintptr_t load, outermost;

void append(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
}

void append(std::string_view word, std::uintptr_t number, int base) {
  std::array<char, 24> digits;
  const char* end = std::to_chars(digits.begin(), digits.end(), number, base).ptr;
  append(word);
  append({digits.data(), end});
  append("\n");
}

void append_stack() {
  static Stack stack;
  stack.fill();
  for (const std::uintptr_t address : stack) append("at ", address - load, 16);
}

// Writes only in the traced process. In a child process of run_apart(), the signal is a result of the check.
void on_signal(int number, siginfo_t* info, void*) {
  if (getpid() == process) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(longest_unwinding);
    append("signal ", static_cast<std::uintptr_t>(number), 10);
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (number == SIGSEGV && address < outermost && outermost - address < below_stack) append("overflow\n");
    append_stack();
  }
  raise(number);  // ends the program: SA_RESETHAND has restored the default action
}

void on_exit() {
  if (getpid() != process) return;
  append("exit\n");
  append_stack();
}

}  // namespace

void trace_ends(const std::string& path) {
  file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  process = getpid();
  load = load_address();
  outermost = reinterpret_cast<std::uintptr_t>(&path);
  static std::array<char, 1 << 16> signal_stack;  // the handler's stack, for use after a stack overflow
  const stack_t alternative = {.ss_sp = signal_stack.data(), .ss_flags = 0, .ss_size = signal_stack.size()};
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGALRM})
    sigaction(number, &action, nullptr);
  std::atexit(on_exit);
}

void allow_exit() { process = 0; }

std::vector<std::uintptr_t> thrown_from() {
  const std::exception_ptr handled = std::current_exception();
  const void* object = nullptr;
  static_assert(sizeof(handled) == sizeof(object));  // an exception_ptr holds only a pointer to the object
  std::memcpy(&object, &handled, sizeof(object));
  const auto found = std::find_if(recent.begin(), recent.end(),
                                  [&](const Thrown& thrown) { return thrown.object == object; });
  if (found == recent.end()) return {};
  std::vector<std::uintptr_t> stack(found->stack.begin(), found->stack.end());
  const std::uintptr_t loaded_at = load_address();
  for (std::uintptr_t& address : stack) address -= loaded_at;
  return stack;
}

}  // namespace exercise

// Replaces the function behind every `throw`: stores the stack, then calls the original.
extern "C" [[noreturn]] void __cxa_throw(void* object, std::type_info* type, void (*destroy)(void*)) {
  using Throw = void (*)(void*, std::type_info*, void (*)(void*));
  using namespace exercise;
  for (Thrown& thrown : recent)
    if (thrown.object == object) thrown.object = nullptr;
  Thrown& thrown = recent[throws++ % recent.size()];
  thrown.object = object;
  thrown.stack.fill();
  static const auto original = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
  original(object, type, destroy);
  std::abort();
}
