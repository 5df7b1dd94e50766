// `gradus align`: draws attention weights, and writes them as data.

#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/nn/npy.hpp>

#include <algorithm>
#include <cmath>

#include "json.hpp"
#include "tools/run.hpp"

namespace data = gradus::data;
namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

constexpr const char* source = "where is the red book?";
constexpr const char* target = "où est le livre rouge ?";

tools::SavedModel load(const fs::path& path) {
  return tools::load_saved_model(path, models::Registry::standard());
}

models::Forced forced(const tools::SavedModel& saved) {
  const std::vector<data::SentencePair> pairs{{source, target}};
  return models::force_decode(*saved.model, tools::encode(pairs, saved.sides)).front();
}

Json read_json(const fs::path& path) {
  const std::string text = content(path);
  return JsonReader(text).read();
}

std::vector<double> weights_in(const Json& alignment) {
  std::vector<double> weights;
  for (const Json& row : alignment["weights"].list()) {
    for (const Json& weight : row.list()) weights.push_back(weight.number());
  }
  return weights;
}

// The weights in a TSV file as f32 numbers, line by line.
std::vector<double> weights_in_tsv(const fs::path& path) {
  std::istringstream lines(content(path));
  std::string line;
  std::getline(lines, line);
  std::vector<double> weights;
  while (std::getline(lines, line)) weights.push_back(std::stof(line.substr(line.rfind('\t') + 1)));
  return weights;
}

std::vector<double> as_f32(std::vector<double> values) {
  for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  return values;
}

}  // namespace

TEST_CASE("the weights of a given translation are those of forced decoding", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path()), json = scratch.path() / "a.json",
                 tsv = scratch.path() / "a.tsv", npy = scratch.path() / "a.npy";
  const Ran ran = run({"align", "--model", model, "--text", source, "--target", target, "--json", json,
                       "--tsv", tsv, "--npy", npy});
  CHECK(ran.err == "");
  CHECK(ran.out == "");
  REQUIRE(ran.code == 0);

  const models::Forced expected = forced(load(model));
  const std::vector<double> weights = expected.weights.to_vector<double>();
  const Json list = read_json(json);
  const Json& alignment = list.list().at(0);
  CHECK(alignment["source"].text() == source);
  CHECK(alignment["target"].text() == target);
  CHECK(alignment["source_tokens"].texts() ==
        std::vector<std::string>{"where", "is", "the", "red", "book", "?"});
  CHECK(alignment["target_tokens"].texts() ==
        std::vector<std::string>{"où", "est", "le", "livre", "rouge", "?", "<eos>"});
  CHECK((as_f32(weights_in(alignment)) == weights));
  CHECK(alignment["log_probability"].number() == expected.log_probability);
  CHECK(alignment["log_probabilities"].list().at(6).number() == expected.token_log_probabilities[6]);

  CHECK(
      content(tsv).starts_with("sentence\ttarget_position\ttarget_token\tsource_position\tsource_"
                               "token\tweight\n0\t0\toù\t0\twhere\t0."));
  CHECK((weights_in_tsv(tsv) == weights));
  std::istringstream lines(content(tsv));
  std::string line;
  std::getline(lines, line);  // skips the header
  std::getline(lines, line);
  const std::string digits =
      line.substr(line.rfind('\t') + 1);  // as few digits as identify the f32; an f64 has more
  CHECK(content(json).find("\"weights\":[[" + digits + ",") != std::string::npos);

  const gradus::Tensor matrix = gradus::nn::load_npy(npy);
  CHECK(matrix.shape() == gradus::Shape{7, 6});
  CHECK((matrix.to_vector<double>() == weights));
}

TEST_CASE("without a given translation, align shows the model's own", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path()), json = scratch.path() / "a.json";
  REQUIRE(run({"align", "--model", model, "--text", source, "--json", json}).code == 0);
  const tools::SavedModel saved = load(model);
  const auto decoded = models::greedy(
      *saved.model,
      std::vector<data::Pair>{
          {saved.sides.source.vocabulary.encode(saved.sides.source.tokeniser.split(source)), {}}});
  const Json list = read_json(json);
  const Json& alignment = list.list().at(0);
  CHECK((as_f32(weights_in(alignment)) == decoded[0].weights.to_vector<double>()));
  REQUIRE(alignment["target_tokens"].list().size() == decoded[0].tokens.size());
  CHECK(alignment["target_tokens"].list()[0].text() ==
        saved.sides.target.vocabulary.token(decoded[0].tokens[0]));
}

