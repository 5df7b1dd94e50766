// Models that read sound: `gradus train --frames` trains them, and the other commands use them.

#include "files/frames.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/npy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/helpers.hpp"
#include "json.hpp"
#include "tools/run.hpp"
#include "tools/short_run.hpp"
#include "tools/tone.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
namespace tools = gradus::tools;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr double low = 0.1, high = 1.2;  // pitches in radians per sample

// Writes WAV files of two tones, "low" and "high", to the folder `wav`, and a list of them beside it.
fs::path write_tones(const fs::path& folder, int count = 12) {
  fs::create_directories(folder / "wav");
  std::ofstream list(folder / "list.tsv");
  for (int i = 0; i < count; ++i) {
    const std::string name = "wav/" + std::to_string(i) + ".wav";
    write_tone(folder / name, static_cast<std::uint32_t>(1600 + 160 * i), 1, 16000, i % 2 == 0 ? low : high);
    list << name << '\t' << (i % 2 == 0 ? "low" : "high") << '\n';
  }
  return folder / "list.tsv";
}

Arguments training(const fs::path& list, const fs::path& out, const Arguments& more = {}) {
  Arguments all{"train",         "--frames", "--pairs",         list.string(), "--bands",     "8",
                "--hidden",      "8",        "--energy",        "6",           "--embedding", "4",
                "--steps",       "40",       "--batch",         "6",           "--pyramid",   "1",
                "--dev-percent", "0",        "--test-percent",  "0",           "--out",       out.string(),
                "--threads",     "1",        "--learning-rate", "0.02"};
  for (auto option = more.begin(); option != more.end(); ++option) {
    const auto given = std::ranges::find(all, *option);
    if (!option->starts_with("--") || given == all.end()) {
      all.push_back(*option);
    } else {
      *std::next(given) = *++option;  // replaces the value
    }
  }
  return all;
}

// Trains a run. Returns its folder.
fs::path trained(const fs::path& folder, const Arguments& more = {}) {
  const Ran ran = run(training(write_tones(folder), folder / "run", more));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return folder / "run";
}

std::string refused(const Arguments& arguments, int code = 1) {
  const Ran ran = run(arguments);
  CHECK(ran.code == code);
  CHECK(std::ranges::count(ran.err, '\n') == 1);
  return ran.err;
}

fs::path save(const fs::path& path, const Tensor& tensor) {
  nn::save_npy(path, tensor);
  return path;
}

}  // namespace

TEST_CASE("a model learns from WAV files and hears others", "[tools][frames]") {
  const Scratch scratch;
  const Ran training_run = run(training(write_tones(scratch.path()), scratch.path() / "run"));
  REQUIRE(training_run.code == 0);
  CHECK(contains(training_run.out, "vocabulary  frames of 8 bands, 6 target tokens\n"));
  const std::string model = (scratch.path() / "run").string();

  const std::string first = write_tone(scratch.path() / "first.wav", 2500, 1, 16000, low).string();
  write_tone(scratch.path() / "second.WAV", 3000, 1, 16000, high);
  CHECK(run({"translate", "--model", model, "--input", first}).out == "low\n");
  CHECK(run({"translate", "--model", model}, first + "\n\n").out == "low\n\n");
  const fs::path list = scratch.path() / "files.txt";  // holds paths relative to the list
  std::ofstream(list) << "second.WAV\nfirst.wav\n";
  CHECK(run({"translate", "--model", model, "--input", list.string(), "--beam", "2"}).out == "high\nlow\n");

  const Ran evaluated =
      run({"evaluate", "--model", model, "--pairs", (scratch.path() / "list.tsv").string(), "--json"});
  REQUIRE(evaluated.code == 0);
  CHECK(contains(evaluated.out, "\"token_error_rate\": 0.0"));
  const Ran info = run({"info", model});
  CHECK(contains(info.out, "frames of 8 bands, of sound at 16000 Hz"));
}

TEST_CASE("score finds recordings relative to the list that names them", "[tools][frames][score]") {
  const Scratch scratch;
  const std::string model = trained(scratch.path(), {"--steps", "2"}).string(),
                    wav = write_tone(scratch.path() / "a.wav", 2500).string(),
                    list = (scratch.path() / "pairs.tsv").string();
  const Ran direct = run({"score", "--model", model}, wav + "\tlow\n\tlow\n");  // a pair, and a blank source
  REQUIRE(direct.code == 0);
  CHECK(direct.out.ends_with("\t2\n\n"));
  std::ofstream(list) << "a.wav\tlow\n\tlow\n";
  const Ran listed = run({"score", "--model", model, "--pairs", list});
  CHECK(listed.err == "");
  CHECK(listed.out == direct.out);
}

