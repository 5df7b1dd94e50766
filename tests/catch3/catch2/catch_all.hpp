#pragma once

// A stand-in for Catch2 3.7. Declares the part of Catch2's interface that the tests use. On Debian 12, which
// has Catch2 2, checks/catch3.py compiles the tests' sources with this header. Nothing runs, and printing of
// values is not declared. If a test uses another name of Catch2 3, declare this name here. If Catch2 2 lacks
// the name, also define it in tests/catch.hpp.

#include <concepts>
#include <exception>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace Catch {

// Assertions. CHECK(a == b) becomes `Decomposer() <= a == b`. Because <= binds first, this is `Left(a) == b`.

template <class T>
class Left {
 public:
  explicit Left(const T&) {}
  explicit operator bool() const
    requires std::constructible_from<bool, const T&>
  {
    return true;
  }
};

struct Comparison {};  // no operator accepts it, so neither `&&` nor another comparison can follow

template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left == right); }
Comparison operator==(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left != right); }
Comparison operator!=(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left < right); }
Comparison operator<(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left > right); }
Comparison operator>(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left <= right); }
Comparison operator<=(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
  requires requires(const L& left, const R& right) { static_cast<bool>(left >= right); }
Comparison operator>=(Left<L>&&, const R&) {
  return {};
}
template <class L, class R>
void operator&&(Left<L>&&, const R&) = delete;
template <class L, class R>
void operator||(Left<L>&&, const R&) = delete;

struct Decomposer {};
template <class T>
Left<T> operator<=(Decomposer&&, const T& value) {
  return Left<T>(value);
}

void assert_that(Comparison);
template <class T>
void assert_that(const Left<T>& value) {
  static_cast<bool>(value);
}

// Messages.

class Message {
 public:
  template <class T>
  Message&& operator<<(const T& value) && {
    stream() << value;
    return std::move(*this);
  }

 private:
  static std::ostream& stream();
};

class ScopedMessage {
 public:
  explicit ScopedMessage(Message&&);
  ~ScopedMessage();
};

template <class... T>
void capture(const T&...) {}

// Test cases, sections and generators.

struct NameAndTags {
  std::string_view name, tags = {};
};

class Registered {
 public:
  Registered(void (*test)(), const NameAndTags&);
};

class Section {
 public:
  explicit Section(std::string_view name);
  ~Section();
  explicit operator bool() const;
};

namespace Generators {
template <class T, std::convertible_to<std::decay_t<T>>... More>
std::decay_t<T> first_of(T&& first, More&&...) {
  return std::forward<T>(first);
}
template <class T>
T range(const T& start, const T& /*end*/) {
  return start;
}
template <class Made>
auto generate(Made made) {
  return made();
}
}  // namespace Generators

class Approx {
 public:
  template <std::convertible_to<double> T>
  explicit Approx(const T&) {}

  template <std::convertible_to<double> T>
  Approx& epsilon(const T&) {
    return *this;
  }
  template <std::convertible_to<double> T>
  Approx& margin(const T&) {
    return *this;
  }

  template <std::convertible_to<double> T>
  friend bool operator==(const T& value, const Approx& expected) {
    return expected.is(value);
  }

 private:
  bool is(double value) const;
};

namespace Matchers {

template <class T>
class MatcherBase {
 public:
  virtual ~MatcherBase();
  virtual bool match(const T&) const;
};

// Holds references to its operands, so it must not outlive the expression.
template <class T>
class Composed : public MatcherBase<T> {
 public:
  Composed(const Composed&) = delete;
};
template <class T>
Composed<T> operator&&(const MatcherBase<T>&, const MatcherBase<T>&);
template <class T>
Composed<T> operator||(const MatcherBase<T>&, const MatcherBase<T>&);
template <class T>
Composed<T> operator!(const MatcherBase<T>&);

MatcherBase<std::string> Equals(const std::string&);
MatcherBase<std::string> ContainsSubstring(const std::string&);
MatcherBase<std::string> StartsWith(const std::string&);
MatcherBase<std::string> EndsWith(const std::string&);
MatcherBase<std::exception> Message(const std::string&);

}  // namespace Matchers

template <class T, class M>
void assert_matches(const T& value, const M& matcher) {
  static_cast<void>(static_cast<bool>(matcher.match(value)));
}
void assert_message(const std::string&);
void assert_message(const Matchers::MatcherBase<std::string>&);

}  // namespace Catch

