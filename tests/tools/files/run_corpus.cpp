// A command must find the text of a run that was started in another folder.

#include "files/run_corpus.hpp"

#include <fstream>

#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;

namespace {

// Changes the working folder. The destructor changes it back.
class Folder {
 public:
  explicit Folder(const fs::path& path) : before_(fs::current_path()) { fs::current_path(path); }
  ~Folder() { fs::current_path(before_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path before_;
};

// A folder with a text, and with a run of two steps that was started in this folder.
struct Project {
  Scratch scratch;
  fs::path place = scratch.path() / "project", run_folder = place / "out" / "run";

  Project() {
    fs::create_directories(scratch.path() / "elsewhere");
    fs::create_directory(place);
    std::ofstream text(place / "pairs.tsv");
    for (int i = 0; i < 40; ++i) text << "one " << i << "\tun " << i << '\n';
    text.close();
    const Folder inside(place);
    const Ran ran = run({"train", "--pairs", "pairs.tsv", "--embedding", "4", "--hidden", "4", "--steps", "2",
                         "--out", "out/run", "--test-percent", "30"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
  }
};

const std::string hint =
    "corpus: 'pairs.tsv' does not exist; the path is relative to the folder in which training was started; "
    "start "
    "the command there, or name the text with --pairs or --source and --target\n";

}  // namespace

TEST_CASE("a run's text is found from another folder", "[tools][run_corpus]") {
  const Project project;
  const Folder outside(project.scratch.path() / "elsewhere");
  CHECK(tools::start_of_run(project.run_folder) == fs::weakly_canonical(project.place));
  for (const std::string& folder : {project.run_folder.string(), std::string("../project/out/run")}) {
    for (const std::vector<std::string>& command : {std::vector<std::string>{"evaluate", "--model", folder},
                                                    {"info", folder, "--pairs", "train"},
                                                    {"train", "--resume", folder, "--steps", "3"}}) {
      const Ran ran = run(command);
      INFO(ran.err);
      CHECK(ran.code == 0);
    }
    CHECK(tools::start_of_run(folder) == fs::weakly_canonical(project.place));  // also after resuming
  }
}

TEST_CASE("a text that is not found is named, with the reason", "[tools][run_corpus][errors]") {
  const Project project;
  fs::rename(project.run_folder, project.scratch.path() / "moved");
  const Folder outside(project.scratch.path() / "elsewhere");
  CHECK_FALSE(tools::start_of_run("../moved"));
  const Ran ran = run({"evaluate", "--model", "../moved"});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus evaluate: " + hint);
  CHECK(run({"train", "--resume", "../moved", "--steps", "3"}).err == "gradus train: " + hint);
  CHECK(run({"train", "--resume", "../moved", "--steps", "3", "--pairs", "../project/pairs.tsv"}).code == 0);
  const Folder inside(project.place);
  CHECK(run({"evaluate", "--model", "../moved"}).code == 0);
}