TEST_CASE("a folder of .npy files trains as a list of WAV files does", "[tools][frames]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path(), 6), arrays = scratch.path() / "npy",
                 targets = scratch.path() / "targets.txt";
  fs::create_directories(arrays);
  std::ofstream words(targets);
  for (int i = 0; i < 6; ++i) {
    const std::string wav = (scratch.path() / "wav" / (std::to_string(i) + ".wav")).string();
    REQUIRE(run({"features", "--wav", wav, "--out", (arrays / (std::to_string(i) + ".npy")).string(),
                 "--bands", "8"})
                .code == 0);
    words << (i % 2 == 0 ? "low" : "high") << '\n';
  }
  std::ofstream(arrays / "notes.txt") << "not sound";
  words.close();
  Arguments of_folder = training(list, scratch.path() / "b");
  of_folder[2] = "--source";
  of_folder[3] = arrays.string();
  of_folder.insert(of_folder.end(), {"--target", targets.string()});
  REQUIRE(run(training(list, scratch.path() / "a")).code == 0);
  REQUIRE(run(of_folder).code == 0);
  const auto weights = [&](const char* name) {
    return tools::load_saved_model(scratch.path() / name, gradus::models::Registry::standard())
        .model->parameters();
  };
  const auto a = weights("a"), b = weights("b");
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].to_vector<float>() == b[i].to_vector<float>());

  Arguments again = of_folder;
  again.emplace_back("--overwrite");
  words.open(targets, std::ios::app);
  words << "low\n";
  words.close();
  CHECK(refused(again) == "gradus train: corpus: '" + arrays.string() + "' has 6 .wav and .npy files and '" +
                              targets.string() + "' has 7 lines; give one line per file, sorted by name\n");
  CHECK(contains(refused({"translate", "--model", (scratch.path() / "b").string(), "--input",
                          (scratch.path() / "wav" / "0.wav").string()}),
                 "0.wav' is a WAV file, but the model was trained on .npy files; give the array that gradus "
                 "features computes from it\n"));
}

TEST_CASE("a longer run on sound resumes to the same weights, also at random speeds", "[tools][frames]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path());
  const auto train = [&](const char* name, const char* steps, const Arguments& more) {
    Arguments options{"--steps", steps, "--schedule", "constant"};
    options.insert(options.end(), more.begin(), more.end());
    REQUIRE(run(training(list, scratch.path() / name, options)).code == 0);
  };
  const auto weights = [&](const char* name) {
    std::vector<std::vector<float>> all;
    for (const Tensor& weight :
         tools::load_saved_model(scratch.path() / name, gradus::models::Registry::standard())
             .model->parameters()) {
      all.push_back(weight.to_vector<float>());
    }
    return all;
  };
  const Arguments speeds{"--min-speed", "0.7", "--max-speed", "1.5"};
  train("whole", "9", speeds);
  train("parts", "5", speeds);
  REQUIRE(run({"train", "--resume", (scratch.path() / "parts").string(), "--steps", "9"}).code == 0);
  CHECK(weights("whole") == weights("parts"));
  train("one speed", "9", {});
  CHECK(weights("whole") != weights("one speed"));
}

TEST_CASE("a speed out of range is refused", "[tools][frames]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path());
  const auto message = [&](const char* option, const char* speed) {
    return refused(training(list, scratch.path() / "run", {option, speed}), 2);
  };
  CHECK(contains(message("--min-speed", "1.5"), "--min-speed: expected a number from 0.1 to 1, found 1.5"));
  CHECK(contains(message("--max-speed", "11"), "--max-speed: expected a number from 1 to 10, found 11"));
}