TEST_CASE("flags, files and standard input give the same result", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path());
  const auto file = [&](const char* name, const std::string& text) {
    std::ofstream(scratch.path() / name) << text;
    return (scratch.path() / name).string();
  };
  const auto json = [&](std::vector<std::string> arguments, const std::string& input = "") {
    const fs::path out = scratch.path() / "out.json";
    arguments.insert(arguments.begin(), {"align", "--model", model, "--json", out});
    const Ran ran = run(arguments, input);
    CHECK(ran.err == "");
    return content(out);
  };
  const std::string expected =
      json({"--text", "i lost.", "--text", source, "--target", "j'ai perdu.", "--target", target});
  const std::string pairs = std::string("i lost.\tj'ai perdu.\n") + source + "\t" + target + "\n";
  CHECK((json({}, pairs) == expected));
  CHECK((json({"--pairs", file("pairs", pairs)}) == expected));
  CHECK((json({"--source-file", file("en", std::string("i lost.\n") + source), "--target-file",
               file("fr", std::string("j'ai perdu.\n") + target)}) == expected));
  CHECK((json({"--source", file("en", std::string("i lost.\n") + source), "--target",
               file("fr", std::string("j'ai perdu.\n") + target)}) == expected));
  const std::string swapped = std::string("j'ai perdu.\ti lost.\n") + target + "\t" + source + "\n";
  CHECK((json({"--swap", "--pairs", file("swapped", swapped)}) == expected));
  CHECK((json({"--text", "i lost."}) == json({}, "i lost.\r\n")));
}

TEST_CASE("sentences with and without a translation keep their order", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path()), json = scratch.path() / "a.json";
  const auto align = [&](const std::string& input) {
    CHECK(run({"align", "--model", model, "--json", json}, input).code == 0);
    return read_json(json).list();
  };
  const std::vector<std::string> lines{"you won.", "i lost.\tj'ai perdu.", "where is the red book?"};
  const std::vector<Json> together = align(lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  REQUIRE(together.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json alone = align(lines[i]).at(0);
    CHECK(together[i]["source"].text() == lines[i].substr(0, lines[i].find('\t')));
    CHECK((together[i]["target_tokens"].texts() == alone["target_tokens"].texts()));
    const std::vector<double> weights = weights_in(together[i]), expected = weights_in(alone);
    REQUIRE(weights.size() == expected.size());
    for (std::size_t j = 0; j < weights.size(); ++j) CHECK(std::abs(weights[j] - expected[j]) < 1e-6);
  }
}

TEST_CASE("one sentence gives one picture file, several give numbered files", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path() / "run"), folder = scratch.path() / "out";
  fs::create_directory(folder);
  REQUIRE(run({"align", "--model", model, "--text", source, "--svg", folder / "a.svg"}).code == 0);
  CHECK(names(folder) == std::vector<std::string>{"a.svg"});
  CHECK(content(folder / "a.svg").starts_with("<svg"));
  REQUIRE(run({"align", "--model", model, "--svg", folder / "b.svg", "--npy", folder / "b.npy", "--html",
               folder / "b.html"},
              "i lost.\nyou won.\n")
              .code == 0);
  std::vector<std::string> written = names(folder);
  std::ranges::sort(written);
  CHECK(written == std::vector<std::string>{"a.svg", "b-1.npy", "b-1.svg", "b-2.npy", "b-2.svg", "b.html"});
  const std::string page = content(folder / "b.html");
  CHECK(page.find("i lost.") != std::string::npos);
  CHECK(page.find("you won.") != std::string::npos);
  CHECK(page.find("ln p(target | source) = -") != std::string::npos);
}

TEST_CASE("without output files, the picture is printed as text", "[tools][align]") {
  const Scratch scratch;
  const Ran ran =
      run({"align", "--model", write_small_model(scratch.path()), "--text", source, "--target", target});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("livre") != std::string::npos);
  CHECK(ran.out.find("<eos>") != std::string::npos);
  CHECK(ran.out.find('\x1b') == std::string::npos);  // standard output is not a terminal
}

