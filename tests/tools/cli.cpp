// The list of commands, their help, and mistyped commands.

#include "tools/run.hpp"

TEST_CASE("gradus help COMMAND prints the command's help", "[tools][cli]") {
  for (const std::string command :
       {"train", "translate", "evaluate", "score", "align", "gradcheck", "info", "convert", "completion"}) {
    const Ran ran = run({"help", command});
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(ran.out == run({command, "--help"}).out);
    CHECK(run({"--help", command}).out == ran.out);
    CHECK_THAT(run({"--help"}).out, Catch::Matchers::ContainsSubstring("\n  " + command + ' '));
  }
  CHECK_THAT(run({}).out, Catch::Matchers::ContainsSubstring("'gradus --version' prints the version"));
}

TEST_CASE("a mistyped command gets a suggestion", "[tools][cli]") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus: unknown command " + message + "\n");
    CHECK(ran.out.empty());
  };
  refused({"traim"}, "'traim'; did you mean train?");
  refused({"help", "tranlsate"}, "'tranlsate'; did you mean translate?");
  refused({"sing"}, "'sing'; 'gradus --help' lists the commands");
}
