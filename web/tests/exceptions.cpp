// Test cases for web/wasi/exceptions.cpp. engine.test.mjs checks the printed lines.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Base {
  virtual ~Base() = default;
  int number = 1;
};
struct Other {
  virtual ~Other() = default;
  int number = 2;
};
struct Both : Base, Other {};

struct Counted {
  static int alive;
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
};
int Counted::alive = 0;

struct Unwound {
  const char* name;
  ~Unwound() { std::printf("unwound %s\n", name); }
};

void fail(int kind) {
  const Unwound inner{"inner"};
  switch (kind) {
    case 0:
      throw std::runtime_error("a runtime error");
    case 1:
      throw 42;
    case 2:
      throw Both();
    case 3:
      throw "text";
    case 4:
      throw Counted();
    default:
      static_cast<void>(std::vector<int>(3).at(5));
  }
}

void catch_by_type(int kind) {
  try {
    const Unwound outer{"outer"};
    fail(kind);
  } catch (const std::logic_error&) {
    std::puts("logic_error");
  } catch (const std::exception& error) {
    std::printf("exception: %s\n", error.what());
  } catch (int number) {
    std::printf("int: %d\n", number);
  } catch (const Other& other) {  // a second base class, at another address
    std::printf("other: %d\n", other.number);
  } catch (const char* text) {
    std::printf("pointer: %s\n", text);
  } catch (...) {
    std::printf("anything: %d alive\n", Counted::alive);
  }
}

void rethrow() {
  try {
    try {
      throw std::runtime_error("first");
    } catch (const std::exception& error) {
      try {
        throw std::runtime_error("second");  // thrown while a handler runs
      } catch (const std::runtime_error& inner) {
        std::printf("inside: %s, %s\n", error.what(), inner.what());
      }
      throw;
    }
  } catch (const std::runtime_error& error) {
    std::printf("again: %s\n", error.what());
  }
}

void pass_through_a_catch_of_another_type() {
  try {
    try {
      throw 7;
    } catch (const std::exception&) {
      std::puts("wrong");
    }
  } catch (int number) {
    std::printf("passed: %d\n", number);
  }
}

}  // namespace

int main() {
  for (int kind = 0; kind < 6; ++kind) catch_by_type(kind);
  std::printf("%d alive\n", Counted::alive);
  rethrow();
  pass_through_a_catch_of_another_type();
  long caught = 0;
  for (int i = 0; i < 100000; ++i) {  // if exceptions leaked, this would take 100 MB
    try {
      throw std::string(1000, 'x');
    } catch (const std::string& text) {
      caught += static_cast<long>(text.size());
    }
  }
  std::printf("%ld bytes\n", caught);
}