TEST_CASE("a text file may be standard output", "[tools][align]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path()), file = scratch.path() / "file";
  for (const char* option : {"--svg", "--html", "--tsv", "--json"}) {
    REQUIRE(run({"align", "--model", model, "--text", source, option, file}).code == 0);
    const Ran ran = run({"align", "--model", model, "--text", source, option, "-"});
    CHECK(ran.err == "");
    CHECK(ran.code == 0);
    CHECK((ran.out == content(file)));
  }
  CHECK_FALSE(fs::exists("-"));
}

TEST_CASE("align reports errors and then writes nothing", "[tools][align][errors]") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "out", model = write_small_model(scratch.path() / "run");
  fs::create_directory(folder);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"align", "--svg", folder / "a.svg"});
    const Ran ran = run(arguments, input);
    CHECK(ran.out == "");
    CHECK(names(folder).empty());
    return std::to_string(ran.code) + " " + ran.err;
  };
  const std::string usage = "; 'gradus align --help' lists the options\n";
  CHECK(refused({}) == "2 gradus align: --model is required" + usage);
  CHECK(refused({"--model", model, "--text", "a", "--text", "b", "--target", "c"}) ==
        "2 gradus align: found 2 --text and 1 --target; give one --target per --text, or none" + usage);
  CHECK(refused({"--model", model, "--text", "a", "--pairs", "p"}) ==
        "2 gradus align: --text cannot be combined with files of sentences; give only one of them" + usage);
  CHECK(refused({"--model", model, "--source-file", "p"}) ==
        "2 gradus align: --source: needs one --target FILE with the targets, found 0" + usage);
  CHECK(refused({"--model", model, "--pairs", "p", "--source-file", "p", "--target-file", "p"}) ==
        "2 gradus align: --pairs cannot be combined with --source; omit one of them" + usage);
  CHECK(refused({"--model", model}) ==
        "1 gradus align: standard input: no sentences; write one per line, or give --text 'a "
        "sentence'\n");
  CHECK(refused({"--model", model}, "go.\n \n") ==
        "1 gradus align: alignment: source sentence 2 has no tokens; add words or remove the sentence\n");
  CHECK(refused({"--model", model}, "go.\t\n") ==
        "1 gradus align: alignment: target sentence 1 has no tokens; add words or remove the sentence\n");
  CHECK(refused({"--model", model}, "go.\xff\n") ==
        "1 gradus align: standard input line 1: byte 4 (0xff) is not UTF-8; convert the text, for instance "
        "with iconv -t "
        "UTF-8\n");
  CHECK(refused({"--model", scratch.path() / "none", "--text", "go."}) ==
        "1 gradus align: '" + (scratch.path() / "none").string() +
            "' cannot be opened: No such file or directory; check the path\n");
  CHECK(refused({"--model", model, "--json", "-", "--tsv", "-"}) ==
        "2 gradus align: only one output can be '-' (standard output); name files for the others" + usage);
  CHECK(refused({"--model", model, "--npy", "-"}) ==
        "2 gradus align: --npy: '-' is standard output, but the matrix is binary; name a file" + usage);
  const Ran two = run({"align", "--model", model, "--svg", "-"}, "go.\ngo.\n");
  CHECK(two.out == "");
  CHECK(two.err ==
        "gradus align: alignment: 2 sentences need 2 files, but '-' is not a file; give one sentence, or "
        "name a "
        "file\n");
  const fs::path nowhere = scratch.path() / "nowhere" / "a.json";
  CHECK(refused({"--model", model, "--text", "go.", "--json", nowhere}) ==
        "1 gradus align: alignment: cannot write to '" + nowhere.string() +
            "': No such file or directory; the folder does not exist; create it, or choose "
            "another\n");
  tools::Settings settings = small_settings();
  settings.model.decoder = "fixed";
  const fs::path blind = write_small_model(scratch.path() / "fixed", settings);
  CHECK(refused({"--model", blind, "--text", "go."}) ==
        "1 gradus align: alignment: the model (decoder 'fixed') has no attention weights to show; use a "
        "model trained with --decoder bahdanau\n");
}
