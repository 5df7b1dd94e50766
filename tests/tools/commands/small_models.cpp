// `gradus compress --prune`. Also options of `gradus train`: gradual pruning, initial weights and a teacher.

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tools/stopped_run.hpp"

using Catch::Approx;

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

// A short run without the options that conflict with the options under test.
Arguments plain_run(const fs::path& out, Arguments more = {}) {
  Arguments all{"train",     "--task",       "reverse", "--examples",   "40", "--held-out",
                "5",         "--hidden",     "6",       "--embedding",  "5",  "--energy",
                "4",         "--steps",      "20",      "--eval-every", "5",  "--batch",
                "8",         "--save-every", "5",       "--threads",    "1",  "--out",
                out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The fraction of zeros in the matrices of a checkpoint's model: for each matrix, and for all together.
struct Zeros {
  std::vector<double> each;
  double all = 0;
};

Zeros zeros_of(const fs::path& file) {
  Zeros zeros;
  std::ptrdiff_t count = 0, numbers = 0;
  for (const auto& [name, tensor] : models::load_checkpoint(file).tensors) {
    if (!name.starts_with("model.") || tensor.rank() != 2) continue;
    const auto found = std::ranges::count(tensor.values<float>(), 0.0F);
    zeros.each.push_back(static_cast<double>(found) / static_cast<double>(tensor.numel()));
    count += found;
    numbers += tensor.numel();
  }
  zeros.all = static_cast<double>(count) / static_cast<double>(numbers);
  return zeros;
}

}  // namespace

TEST_CASE("compress --prune sets the smallest weights to 0, of the model or of each matrix",
          "[tools][compress]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path() / "run").parent_path();
  const auto compress = [&](const std::string& out, Arguments more) {
    Arguments all{"compress", "--model", model, "--out", scratch.path() / out};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Ran ran = compress("global", {"--prune", "0.8"});
  CHECK(ran.err == "");
  CHECK(ran.out.starts_with("pruned 80.0 % of the weights in matrices\n"));
  const auto at = [&](const char* out) { return scratch.path() / out / "best.safetensors"; };
  const Zeros global = zeros_of(at("global"));
  CHECK(global.all == Approx(0.8).margin(1e-3));
  const auto [least, most] = std::ranges::minmax(global.each);
  CHECK(most - least > 0.1);
  REQUIRE(compress("each", {"--prune", "0.8", "--per-matrix"}).code == 0);
  for (const double fraction : zeros_of(at("each")).each) CHECK(fraction == Approx(0.8).margin(0.02));
  REQUIRE(compress("int8", {"--prune", "0.8", "--int8"}).code == 0);
  CHECK(zeros_of(at("int8")).all > 0.79);
  for (const char* out : {"global", "int8"}) {
    CHECK(run({"evaluate", "--model", scratch.path() / out}).code == 0);
  }
  const Ran again = run({"compress", "--prune", "0.5", "--model", scratch.path() / "global", "--out",
                         scratch.path() / "again"});
  CHECK(again.out.starts_with("pruned 80.0 % of the weights in matrices\n"));
  CHECK(contains(run({"info", scratch.path() / "again"}).out,
                 "\nzeros       80.0 % of the weights in matrices\n"));
  CHECK_FALSE(contains(run({"info", model}).out, "\nzeros "));
  CHECK(
      compress("none", {}).err ==
      "gradus compress: nothing to do; give --int8, --bf16, --prune, --hidden or --target-words, or several "
      "of them; 'gradus compress --help' lists the options\n");
  CHECK(compress("none", {"--per-matrix", "--int8"}).code == 2);
  for (const char* all : {"1", "2"}) {
    CHECK(compress("none", {"--prune", all})
              .err.starts_with("gradus compress: --prune: expected a number above 0 and below 1, found "));
  }
}

TEST_CASE("train --prune prunes gradually, and chooses the best model among the pruned ones",
          "[tools][train]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const Ran ran =
      run(plain_run(out, {"--prune", "0.75", "--prune-from", "2", "--prune-until", "12", "--average", "2"}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  for (const char* name : {"last.safetensors", "best.safetensors", "average.safetensors"}) {
    CHECK(zeros_of(out / name).all == Approx(0.75).margin(1e-3));
  }
  const auto history = tools::History::read(out / "log.jsonl", 1000);
  for (const auto& entry : history.evaluations()) CHECK((entry.step >= 12 || !entry.best));
  REQUIRE(history.best() != nullptr);
  CHECK(history.best()->step >= 12);

  const fs::path half = scratch.path() / "half";
  REQUIRE(run(plain_run(half, {"--prune", "0.5"})).code == 0);  // prunes until step 10
  CHECK(tools::History::read(half / "log.jsonl", 1000).best()->step >= 10);
}

TEST_CASE("a stopped and resumed run with --prune has the same bytes as an uninterrupted one",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path whole = scratch.path() / "whole";
  REQUIRE(run(plain_run(whole, {"--prune", "0.75", "--prune-from", "2", "--prune-until", "12"})).code == 0);
  for (const int stop : {1, 7, 15}) {
    INFO("stopped after " << stop << " steps");
    const fs::path out = scratch.path() / std::to_string(stop);
    stop_after(stop, whole, out);
    REQUIRE(run({"train", "--resume", out.string()}).code == 0);
    for (const char* name : {"last.safetensors", "best.safetensors"}) {
      CHECK((content(out / name) == content(whole / name)));
    }
  }
}

TEST_CASE("a run resumed with another --prune chooses its best model and its average again",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const auto resumed = [&](Arguments more) {
    more.insert(more.begin(), {"train", "--resume", out.string(), "--threads", "1"});
    return run(more);
  };
  // The first run does not prune. The learning rate of the second run is so small that its pruned model has a
  // worse score than the first run's model.
  REQUIRE(run(plain_run(out, {"--average", "3"})).code == 0);
  const Ran ran = resumed({"--prune", "0.9", "--steps", "40", "--learning-rate", "1e-9"});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  for (const char* name : {"last.safetensors", "best.safetensors", "average.safetensors"}) {
    CHECK(zeros_of(out / name).all == Approx(0.9).margin(1e-3));
  }
  CHECK(settings_of(out).prune.sparsity == 0.9);

  const std::string before = content(out / "settings.toml");
  for (const Arguments& change : {Arguments{"--prune", "0.95"}, {"--per-matrix"}, {"--prune-until", "15"}}) {
    const Ran refused = resumed(change);
    CHECK(refused.code == 2);
    CHECK(refused.err ==
          "gradus train: the run has ended after step 40, so that --prune and its options cannot change; "
          "give more --steps, or omit --prune and its options; 'gradus train --help' lists the options\n");
  }
  CHECK(content(out / "settings.toml") == before);
  CHECK(resumed({}).code == 0);
}

TEST_CASE("train --init-from starts from a model's weights, with its data and model options",
          "[tools][train]") {
  const Scratch scratch;
  const fs::path first = scratch.path() / "first", second = scratch.path() / "second";
  REQUIRE(run(plain_run(first)).code == 0);
  const Ran ran = run({"train", "--init-from", first.string(), "--steps", "1", "--learning-rate", "1e-9",
                       "--threads", "1", "--out", second.string()});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(settings_of(second).model.hidden == 6);
  CHECK(settings_of(second).data.examples == 40);
  std::ofstream(scratch.path() / "settings.toml") << "init-from = \"" << first.string() << "\"\nsteps = 1\n";
  const fs::path third = scratch.path() / "third";
  CHECK(run({"train", "--config", (scratch.path() / "settings.toml").string(), "--threads", "1", "--out",
             third.string()})
            .code == 0);
  CHECK(settings_of(third).model.hidden == 6);
  CHECK(settings_of(third).data.examples == 40);
  const auto before = models::load_checkpoint(first / "best.safetensors").tensors,
             after = models::load_checkpoint(second / "best.safetensors").tensors;
  for (const auto& [name, tensor] : before) {
    if (!name.starts_with("model.")) continue;
    const auto found = std::ranges::find(after, name, &gradus::NamedTensors::value_type::first);
    REQUIRE(found != after.end());
    const auto was = tensor.values<float>(), is = found->second.values<float>();
    REQUIRE(was.size() == is.size());
    for (std::size_t i = 0; i < was.size(); ++i) CHECK(std::abs(was[i] - is[i]) < 1e-6F);
  }
  const auto refused = [&](const Arguments& more) {
    Arguments all{
        "train", "--init-from", first.string(), "--steps", "1", "--out", (scratch.path() / "no").string()};
    all.insert(all.end(), more.begin(), more.end());
    return run(all).err;
  };
  const std::string misfit = refused({"--hidden", "7"});
  CHECK(contains(misfit, "'" + (first / "best.safetensors").string() + "' does not fit"));
  CHECK(misfit.ends_with("; the model has hidden=6, and this run hidden=7; omit this option\n"));
  CHECK(refused({"--hidden", "5"})
            .ends_with("; the model has hidden=6, and this run hidden=5; omit this option (gradus compress "
                       "--hidden makes a smaller model)\n"));
  CHECK(refused({"--dropout", "0.1", "--attention", "top_k", "--energy", "3", "--layers", "2", "--embedding",
                 "4"})
            .ends_with("; the model has embedding=5, energy=4, layers=1, and this run embedding=4, energy=3, "
                       "layers=2; omit these options\n"));
  CHECK(refused({"--attention", "scaled_dot"})
            .ends_with("; the model has attention=\"additive\", and this run attention=\"scaled_dot\"; omit "
                       "this option\n"));
  CHECK(refused({"--no-bidirectional", "--bridge", "summary"})
            .ends_with("; the model has bidirectional=true, bridge=\"own\", and this run "
                       "bidirectional=false, bridge=\"summary\"; omit these options\n"));
  CHECK(refused({"--tied", "output"})
            .ends_with("; the model has tied=\"none\", and this run tied=\"output\"; omit this option\n"));
  const std::string other_vocabulary =
      "gradus train: init-from: '" + (first / "best.safetensors").string() +
      "' has another source vocabulary than this run: 14 tokens instead of 16; train both with the same "
      "--task, --seed and options for examples and tokens\n";
  CHECK(contains(refused({"--symbols", "12"}), other_vocabulary));

  // Other data without new tokens get the ids of the model's vocabulary.
  const auto source_of = [](const fs::path& run_folder) {
    return models::load_checkpoint(run_folder / "last.safetensors").metadata.at("source.vocabulary");
  };
  const auto continued = [&](const fs::path& from, const fs::path& out, Arguments more) {
    Arguments all{"train", "--init-from", from.string(), "--steps", "1", "--out", out.string()};
    all.insert(all.end(), more.begin(), more.end());
    const Ran second_run = run(all);
    INFO(second_run.err);
    REQUIRE(second_run.code == 0);
    CHECK(source_of(out) == source_of(from));
  };
  continued(first, scratch.path() / "five", {"--symbols", "5"});
  const fs::path often_a = scratch.path() / "often_a", often_b = scratch.path() / "often_b",
                 of_a = scratch.path() / "of_a";
  std::ofstream(often_a) << "a a b\tx\n";
  std::ofstream(often_b) << "a b b\tx\n";
  REQUIRE(run({"train", "--pairs", often_a.string(), "--dev-percent", "0", "--test-percent", "0", "--hidden",
               "4", "--embedding", "4", "--energy", "4", "--steps", "1", "--out", of_a.string()})
              .code == 0);
  continued(of_a, scratch.path() / "of_b", {"--pairs", often_b.string()});
  CHECK(contains(run({"train", "--init-from", of_a.string(), "--pairs", often_b.string(), "--words", "1",
                      "--steps", "1", "--out", (scratch.path() / "no").string()})
                     .err,
                 "has another source vocabulary than this run: "));
  CHECK(contains(refused({"--source-unit", "character"}),
                 "' splits text into other source tokens than this run; "
                 "give this run the model's options for tokens\n"));
  REQUIRE(run({"compress", "--int8", "--model", first.string(), "--out", (scratch.path() / "x8").string()})
              .code == 0);
  CHECK(contains(run({"train", "--init-from", (scratch.path() / "x8").string()}).err,
                 "init-from: '" + (scratch.path() / "x8" / "best.safetensors").string() +
                     "' holds weights compressed to int8, from which training cannot start"));
}

TEST_CASE("train --init-from without --prune notes that it trains the zeros of a pruned model",
          "[tools][train]") {
  const Scratch scratch;
  const fs::path dense = scratch.path() / "dense", sparse = scratch.path() / "sparse",
                 narrow = scratch.path() / "narrow", trained = scratch.path() / "trained",
                 even = scratch.path() / "even";
  REQUIRE(run(plain_run(dense)).code == 0);
  REQUIRE(run(plain_run(trained, {"--prune", "0.5"})).code == 0);
  REQUIRE(run({"compress", "--prune", "0.8", "--model", dense.string(), "--out", sparse.string()}).code == 0);
  REQUIRE(
      run({"compress", "--prune", "0.5", "--per-matrix", "--model", dense.string(), "--out", even.string()})
          .code == 0);
  REQUIRE(run({"compress", "--hidden", "5", "--model", trained.string(), "--out", narrow.string()}).code ==
          0);
  const auto tuned = [&](const fs::path& from, const Arguments& more = {}) {
    Arguments all{"train",
                  "--init-from",
                  from.string(),
                  "--steps",
                  "2",
                  "--overwrite",
                  "--out",
                  (scratch.path() / "tuned").string(),
                  "--save-every",
                  "2"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all).err;
  };
  const auto note = [](const char* percent, const fs::path& from, const char* options) {
    return std::string("note: ") + percent + " % of the weights in the matrices of '" +
           (from / "best.safetensors").string() +
           "' are 0, and this run trains them too; to keep them 0, give --prune " + options + '\n';
  };
  CHECK(contains(tuned(sparse), note("80.0", sparse, "0.8 --prune-until 1")));
  CHECK(zeros_of(scratch.path() / "tuned" / "last.safetensors").all < 0.5);
  CHECK(contains(tuned(trained), note("50.0", trained, "0.5 --prune-until 1")));
  CHECK(contains(tuned(even), note("50.0", even, "0.5 --prune-until 1 --per-matrix")));
  CHECK(contains(tuned(sparse, {"--int8"}), note("80.0", sparse, "0.8 --prune-until 1, and omit --int8")));
  CHECK(contains(tuned(narrow), " % of the weights in the matrices of '" + narrow.string()));
  for (const std::string& silent : {tuned(dense), tuned(sparse, {"--prune", "0.8", "--prune-until", "1"})}) {
    CHECK_FALSE(contains(silent, "are 0"));
  }
  CHECK(zeros_of(scratch.path() / "tuned" / "last.safetensors").all == Approx(0.8).margin(1e-3));
}

TEST_CASE("train --init-from and --teacher refuse a model of compress --target-words by name",
          "[tools][train]") {
  const Scratch scratch;
  const fs::path first = scratch.path() / "first", few = scratch.path() / "few";
  REQUIRE(run(plain_run(first)).code == 0);
  REQUIRE(run({"compress", "--target-words", "4", "--model", first.string(), "--out", few.string()}).code ==
          0);
  const std::string message = ": '" + (few / "best.safetensors").string() +
                              "' has only 4 of this run's 10 target words, because gradus compress "
                              "--target-words removed the others; give the model that was compressed, and "
                              "then compress the new one with --target-words\n";
  const fs::path no = scratch.path() / "no";
  CHECK(run({"train", "--init-from", few.string(), "--out", no.string()}).err ==
        "gradus train: init-from" + message);
  CHECK(run(plain_run(no, {"--teacher", few.string()})).err == "gradus train: teacher" + message);
}

TEST_CASE("train --teacher learns from a model, resumes, and refuses one with other tokens",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path teacher = scratch.path() / "teacher", whole = scratch.path() / "whole",
                 untaught = scratch.path() / "untaught", out = scratch.path() / "resumed";
  REQUIRE(run(replaced(plain_run(teacher), "--hidden", "9")).code == 0);
  REQUIRE(run(plain_run(untaught)).code == 0);
  const Arguments taught{"--teacher",
                         teacher.string(),
                         "--teacher-weight",
                         "0.6",
                         "--teacher-temperature",
                         "2",
                         "--teacher-attention",
                         "0.5"};
  const Ran ran = run(plain_run(whole, taught));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK((content(whole / "last.safetensors") != content(untaught / "last.safetensors")));
  CHECK(settings_of(whole).teacher.weight == 0.6);
  stop_after(7, whole, out);
  REQUIRE(run({"train", "--resume", out.string()}).code == 0);
  CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));

  const fs::path no = scratch.path() / "no";
  CHECK(contains(
      run(plain_run(no, {"--teacher", teacher.string(), "--symbols", "12"})).err,
      "gradus train: teacher: '" + (teacher / "best.safetensors").string() +
          "' has another source vocabulary than this run: 14 tokens instead of 16; train both with the "
          "same --task, --seed and options for examples and tokens\n"));
  const std::string blind = (scratch.path() / "blind").string();
  REQUIRE(run({"train", "--task", "reverse", "--examples", "30", "--held-out", "4", "--decoder", "fixed",
               "--hidden", "4", "--embedding", "4", "--steps", "1", "--out", blind})
              .code == 0);
  const Ran unlike = run({"train", "--task", "reverse", "--examples", "30", "--held-out", "4", "--teacher",
                          blind, "--teacher-attention", "0.5", "--out", no.string()});
  CHECK(unlike.code == 2);
  CHECK(unlike.err ==
        "gradus train: --teacher-attention needs attention weights, which the teacher '" + blind +
            "/best.safetensors' (decoder 'fixed') lacks; omit --teacher-attention, or give another "
            "--teacher; 'gradus train --help' lists the options\n");
}

TEST_CASE("a student on other examples takes the teacher's vocabularies, and resumes",
          "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path teacher = scratch.path() / "teacher", untaught = scratch.path() / "untaught",
                 whole = scratch.path() / "whole", out = scratch.path() / "resumed";
  REQUIRE(run(plain_run(teacher)).code == 0);
  const Arguments few{"--seed", "2", "--symbols", "5"};
  REQUIRE(run(plain_run(untaught, few)).code == 0);
  Arguments taught{"--teacher", teacher.string()};
  taught.insert(taught.end(), few.begin(), few.end());
  const Ran ran = run(plain_run(whole, taught));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto vocabulary = [](const fs::path& run_folder, const char* side) {
    return models::load_checkpoint(run_folder / "last.safetensors").metadata.at(side);
  };
  for (const char* side : {"source.vocabulary", "target.vocabulary"}) {
    CHECK(vocabulary(whole, side) == vocabulary(teacher, side));
    CHECK(vocabulary(untaught, side) != vocabulary(teacher, side));
  }
  stop_after(7, whole, out);
  REQUIRE(run({"train", "--resume", out.string()}).code == 0);
  CHECK((content(out / "last.safetensors") == content(whole / "last.safetensors")));
  CHECK(run({"evaluate", "--model", out.string()}).code == 0);

  // Without the teacher, the student keeps these vocabularies.
  Arguments further{"--init-from", whole.string()};
  further.insert(further.end(), few.begin(), few.end());
  const Ran trained = run(plain_run(scratch.path() / "further", further));
  INFO(trained.err);
  CHECK(trained.code == 0);
  CHECK(run({"train", "--resume", out.string(), "--teacher", "", "--steps", "25"}).code == 0);
  const Ran other =
      run({"train", "--resume", untaught.string(), "--teacher", teacher.string(), "--steps", "25"});
  CHECK(other.code == 1);
  CHECK(contains(other.err, "teacher: '"));
}

TEST_CASE("a resumed run notes that its teacher has other weights", "[tools][train][resume]") {
  const Scratch scratch;
  const fs::path teacher = scratch.path() / "teacher", out = scratch.path() / "run";
  REQUIRE(run(plain_run(teacher)).code == 0);
  REQUIRE(run(plain_run(out, {"--teacher", teacher.string()})).code == 0);
  const auto resumed = [&](const char* steps) {
    return run({"train", "--resume", out.string(), "--steps", steps}).err;
  };
  const std::string note = "note: the weights of the teacher '" + (teacher / "best.safetensors").string() +
                           "' are not those of before, so this run differs from an uninterrupted one\n";
  CHECK_FALSE(contains(resumed("21"), note));
  REQUIRE(run(plain_run(teacher, {"--learning-rate", "0.1", "--overwrite"})).code == 0);
  CHECK(contains(resumed("22"), note));
  CHECK_FALSE(contains(resumed("23"), note));
}

TEST_CASE("options of small models that do not fit are refused", "[tools][train][errors]") {
  const Scratch scratch;
  const auto refused = [&](const Arguments& more) {
    return run(plain_run(scratch.path() / "run", more)).err;
  };
  const std::string help = "; 'gradus train --help' lists the options\n";
  CHECK(refused({"--prune", "0.5", "--prune-from", "12"}) ==
        "gradus train: --prune-from 12 is not before step 10, when pruning ends; lower --prune-from or raise "
        "--prune-until" +
            help);
  CHECK(refused({"--prune", "0.5", "--prune-from", "12", "--prune-until", "12"}) ==
        "gradus train: --prune-from 12 is not before --prune-until 12, when pruning ends; lower --prune-from "
        "or "
        "raise --prune-until" +
            help);
  CHECK(refused({"--prune", "0.5", "--prune-until", "21"}) ==
        "gradus train: --prune-until 21 is after the last step, 20; lower --prune-until or raise --steps" +
            help);
  CHECK(refused({"--teacher", "x", "--sampling", "0.5"}) ==
        "gradus train: --sampling and --teacher are alternatives: the teacher reads the true tokens; omit "
        "one of "
        "them" +
            help);
  CHECK(refused({"--teacher", "x", "--teacher-attention", "1", "--decoder", "fixed"}) ==
        "gradus train: --teacher-attention needs attention weights, which --decoder fixed lacks; omit "
        "--teacher-attention, or give --decoder bahdanau" +
            help);
  for (const std::string attention : {"hard", "gumbel"}) {
    CHECK(refused({"--teacher", "x", "--teacher-attention", "1", "--attention", attention}) ==
          "gradus train: --teacher-attention needs weights that spread, but those of --attention " +
              attention + " are 0 or 1; omit --teacher-attention, or give another --attention" + help);
  }
}

TEST_CASE("compress --hidden makes a narrower model, which can be trained, pruned and rounded",
          "[tools][compress]") {
  const Scratch scratch;
  const fs::path first = scratch.path() / "first", narrow = scratch.path() / "narrow",
                 tuned = scratch.path() / "tuned";
  REQUIRE(run(plain_run(first)).code == 0);
  const Ran ran = run({"compress", "--hidden", "4", "--model", first.string(), "--out", narrow.string()});
  CHECK(ran.out.starts_with("kept 4 of 6 hidden units\n"));
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  CHECK(fs::file_size(narrow / "best.safetensors") < fs::file_size(first / "best.safetensors"));
  CHECK(run({"evaluate", "--model", narrow.string()}).code == 0);
  REQUIRE(run({"train", "--init-from", narrow.string(), "--steps", "2", "--out", tuned.string()}).code == 0);
  CHECK(settings_of(tuned).model.hidden == 4);
  CHECK(run({"compress", "--hidden", "3", "--prune", "0.5", "--int8", "--model", tuned.string(), "--out",
             (scratch.path() / "all").string()})
            .code == 0);
  CHECK(run({"evaluate", "--model", (scratch.path() / "all").string()}).code == 0);
  CHECK(
      run({"compress", "--hidden", "7", "--model", first.string(), "--out", (scratch.path() / "no").string()})
          .err ==
      "gradus compress: --hidden 7 is not below the model's 6 hidden units; give fewer; 'gradus "
      "compress --help' lists the options\n");
}
