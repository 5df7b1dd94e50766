// When the command prints names and files, it must escape control characters.

#include "settings/printable.hpp"

#include <gradus/autograd/ops.hpp>

#include <fstream>

#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::tools::printable;

namespace {

const std::string red = "\x1b[31m", next_line = "\xc2\x9b", raw = "\x9b",
                  all = red + next_line + raw + "\x7f";

void check_clean(const std::string& text) {
  INFO(text);
  for (const std::string& code : {std::string("\x1b"), next_line, raw, std::string("\x7f")}) {
    CHECK(text.find(code) == text.npos);
  }
  CHECK(text.find("\\u001b[31m") != text.npos);
}

}  // namespace

TEST_CASE("control characters and bytes that are not UTF-8 become escapes", "[tools][printable]") {
  CHECK(printable(all) == "\\u001b[31m\\u009b\\x9b\\u007f");
  CHECK(printable("a\tb\nc\r") == "a\\u0009b\\u000ac\\u000d");
  CHECK(printable("a\tb\nc\r", "\n\t") == "a\tb\nc\\u000d");
  const std::string text = "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x99\x82 \xc2\xa0\\";
  CHECK(printable(text) == text);
  CHECK(printable("\xc3") == "\\xc3");
  CHECK(printable("\xe4\xb8") == "\\xe4\\xb8");
  CHECK(printable("\xff\xc0\x80") == "\\xff\\xc0\\x80");
  CHECK(printable(printable(all)) == printable(all));
}

TEST_CASE("characters that change the direction of text become escapes", "[tools][printable]") {
  CHECK(printable("a\u202Etxt.exe") == "a\\u202etxt.exe");
  CHECK(printable("\u061C\u200E\u200F\u202A\u202D\u2066\u2069") ==
        "\\u061c\\u200e\\u200f\\u202a\\u202d\\u2066\\u2069");
  const std::string beside = "\u200D\u2010\u2029\u202F\u2065\u206A";
  CHECK(printable(beside) == beside);
  CHECK(run({"trai\u202En"}).err.find("\\u202e") != std::string::npos);
}

TEST_CASE("the command escapes control characters of names and files", "[tools][printable]") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / ("a" + red), plain = scratch.path() / "plain";
  nn::save_safetensors(plain, {{"w" + red + next_line + "\x7f", gradus::zeros({1})}},
                       {{"key" + red, next_line + "\x7f"}, {"settings", "a=1\n# " + red}});
  check_clean(run({"info", plain}).out);
  check_clean(run({"info", plain, "--json"}).out);
  check_clean(run({"info", plain, "--tensors"}).out);
  check_clean(run({"info", plain, "--settings"}).out);
  check_clean(
      run({"translate", "--model", plain, "--input", scratch.path() / all}).err.append("\\u001b[31m"));
  check_clean(run({"translate", "--model", scratch.path() / all}).err);
  check_clean(run({"train", "--task", "copy", "--" + all}).err);
  check_clean(run({all}).err);

  const Ran trained = run({"train", "--task", "copy", "--examples", "9", "--held-out", "2", "--hidden", "2",
                           "--embedding", "2", "--energy", "2", "--steps", "1", "--out", folder});
  REQUIRE(trained.code == 0);
  check_clean(trained.out);
  check_clean(run({"info", folder}).out);
  check_clean(run({"evaluate", "--model", folder}).out);
  check_clean(run({"evaluate", "--model", folder, "--json"}).out);
}