TEST_CASE("align draws sound above the weights, with seconds", "[tools][frames][align]") {
  const Scratch scratch;
  const fs::path model = trained(scratch.path(), {"--steps", "2"}), svg = scratch.path() / "a.svg",
                 html = scratch.path() / "a.html", json = scratch.path() / "a.json",
                 wav = write_tone(scratch.path() / "long.wav", 17000);
  const Ran ran = run({"align", "--model", model.string(), "--text", wav.string(), "--target", "low high",
                       "--svg", svg.string(), "--html", html.string(), "--json", json.string()});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  // The sound has 104 frames, one every 10 ms. The encoder halves this number to 52 annotations.
  const std::string text = content(json);
  const Json list = JsonReader(text).read();
  const std::vector<std::string> seconds = list.list().at(0)["source_tokens"].texts();
  REQUIRE(seconds.size() == 52);
  CHECK(seconds[0] == "0.00");
  CHECK(seconds[25] == "0.50");
  CHECK(seconds[51] == "1.02");
  for (const fs::path& picture : {svg, html}) {
    const std::string drawn = content(picture);
    CHECK(contains(drawn, ">seconds<"));
    CHECK(contains(drawn, ">band<"));
    CHECK(contains(drawn, ">0.0<"));
    CHECK(contains(drawn, ">1.0<"));
    CHECK_FALSE(contains(drawn, ">0.98<"));
    CHECK(contains(drawn, ">token, where its weight is largest<"));
    // The cells of the weights have tooltips. The cells of the spectrogram have none.
    CHECK(contains(drawn, "<title>low, 0.0: "));
    CHECK_FALSE(contains(drawn, "<title>1, : "));
    CHECK(contains(drawn, " gp-touching\" d=\"M"));
  }
}

TEST_CASE("align does not overwrite a recording that it reads", "[tools][frames][align][errors]") {
  const Scratch scratch;
  const std::string model = trained(scratch.path(), {"--steps", "2"}).string(),
                    array = (scratch.path() / "s.npy").string(), list = (scratch.path() / "s.tsv").string();
  const std::string first = save(scratch.path() / "s-1.npy", gradus::zeros({20, 8})).string(),
                    second = save(scratch.path() / "s-2.npy", gradus::zeros({24, 8})).string();
  std::ofstream(list) << "s-1.npy\tlow\ns-2.npy\thigh\n";
  const auto check = [&](Arguments inputs, const std::string& output) {
    inputs.insert(inputs.begin(), {"align", "--model", model, "--npy", output});
    CHECK(refused(inputs) == "gradus align: alignment: '" + first +
                                 "' is an input of this command and would be overwritten; choose another "
                                 "name\n");
    CHECK(nn::load_npy(first).shape() == Shape{20, 8});
    CHECK(nn::load_npy(second).shape() == Shape{24, 8});
  };
  check({"--text", first}, first);
  check({"--text", first, "--text", second}, array);
  check({"--pairs", list}, array);
}

TEST_CASE("a model that leaves out silence gives it no weight", "[tools][frames][align]") {
  const Scratch scratch;
  const fs::path model = trained(scratch.path(), {"--steps", "4", "--silence", "20"}),
                 json = scratch.path() / "a.json", array = scratch.path() / "a.npy";
  Tensor frames = gradus::full({40, 8}, -4);  // e⁻⁴ is 17 dB below 1, and e⁻⁸ is 35 dB below 1
  const auto values = frames.mutable_values<float>("test");
  std::fill(values.begin(), values.begin() + 6 * 8, -8.0F);
  std::fill(values.begin() + 20 * 8, values.begin() + 30 * 8, 0.0F);
  std::fill(values.begin() + 32 * 8, values.end(), -8.0F);
  const fs::path npy = save(scratch.path() / "x.npy", frames);
  Arguments align{"align",  "--model",     model.string(), "--text",      npy.string(),
                  "--json", json.string(), "--npy",        array.string()};
  const Ran ran = run(align);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const Tensor weights = nn::load_npy(array);
  REQUIRE(weights.size(1) == 20);
  for (std::int64_t j = 0; j < 20; ++j) {
    const bool is_silence = j < 3 || j >= 16;
    CHECK((sum(weights.slice(j, j + 1, 1)).item() == 0) == is_silence);
  }
  CHECK(contains(refused(training(scratch.path() / "list.tsv", scratch.path() / "fixed",
                                  {"--decoder", "fixed", "--silence", "20"}),
                         2),
                 "--silence has no effect with --decoder fixed, which has no attention; omit it"));
  CHECK(contains(refused({"train", "--task", "copy", "--silence", "20"}, 2),
                 "--silence leaves out parts of sound; add --frames, or omit --silence"));
}

