// `gradus train --teacher-beam`: the teacher's translations as targets. For the teacher's predictions and
// attention weights, see small_models.cpp.

#include "training/teacher.hpp"

#include <gradus/distributed/communicator.hpp>

#include <fstream>

#include "tools/stopped_run.hpp"

namespace data = gradus::data;
namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

const models::Registry& registry() {
  static const models::Registry standard = models::Registry::standard();
  return standard;
}

gradus::distributed::Alone alone;

Arguments reversal(const fs::path& out, Arguments more = {}) {
  Arguments all{"train", "--task",       "reverse", "--examples", "60",        "--held-out",
                "5",     "--max-length", "4",       "--symbols",  "3",         "--hidden",
                "8",     "--batch",      "8",       "--energy",   "4",         "--embedding",
                "5",     "--threads",    "1",       "--out",      out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("the targets of taught_pairs() are the teacher's translations", "[tools][train]") {
  const Scratch scratch;
  const fs::path run_folder = scratch.path() / "teacher";
  REQUIRE(run(reversal(run_folder, {"--steps", "60", "--learning-rate", "0.02"})).code == 0);
  const tools::SavedModel teacher = tools::load_saved_model(run_folder, registry());
  const tools::Corpus corpus = tools::read_corpus(teacher.settings.data, 1);
  const std::vector<data::Pair> pairs = tools::encode(corpus.train, teacher.sides),
                                taught = tools::taught_pairs(teacher, pairs, 3, 1, alone);
  std::string sources;
  for (const data::SentencePair& pair : corpus.train) sources += pair.source + '\n';
  std::istringstream lines(run({"translate", "--model", run_folder.string(), "--beam", "3"}, sources).out);
  std::size_t changed = 0;
  REQUIRE(taught.size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::string line;
    std::getline(lines, line);
    CHECK(taught[i].source == pairs[i].source);
    const tools::Side& side = teacher.sides.target;
    CHECK(side.tokeniser.join(side.vocabulary.decode(taught[i].target)) == line);
    CHECK(taught[i].target.back() == data::eos);
    changed += taught[i].target != pairs[i].target ? 1U : 0U;
  }
  CHECK(changed > 0);
  CHECK(changed < pairs.size());
}

TEST_CASE("a pair keeps its target if the teacher's output does not end", "[tools][train]") {
  const Scratch scratch;
  const tools::SavedModel teacher =
      tools::load_saved_model(write_small_model(scratch.path() / "teacher"), registry());
  for (auto [name, parameter] : teacher.model->named_parameters()) {
    if (name == "decoder.readout.bias") parameter.mutable_values<float>("test")[data::eos] = -1000;
  }
  const std::vector<data::Pair> pairs =
      tools::encode(tools::read_corpus(teacher.settings.data, 1).train, teacher.sides);
  std::ostringstream err;
  auto* const old = std::cerr.rdbuf(err.rdbuf());
  const std::vector<data::Pair> taught = tools::taught_pairs(teacher, pairs, 1, 1, alone);
  std::cerr.rdbuf(old);
  CHECK(taught == pairs);
  const std::string n = std::to_string(pairs.size());
  CHECK(contains(err.str(), "note: " + n + " of " + n +
                                " training pairs keep their targets, because the teacher's outputs did not "
                                "end\n"));
}

TEST_CASE("train --teacher-beam trains on the teacher's translations, and resumes",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path teacher = scratch.path() / "teacher", whole = scratch.path() / "whole",
                 untaught = scratch.path() / "untaught", out = scratch.path() / "resumed";
  REQUIRE(run(reversal(teacher, {"--steps", "40"})).code == 0);
  const Arguments untaught_options{"--steps", "12", "--sampling", "0.5"},
      taught{"--steps",          "12", "--sampling",     "0.5", "--teacher", teacher.string(),
             "--teacher-weight", "0",  "--teacher-beam", "2"};
  REQUIRE(run(reversal(untaught, untaught_options)).code == 0);
  const Ran ran = run(reversal(whole, taught));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(contains(ran.err, "note: the training targets are the teacher's translations\n"));
  CHECK((content(whole / "last.safetensors") != content(untaught / "last.safetensors")));
  CHECK(settings_of(whole).teacher.beam == 2);
  stop_after(7, whole, out);
  REQUIRE(run({"train", "--resume", out.string()}).code == 0);
  CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));

  // Another teacher with the same translations changes nothing, unless it is in the loss.
  models::Checkpoint best = models::load_checkpoint(teacher / "best.safetensors");
  for (auto& [name, tensor] : best.tensors) {
    if (name == "model.decoder.readout.bias") tensor.mutable_values<float>("test")[data::eos] += 1e-6F;
  }
  models::save_checkpoint(teacher / "best.safetensors", best);
  const Ran other = run({"train", "--resume", out.string(), "--steps", "13"});
  INFO(other.err);
  CHECK(other.code == 0);
  CHECK_FALSE(contains(other.err, "not those of before"));

  CHECK(contains(run({"train", "--resume", out.string(), "--steps", "14", "--teacher-beam", "0",
                      "--teacher-weight", "0.5", "--sampling", "0"})
                     .err,
                 "resume: the run was trained on other pairs or batches"));
  CHECK(contains(run({"train", "--resume", out.string(), "--steps", "14", "--examples", "20"}).err,
                 "give its original data and batch options, and the original --teacher and --teacher-beam, "
                 "or start a new run\n"));

  CHECK(run(reversal(scratch.path() / "no",
                     Arguments{"--sampling", "0.5", "--teacher", teacher.string(), "--teacher-beam", "2"}))
            .err ==
        "gradus train: --sampling and --teacher are alternatives: the teacher reads the true tokens; omit "
        "one of them, or give --teacher-weight 0 without --teacher-attention; 'gradus train --help' lists "
        "the options\n");
}
