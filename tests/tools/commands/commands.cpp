// The list of commands, their help, and mistyped commands.

#include <fstream>
#include <utility>

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
  refused({"--verison"}, "'--verison'; did you mean --version?");
  refused({"helpp"}, "'helpp'; did you mean help?");
}

TEST_CASE("help and the version take no further arguments", "[tools][cli]") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus: unexpected argument " + message + "; omit it\n");
    CHECK(ran.out.empty());
  };
  refused({"help", "train", "x"}, "'x' after help train");
  refused({"--help", "train", "--steps"}, "'--steps' after --help train");
  refused({"--version", "x"}, "'x' after --version");
  CHECK(run({"help", "help"}).out == run({"--help"}).out);
}

TEST_CASE("help that cannot be written is an error", "[tools][cli][errors]") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"--version"}, {"train", "--help"}, {"help", "info"}}) {
    std::string program = "gradus";
    std::vector<char*> argv{program.data()};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.data()));
    std::ofstream full("/dev/full");
    std::ostringstream err;
    auto* const out_before = std::cout.rdbuf(full.rdbuf());
    auto* const err_before = std::cerr.rdbuf(err.rdbuf());
    const int code = gradus::tools::cli_main(static_cast<int>(argv.size()), argv.data(),
                                             gradus::models::Registry::standard());
    std::cout.rdbuf(out_before);  // also clears std::cout's error state after the failed write
    std::cerr.rdbuf(err_before);
    CHECK(code == 1);
    CHECK_THAT(err.str(),
               Catch::Matchers::ContainsSubstring("cannot write to standard output; is the disk full?\n"));
  }
}

TEST_CASE("an empty value on the command line is refused", "[tools][cli][errors]") {
  for (const auto& [arguments, option] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"translate", "--model", ""}, "--model"},
           {{"translate", "--model", "m", "--input", ""}, "--input"},
           {{"evaluate", "--model", "m", "--svg", ""}, "--svg"},
           {{"align", "--model", "m", "--text", ""}, "--text"},
           {{"convert", "--model", "m", "--to", "w", "--vocabulary-out", ""}, "--vocabulary-out"},
           {{"train", "--resume", ""}, "--resume"},
           {{"train", "--task", "copy", "--init-from", ""}, "--init-from"},
           {{"serve", "--model", "m", "--host", ""}, "--host"},
           {{"info", ""}, "path"}}) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus " + arguments[0] + ": " + option +
                         ": the value is empty; give one, or omit the option; 'gradus " + arguments[0] +
                         " --help' lists the options\n");
  }
  CHECK(run({"train", "--task", "copy", "--preset="}).err ==
        "gradus train: --preset needs a value; 'gradus train --help' lists the options\n");
}