TEST_CASE("sound that a model cannot read is refused in one line", "[tools][frames][errors]") {
  const Scratch scratch;
  const std::string model = trained(scratch.path(), {"--steps", "2"}).string();
  const auto heard = [&](const fs::path& path) {
    std::string error = refused({"translate", "--model", model, "--input", path.string()});
    const std::string name = "'" + path.string() + "'";
    if (const std::size_t at = error.find(name); at != std::string::npos) error.replace(at, name.size(), "F");
    return error;
  };
  const auto in = [&](const char* name) { return scratch.path() / name; };
  CHECK(
      heard(write_tone(in("fast.wav"), 5000, 1, 8000)) ==
      "gradus translate: frames: F has 8000 samples per second and must have 16000, as the model's training "
      "files; convert it, for example with: sox IN.wav -r 16000 OUT.wav\n");
  CHECK(heard(write_tone(in("click.wav"), 100)) ==
        "gradus translate: F: the sound has 100 samples, less than one window of 400; give a longer "
        "recording\n");
  CHECK(contains(heard(in("none.wav")), "F cannot be opened"));
  CHECK(
      heard(save(in("wide.npy"), gradus::zeros({5, 9}))) ==
      "gradus translate: frames: F is (5, 9) in f32 and must be (frames, 8) in f32, as the model's training "
      "files; compute it with gradus features and the same --bands\n");
  CHECK(contains(heard(save(in("flat.npy"), gradus::zeros({8}))), "F is (8) in f32 and must be (frames, 8)"));
  CHECK(contains(heard(save(in("double.npy"), gradus::zeros({5, 8}, gradus::Dtype::f64))),
                 "F is (5, 8) in f64 and must be (frames, 8) in f32"));
  Tensor bad = gradus::zeros({5, 8});
  bad.mutable_values<float>("test")[17] = std::numeric_limits<float>::infinity();
  CHECK(heard(save(in("bad.npy"), bad)) ==
        "gradus translate: frames: F contains inf in frame 2; compute it again with gradus features\n");
  CHECK(contains(heard(save(in("loud.npy"), gradus::full({5, 8}, 3e38))), "F contains 3e+38 in frame 0"));
  const Ran ran = run({"translate", "--model", model}, "speech.mp3\n");
  CHECK(ran.code == 1);
  CHECK(
      ran.err ==
      "gradus translate: frames: 'speech.mp3' ends neither in .wav nor in .npy; name a WAV file, or an array "
      "written by gradus features\n");
}

TEST_CASE("training files are WAV files or .npy files, not both", "[tools][frames][errors]") {
  const Scratch scratch;
  const std::string wav = write_tone(scratch.path() / "a.wav", 5000).string(),
                    npy = save(scratch.path() / "a.npy", gradus::zeros({5, 8})).string();
  CHECK_ERROR(tools::Frames::learn(std::vector{wav, npy}, 8),
              "frames: '" + npy +
                  "' is an .npy file, but the files before it are WAV files; give a WAV file, "
                  "or convert all files with gradus features");
  CHECK_ERROR(tools::Frames::learn(std::vector{npy, wav}, 8),
              "frames: '" + wav +
                  "' is a WAV file, but the files before it are .npy files; give the array that "
                  "gradus features computes from it");
  tools::Frames frames = tools::Frames::learn(std::vector{wav}, 8);
  CHECK(frames.read(npy).size() == 5);
}

