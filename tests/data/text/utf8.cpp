#include <gradus/data/utf8.hpp>
#include <gradus/error.hpp>

#include <string>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

TEST_CASE("UTF-8 is decoded and encoded", "[data][utf8]") {
  const std::u32string code_points =
      U"a\u00e9\u4f60\U0001f600\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff";
  const std::string text =
      "a\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"
      "\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
  CHECK((decode_utf8("here", text) == code_points));
  CHECK((encode_utf8(code_points) == text));
  CHECK(decode_utf8("here", "").empty());
  CHECK((decode_utf8("here", std::string("a\0b", 3)) == std::u32string(U"a\0b", 3)));
}

TEST_CASE("invalid UTF-8 is reported at its first byte", "[data][utf8]") {
  const auto message = [](const std::string& byte) {
    return Message("here: byte " + byte +
                   " is not UTF-8; convert the text, for instance with iconv -t UTF-8");
  };
  CHECK_THROWS_MATCHES(check_utf8("here", "caf\xe9"), Error, message("4 (0xe9)"));
  CHECK_THROWS_MATCHES(check_utf8("here", "caf\xe9 au lait"), Error, message("4 (0xe9)"));
  CHECK_THROWS_MATCHES(check_utf8("here", "\x80"), Error, message("1 (0x80)"));                  // stray byte
  CHECK_THROWS_MATCHES(check_utf8("here", "\xe4\xbd\xa0\xe4\xbd"), Error, message("4 (0xe4)"));  // truncated
  CHECK_THROWS_MATCHES(check_utf8("here", "\xc0\x80"), Error, message("1 (0xc0)"));              // overlong
  CHECK_THROWS_MATCHES(check_utf8("here", "\xe0\x9f\xbf"), Error, message("1 (0xe0)"));
  CHECK_THROWS_MATCHES(check_utf8("here", "\xf0\x8f\xbf\xbf"), Error, message("1 (0xf0)"));
  CHECK_THROWS_MATCHES(check_utf8("here", "a\xed\xa0\x80"), Error, message("2 (0xed)"));     // a surrogate
  CHECK_THROWS_MATCHES(check_utf8("here", "\xf4\x90\x80\x80"), Error, message("1 (0xf4)"));  // too large
  CHECK_THROWS_MATCHES(check_utf8("here", "\xff"), Error, message("1 (0xff)"));
  CHECK_THROWS_MATCHES(decode_utf8("here", "\xff"), Error, message("1 (0xff)"));
  CHECK_NOTHROW(check_utf8("here", "caf\xc3\xa9"));
}