#define STAND_IN_JOINED(a, b) a##b
#define STAND_IN_JOIN(a, b) STAND_IN_JOINED(a, b)
#define STAND_IN_NAME(prefix) STAND_IN_JOIN(prefix, __LINE__)

#define STAND_IN_TEST(...)                                  \
  do {                                                      \
    Catch::assert_that(Catch::Decomposer() <= __VA_ARGS__); \
  } while (false && static_cast<const bool&>(!!(__VA_ARGS__)))
#define CHECK(...) STAND_IN_TEST(__VA_ARGS__)
#define CHECK_FALSE(...) STAND_IN_TEST(__VA_ARGS__)
#define REQUIRE(...) STAND_IN_TEST(__VA_ARGS__)
#define REQUIRE_FALSE(...) STAND_IN_TEST(__VA_ARGS__)

#define STAND_IN_TRY(handler, ...)    \
  do {                                \
    try {                             \
      static_cast<void>(__VA_ARGS__); \
    }                                 \
    handler                           \
  } while (false)
#define CHECK_NOTHROW(...) STAND_IN_TRY(catch (...){}, __VA_ARGS__)
#define CHECK_THROWS(...) STAND_IN_TRY(catch (...){}, __VA_ARGS__)
#define CHECK_THROWS_AS(expression, type) STAND_IN_TRY(catch (const type&){}, expression)
#define CHECK_THROWS_WITH(expression, matcher) \
  STAND_IN_TRY(catch (...) { Catch::assert_message(matcher); }, expression)
#define CHECK_THROWS_MATCHES(expression, type, matcher) \
  STAND_IN_TRY(catch (const type& error) { Catch::assert_matches(error, matcher); }, expression)
#define CHECK_THAT(value, matcher) Catch::assert_matches(value, matcher)

#define INFO(...) const Catch::ScopedMessage STAND_IN_NAME(message)(Catch::Message() << __VA_ARGS__)
#define UNSCOPED_INFO(...) static_cast<void>(Catch::Message() << __VA_ARGS__)
#define WARN(...) static_cast<void>(Catch::Message() << __VA_ARGS__)
#define FAIL(...) static_cast<void>(Catch::Message() << __VA_ARGS__)
#define CAPTURE(...) Catch::capture(__VA_ARGS__)

#define TEST_CASE(...)                                                                       \
  static void STAND_IN_NAME(test)();                                                         \
  static const Catch::Registered STAND_IN_NAME(registered)(STAND_IN_NAME(test),              \
                                                           Catch::NameAndTags{__VA_ARGS__}); \
  static void STAND_IN_NAME(test)()
#define TEMPLATE_TEST_CASE(name, tags, ...)                                                             \
  template <class TestType>                                                                             \
  static void STAND_IN_NAME(test)();                                                                    \
  template <class... T>                                                                                 \
  static void STAND_IN_NAME(register_all)() {                                                           \
    (STAND_IN_NAME(test) < T>(), ...);                                                                  \
  }                                                                                                     \
  static const Catch::Registered STAND_IN_NAME(registered)(STAND_IN_NAME(register_all) < __VA_ARGS__ >, \
                                                           Catch::NameAndTags{name, tags});             \
  template <class TestType>                                                                             \
  static void STAND_IN_NAME(test)()
#define SECTION(...) if (const Catch::Section & STAND_IN_NAME(section) = Catch::Section(__VA_ARGS__))
#define GENERATE(...)                  \
  Catch::Generators::generate([] {     \
    using namespace Catch::Generators; \
    return first_of(__VA_ARGS__);      \
  })