TEST_CASE("a damaged recording in any part is found before training", "[tools][frames][errors]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path()), out = scratch.path() / "run",
                 held_out = scratch.path() / "held.tsv",
                 click = write_tone(scratch.path() / "click.wav", 100);
  std::ofstream(held_out) << "click.wav\tlow\n";
  const auto with = [&](const std::string& part) {  // this part from a file of its own
    Arguments all = training(list, out, {"--" + part + "-pairs", held_out.string()});
    const auto percent = std::ranges::find(all, "--" + part + "-percent");
    all.erase(percent, percent + 2);
    return all;
  };
  for (const char* part : {"dev", "test"}) {
    CHECK(refused(with(part)) ==
          "gradus train: '" + click.string() +
              "': the sound has 100 samples, less than one window of 400; give a longer recording\n");
    CHECK_FALSE(fs::exists(out / "last.safetensors"));
  }
  fs::remove(click);
  CHECK(contains(refused(with("test")), "click.wav' cannot be opened"));
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("a limit of tokens does not count the words of a recording's path", "[tools][frames]") {
  const Scratch scratch;
  write_tone(scratch.path() / "a b c.wav", 2000);
  write_tone(scratch.path() / "d.wav", 2000);
  const fs::path list = scratch.path() / "list.tsv", config = scratch.path() / "c.toml";
  std::ofstream(list) << "a b c.wav\tlow\nd.wav\tlow and high\n";
  std::ofstream(config) << "max-tokens = 1\n";
  const Ran ran = run(training(list, scratch.path() / "run", {"--config", config.string(), "--steps", "1"}));
  CHECK(ran.code == 0);
  CHECK(contains(ran.err, "note: " + config.string() + ": without an effect here: max-tokens\n"));
  CHECK(contains(ran.out, "pairs       2 train"));
  std::ofstream(list) << "d.wav\tlow and high\n";
  CHECK(refused(training(list, scratch.path() / "run", {"--max-target-tokens", "2", "--overwrite"})) ==
        "gradus train: corpus: --max-target-tokens 2 removes every pair: targets have 3 to 3 tokens; raise "
        "it\n");
}

TEST_CASE("options that need text are refused with --frames", "[tools][frames][errors]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path(), 2);
  const auto usage = [&](const Arguments& more) {
    const std::string error = refused(training(list, scratch.path() / "run", more), 2);
    return error.substr(0, error.find("; 'gradus train --help'"));
  };
  CHECK(usage({"--swap"}) ==
        "gradus train: --swap needs a source of text, and --frames has sound; omit one of them");
  CHECK(usage({"--shared-vocabulary"})
            .starts_with("gradus train: --shared-vocabulary needs a source of text, "));
  CHECK(usage({"--source-unit", "character"})
            .starts_with("gradus train: --source-unit needs a source of text"));
  CHECK(usage({"--source-embeddings", "a.vec"})
            .starts_with("gradus train: --source-embeddings needs a source of text, "));
  const std::string why =
      " has no effect with --frames, whose sources have frames instead of tokens; omit it";
  CHECK(usage({"--min-tokens", "1"}) == "gradus train: --min-tokens" + why);
  CHECK(usage({"--max-tokens", "40"}) == "gradus train: --max-tokens" + why);
  CHECK(contains(refused({"train", "--frames", "--task", "copy"}, 2),
                 "--frames needs files of sound and their targets; give --pairs, or --source with --target"));
  CHECK(contains(refused({"train", "--task", "copy", "--bands", "12"}, 2),
                 "--bands has no effect without --frames; omit it"));
  CHECK(contains(refused({"train", "--task", "copy", "--pyramid", "1"}, 2),
                 "--pyramid shortens a source of sound; add --frames, or omit --pyramid"));
}

TEST_CASE("a checkpoint whose settings add a pyramid to a model of text is refused", "[tools][frames]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  settings.model.pyramid = 1;
  const fs::path path = write_small_model(scratch.path(), settings);
  const Ran ran = run({"align", "--model", path, "--text", "red"});
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus align: checkpoint: '" + path.string() +
            "' has wrong settings: pyramid is 1 for a model that reads text; give a checkpoint that "
            "gradus train has written\n");
}

TEST_CASE("the frames of training files are normalised per band", "[tools][frames]") {
  const Scratch scratch;
  gradus::Generator generator(1);
  std::vector<std::string> paths;
  for (const std::int64_t T : {30, 50}) {
    paths.push_back((scratch.path() / (std::to_string(T) + ".npy")).string());
    save(paths.back(), gradus::concat({gradus::normal({T, 2}, 5, 3, generator), gradus::ones({T, 1})}, 1));
  }
  tools::Frames frames = tools::Frames::learn(paths, 40);
  CHECK(frames.size() == 3);
  std::vector<std::int64_t> ids = frames.read(paths[0]);
  CHECK(ids.size() == 30);
  CHECK(frames.read(paths[0]) == ids);
  const std::vector<std::int64_t> others = frames.read(paths[1]);
  CHECK(others.front() == ids.back() + 1);
  ids.insert(ids.end(), others.begin(), others.end());
  const Tensor x = frames.vectors(gradus::tensor(ids, {80, 1})).reshape({80, 3});
  for (const std::int64_t band : {0, 1}) {
    const Tensor column = x.slice(band, band + 1, 1);
    CHECK(std::abs(gradus::mean(column).item()) < 1e-5);
    CHECK(std::abs(gradus::variance(column, {}, false, 0).item() - 1) < 1e-4);
  }
  CHECK(frames.vectors(gradus::tensor(std::vector<std::int64_t>{0, 3, ids[0]}, {3, 1}))
            .slice(0, 2)
            .to_vector<float>() == std::vector<float>(6, 0));
  CHECK(frames.plain(others).to_vector<float>() == nn::load_npy(paths[1]).to_vector<float>());
  CHECK_ERROR(frames.vectors(gradus::tensor(std::vector<std::int64_t>{ids.back() + 1}, {1, 1})),
              "frames: there is no frame 80; frames read: 80");
}

TEST_CASE("a checkpoint's settings of frames are read back, and damaged ones refused", "[tools][frames]") {
  const tools::Frames frames(
      {.features = {.step = 0.02, .bands = 2}, .rate = 8000, .mean = {1, -0.1F}, .deviation = {0.3F, 2}});
  const std::string text = frames.to_text();
  const tools::Frames same = tools::Frames::from_text(text, "here");
  CHECK(same.to_text() == text);
  CHECK(same.settings().mean == frames.settings().mean);
  CHECK(same.settings().deviation == frames.settings().deviation);
  CHECK(same.settings().features.step == 0.02);
  const std::string damaged =
      "checkpoint: here has damaged settings of frames; give a checkpoint written by gradus train";
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"{", "["},
                                 {"\"bands\":2", "\"bands\":3"},
                                 {"\"bands\":2", "\"bands\":1e300"},
                                 {"\"rate\":8000", "\"rate\":-1"},
                                 {"\"step\"", "\"stop\""},
                                 {"\"step\":0.02", "\"step\":\"0.02\""},
                                 {"2.0]", "0]"}}) {
    std::string other = text;
    const std::size_t at = other.find(from);
    REQUIRE(at != std::string::npos);
    other.replace(at, from.size(), to);
    INFO(other);
    CHECK_ERROR(tools::Frames::from_text(other, "here"), damaged);
  }
}

TEST_CASE("an ensemble of models reads the same sound", "[tools][frames][ensemble]") {
  const Scratch scratch;
  const fs::path list = write_tones(scratch.path());
  for (const char* seed : {"1", "2"}) {
    REQUIRE(run(training(list, scratch.path() / seed, {"--seed", seed})).code == 0);
  }
  const std::string one = (scratch.path() / "1").string(), two = (scratch.path() / "2").string(),
                    wav = (scratch.path() / "wav" / "3.wav").string();
  CHECK(run({"translate", "--model", one, "--model", two, "--input", wav}).out == "high\n");
  REQUIRE(
      run(training(write_tones(scratch.path() / "other", 4), scratch.path() / "3", {"--steps", "1"})).code ==
      0);
  const std::string three = (scratch.path() / "3").string();
  CHECK(contains(refused({"translate", "--model", one, "--model", three, "--input", wav}),
                 "do not read the same frames; an ensemble needs models trained on the same files"));
}

TEST_CASE("a student of sound learns from a teacher with the same frames", "[tools][frames]") {
  const Scratch scratch;
  const fs::path teacher = trained(scratch.path() / "a");
  const fs::path list = scratch.path() / "a" / "list.tsv", out = scratch.path() / "student";
  for (const Arguments& more : {Arguments{"--teacher-attention", "1"}, {"--teacher-beam", "2"}}) {
    Arguments all = training(list, out, {"--hidden", "6", "--steps", "3", "--teacher", teacher.string()});
    all.insert(all.end(), more.begin(), more.end());
    all.emplace_back("--overwrite");
    const Ran ran = run(all);
    INFO(ran.err);
    CHECK(ran.code == 0);
  }
  const fs::path others = trained(scratch.path() / "b", {"--bands", "7"});
  CHECK(refused(training(list, scratch.path() / "no", {"--teacher", others.string()})) ==
        "gradus train: teacher: '" + (others / "last.safetensors").string() +
            "' was trained on other frames than this run; train both on the same files\n");
}
