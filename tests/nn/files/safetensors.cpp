// safetensors files: saved tensors load bit for bit, and invalid files are refused.

#include <gradus/autograd/memory.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "nn/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

namespace {

const std::string again = "; it is damaged or breaks the rules of the format, so copy or save it again";

std::string file_of(const std::string& header, const std::string& values = "") {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + values;
}

// The JSON header for one tensor.
std::string header_of(const std::string& name, const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
  return "{\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}}";
}

class File {
 public:
  File() = default;
  explicit File(const std::string& bytes) { write(bytes); }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  fs::path path() const { return scratch_.path() / "x.safetensors"; }
  std::vector<std::string> folder() const { return names(scratch_.path()); }

 private:
  Scratch scratch_;
};

void check_refused(const std::string& bytes, const std::string& message) {
  const File file(bytes);
  CHECK_ERROR(nn::load_safetensors(file.path()),
              "load_safetensors: '" + file.path().string() + "' " + message);
}

void check_bad_header(const std::string& header, const std::string& message) {
  CAPTURE(header);
  check_refused(file_of(header), message + again);
}

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : tensors) result.push_back(name);
  return result;
}

// Tensors of every dtype. One is empty, one is a scalar.
NamedTensors assorted() {
  return {{"bias", tensor({0.5, -2})},
          {"ids", integers({INT64_MIN, -1, (std::int64_t{1} << 53) + 1, INT64_MAX})},
          {"weight", tensor({{0.1, 0.2, 0.3}, {-0.4, 1e300, 5e-324}}, Dtype::f64)},
          {"none", gradus::zeros({3, 0, 2})},
          {"scalar", tensor(7)}};
}

}  // namespace

TEST_CASE("dtypes, shapes, bits and metadata survive saving and loading", "[nn][safetensors]") {
  const File file;
  const NamedTensors saved = assorted();
  const nn::Metadata metadata{{"format", "pt"}, {"", "a \"quoted\"\n line"}};
  nn::save_safetensors(file.path(), saved, metadata);
  const auto [loaded, found, narrow] = nn::load_safetensors(file.path());
  CHECK(found == metadata);
  CHECK(names_of(loaded) == std::vector<std::string>{"ids", "weight", "bias", "none", "scalar"});
  for (const auto& [name, tensor] : loaded) {
    INFO(name);
    const auto same_name = [&wanted = name](const auto& named) { return named.first == wanted; };
    const Tensor& original = std::find_if(saved.begin(), saved.end(), same_name)->second;
    CHECK(tensor.dtype() == original.dtype());
    CHECK(tensor.shape() == original.shape());
    CHECK(tensor.to_vector<double>() == original.to_vector<double>());
    if (tensor.dtype() == Dtype::i64)
      CHECK(tensor.to_vector<std::int64_t>() == original.to_vector<std::int64_t>());
    CHECK_FALSE(tensor.requires_grad());
  }
}

TEST_CASE("a NaN keeps its bits", "[nn][safetensors]") {
  const File file;
  const std::string bits("\x01\x02\xc0\x7f", 4);
  const std::string bytes = file_of(header_of("w", "F32", "[1]", "[0,4]") + "  ", bits);
  file.write(bytes);
  const NamedTensors loaded = nn::load_safetensors(file.path()).tensors;
  nn::save_safetensors(file.path(), loaded);
  CHECK(content(file.path()).ends_with(bits));
}

TEST_CASE("a file has exactly these bytes", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(),
                       {{"b", tensor({1, 2})}, {"a", tensor({0.5})}, {"n", tensor(3, Dtype::i64)}},
                       {{"by", "gradus"}});
  const std::string header =
      "{\"__metadata__\":{\"by\":\"gradus\"},"
      "\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]}}";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  const std::string values(
      "\3\0\0\0\0\0\0\0"
      "\0\0\0\x3f"
      "\0\0\x80\x3f"
      "\0\0\0\x40",
      20);
  CHECK(padding != "");
  CHECK(content(file.path()) == file_of(header + padding, values));
}

TEST_CASE("the order of the tensors does not change the file", "[nn][safetensors]") {
  const File file, reversed;
  NamedTensors tensors = assorted();
  nn::save_safetensors(file.path(), tensors);
  std::reverse(tensors.begin(), tensors.end());
  nn::save_safetensors(reversed.path(), tensors);
  CHECK(content(file.path()) == content(reversed.path()));
}

TEST_CASE("a file may hold no tensors", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(), {});
  CHECK(content(file.path()) == file_of("{}      "));
  CHECK(nn::load_safetensors(file.path()).tensors.empty());
  CHECK(nn::load_safetensors(file.path()).metadata.empty());
}

TEST_CASE("a view saves only its own elements", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(), {{"row", leaf(tensor({{1, 2}, {3, 4}}))[1]}});
  CHECK(nn::load_safetensors(file.path()).tensors[0].second.to_vector<double>() == std::vector<double>{3, 4});
}

TEST_CASE("names and metadata may be any UTF-8", "[nn][safetensors]") {
  const File file;
  const std::string odd[] = {"",
                             "\"quoted\"",
                             "back\\slash",
                             "new\nline\ttab\x01\x7f",
                             std::string("nul\0nul", 7),
                             "łódź 東京 \xf0\x9f\x8e\x93",
                             "a/b.c"};
  NamedTensors tensors;
  nn::Metadata metadata;
  for (const std::string& name : odd) {
    tensors.emplace_back(name, tensor({1}));
    metadata[name] = name;
  }
  nn::save_safetensors(file.path(), tensors, metadata);
  const auto [loaded, found, narrow] = nn::load_safetensors(file.path());
  CHECK(found == metadata);
  std::vector<std::string> expected(std::begin(odd), std::end(odd));
  std::sort(expected.begin(), expected.end());
  CHECK(names_of(loaded) == expected);
}

TEST_CASE("headers of other writers are read: any order, spaces, escapes, no padding", "[nn][safetensors]") {
  const std::string two("\0\0\x80\x3f\0\0\0\x40", 8);
  const File file(
      file_of("{ \"b\" : {\"data_offsets\":[4, 8],\"shape\":[ ],\n\"dtype\":\"F32\"}, \"__metadata__\":{},"
              "\"\\u0061\\ud83c\\udf93\": {\"shape\":[1,1],\"data_offsets\":[0,4],\"dtype\":\"F32\"},"
              "\"none\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[4,4]}}",
              two));
  const NamedTensors tensors = nn::load_safetensors(file.path()).tensors;
  CHECK(names_of(tensors) == std::vector<std::string>{"a\xf0\x9f\x8e\x93", "none", "b"});
  CHECK(tensors[0].second.shape() == Shape{1, 1});
  CHECK(tensors[0].second.item() == 1);
  CHECK(tensors[2].second.item() == 2);
}

TEST_CASE("a missing path, a folder and a device are refused", "[nn][safetensors]") {
  const Scratch scratch;
  const fs::path missing = scratch.path() / "missing", pipe = scratch.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_ERROR(nn::load_safetensors(missing),
              "load_safetensors: '" + missing.string() +
                  "' cannot be opened: No such file or directory; check the path");
  for (const fs::path& path : {scratch.path(), pipe}) {
    CHECK_ERROR(nn::load_safetensors(path),
                "load_safetensors: '" + path.string() +
                    "' is not a regular file; give the path of a .safetensors file");
  }
}

TEST_CASE("a truncated or too long header is refused", "[nn][safetensors]") {
  const std::string cut = "ends within its header; it was cut short, so copy or save it again";
  check_refused("", cut);
  check_refused("1234567", cut);
  check_refused(file_of("{}").substr(0, 9), cut);
  check_refused(std::string("\x00\xe1\xf5\x05\0\0\0\0{}", 10), cut);  // a header of 100,000,000 bytes
  const std::string other =
      "is not a safetensors file; in PyTorch, write it with safetensors.torch.save_file";
  check_refused(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10), other);
  check_refused("a text file", other);
}

TEST_CASE("a header must be one JSON object, padded with spaces", "[nn][safetensors]") {
  const std::string no_object = "has a header that is not a JSON object, '{' to '}', padded with spaces";
  for (const char* header : {"", "    ", "[]", "3", " {}", "\xef\xbb\xbf{}", "{", "{}\n", "{}\t "})
    check_bad_header(header, no_object);
  check_bad_header(std::string("{}\0{}", 5), no_object);
  check_bad_header(std::string("{}\0", 3), no_object);

  const auto no_json = [](int at) {
    return "has a header that is invalid JSON at byte " + std::to_string(at);
  };
  check_bad_header("{}}", no_json(3));
  check_bad_header("{}{}", no_json(3));
  check_bad_header("{\"a\"}", no_json(5));
  check_bad_header("{'a':1}", no_json(2));
  check_bad_header("{\"__metadata__\":{},}", no_json(20));
  check_bad_header("{/* no */}", no_json(2));
  check_bad_header("{\"\xff\":{}}", no_json(3));
  check_bad_header("{\"\\ud800\":{}}", no_json(9));
  check_bad_header("{\"a\":{\"shape\":[1e999]}}", no_json(20));
  check_bad_header("{\"a\":{\"shape\":[01]}}", no_json(17));
}

TEST_CASE("unknown, missing and duplicate keys are refused", "[nn][safetensors]") {
  const std::string w = "{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
  check_bad_header("{\"w\":" + w + ",\"w\":" + w + "}", "has 'w' twice");
  check_bad_header("{\"__metadata__\":{},\"__metadata__\":{}}", "has '__metadata__' twice");
  check_bad_header("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", "has 'a' twice in '__metadata__'");
  check_bad_header("{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "has 'dtype' twice in 'w'");
  check_bad_header("{\"w\":{\"shape\":[],\"shape\":[]}}", "has 'shape' twice in 'w'");
  check_bad_header("{\"w\":{\"data_offsets\":[0,0],\"data_offsets\":[0,0]}}",
                   "has 'data_offsets' twice in 'w'");
  check_bad_header("{\"w\":{\"colour\":\"red\"}}", "has the unknown key 'colour' in 'w'");
  check_bad_header("{\"w\":{}}", "has no 'dtype' in 'w'");
  check_bad_header("{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "has no 'shape' in 'w'");
  check_bad_header("{\"w\":{\"dtype\":\"F32\",\"shape\":[]}}", "has no 'data_offsets' in 'w'");
}

TEST_CASE("JSON values of the wrong type are refused", "[nn][safetensors]") {
  for (const auto& [json, token] :
       {std::pair{"3", "3"}, std::pair{"\"x\"", "a string"}, std::pair{"[]", "a list"},
        std::pair{"null", "null"}, std::pair{"true", "true"}}) {
    check_bad_header(std::string("{\"w\":") + json + "}",
                     std::string("has ") + token + " for 'w', which must be an object");
    check_bad_header(std::string("{\"__metadata__\":") + json + "}",
                     std::string("has ") + token + " for '__metadata__', which must be an object");
  }
  for (const auto& [json, token] : {std::pair{"3", "3"}, std::pair{"-1.5", "-1.5"}, std::pair{"[]", "a list"},
                                    std::pair{"{}", "an object"}, std::pair{"false", "false"}}) {
    check_bad_header(std::string("{\"w\":{\"dtype\":") + json + "}}",
                     std::string("has ") + token + " for 'dtype' of 'w', which must be a string");
    check_bad_header(std::string("{\"__metadata__\":{\"k\":") + json + "}}",
                     std::string("has ") + token + " for 'k' of '__metadata__', which must be a string");
  }
}

TEST_CASE("sizes and offsets must be lists of 63-bit whole numbers", "[nn][safetensors]") {
  for (const char* key : {"shape", "data_offsets"}) {
    const auto check = [&](const std::string& json, const std::string& token) {
      check_bad_header(std::string("{\"w\":{\"") + key + "\":" + json + "}}",
                       "has " + token + " for '" + key +
                           "' of 'w', which must be a list of whole numbers from 0 to 2^63 - 1");
    };
    check("3", "3");
    check("{}", "an object");
    check("\"[3]\"", "a string");
    check("[null]", "null");
    check("[[3]]", "a list");
    check("[\"3\"]", "a string");
    check("[-1]", "-1");
    check("[1.5]", "1.5");
    check("[2.0]", "2.0");
    check("[1e3]", "1e3");
    check("[9223372036854775808]", "9223372036854775808");
    check("[18446744073709551616]", "18446744073709551616");
    check("[-9223372036854775809]", "-9223372036854775809");
  }
  check_bad_header(header_of("w", "F32", "[0]", "[0]"),
                   "has 1 numbers in the data_offsets of 'w', which must be 2");
  check_bad_header(header_of("w", "F32", "[0]", "[]"),
                   "has 0 numbers in the data_offsets of 'w', which must be 2");
  check_bad_header(header_of("w", "F32", "[0]", "[0,0,0]"),
                   "has more than 2 numbers in the data_offsets of 'w'");
}

TEST_CASE("a tensor with more axes than the engine's is refused", "[nn][safetensors]") {
  check_refused(file_of(header_of("w", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), "1234"),
                "holds 'w' with 9 axes, and gradus reads tensors of at most 8; reshape it in PyTorch, and "
                "save it again");
}

TEST_CASE("shapes too large for a tensor are refused", "[nn][safetensors]") {
  const auto refused = [](const std::string& sizes) {
    check_refused(
        file_of(header_of("w", "F32", "[" + sizes + "]", "[0,0]")),
        "gives 'w' a shape that no tensor can have (Shape: (" + sizes +
            ") is too large: its elements cannot be counted in 64 bits); reshape or split it in PyTorch, "
            "and save it again");
  };
  refused("4294967296, 4294967296");
  refused("9223372036854775807");
  refused("0, 4294967296, 4294967296");
}

TEST_CASE("unsupported dtypes are refused, and the message says how to convert them", "[nn][safetensors]") {
  for (const char* type : {"F16", "I32", "BOOL", "U8", "f32", "F8_E4M3", ""}) {
    check_refused(file_of(header_of("w", type, "[1]", "[0,2]"), "12"),
                  std::string("holds 'w' as '") + type +
                      "', and only F32, F64, I64, BF16 and I8 are read; convert it in PyTorch, with "
                      ".float(), .double() "
                      "or .long(), and save it again");
  }
}

TEST_CASE("a tensor's byte range must match its shape", "[nn][safetensors]") {
  check_bad_header(header_of("w", "F32", "[2,3]", "[0,20]"),
                   "gives 'w' the bytes [0, 20), but f32 (2, 3) needs 24");
  check_bad_header(header_of("w", "F64", "[]", "[8,0]"), "gives 'w' the bytes [8, 0), but f64 () needs 8");
  check_bad_header(header_of("w", "I64", "[0]", "[0,8]"), "gives 'w' the bytes [0, 8), but i64 (0) needs 0");
}

TEST_CASE("the tensors' byte ranges must be contiguous and cover all values", "[nn][safetensors]") {
  const auto of_two = [](const std::string& first, const std::string& second) {
    return "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + first +
           "},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" + second + "}}";
  };
  const auto message = [](const char* name, int begin, int end) {
    return std::string("places the values of '") + name + "' at byte " + std::to_string(begin) +
           ", but the values before them end at byte " + std::to_string(end);
  };
  check_bad_header(of_two("[0,8]", "[12,16]"), message("b", 12, 8));
  check_bad_header(of_two("[0,8]", "[4,8]"), message("b", 4, 8));
  check_bad_header(of_two("[0,8]", "[0,4]"), message("a", 0, 4));
  check_bad_header(of_two("[4,12]", "[12,16]"), message("a", 4, 0));
  check_bad_header(
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
      "\"none\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}",
      message("none", 4, 8));

  const auto extent = [](const std::string& has) {
    return "has " + has +
           " bytes of values, but its header declares 4; it is damaged, so copy or save it again";
  };
  check_refused(file_of(header_of("w", "F32", "[]", "[0,4]"), "123"), extent("3"));
  check_refused(file_of(header_of("w", "F32", "[]", "[0,4]"), "12345"), extent("5"));
  check_refused(file_of("{}", "1"),
                "has 1 bytes of values, but its header declares 0; it is damaged, so copy or save it again");
}

TEST_CASE("no memory is allocated for values that a file does not hold", "[nn][safetensors]") {
  const auto before = gradus::memory_stats();
  check_refused(
      file_of(header_of("w", "F64", "[1152921504606846975]", "[0,9223372036854775800]")),
      "has 0 bytes of values, but its header declares 9223372036854775800; it is damaged, so copy or save "
      "it again");
  CHECK(gradus::memory_stats().peak_bytes == before.peak_bytes);
}

TEST_CASE("a long name is truncated in messages", "[nn][safetensors]") {
  std::string start(99, 'x');
  check_bad_header("{\"" + start + "\xc3\xa9" + start + "\":1}",
                   "has 1 for '" + start + "…', which must be an object");
}

TEST_CASE("a file truncated at any byte is refused", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(), assorted(), {{"format", "pt"}});
  CHECK(nn::load_safetensors(file.path()).tensors.size() == 5);
  for (auto length = fs::file_size(file.path()); length-- > 0;) {
    fs::resize_file(file.path(), length);
    CHECK_THROWS_AS(nn::load_safetensors(file.path()), gradus::Error);
  }
  CHECK(content(file.path()).empty());
}

TEST_CASE("a damaged file is either read or refused with an error", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(), assorted(), {{"format", "pt"}});
  const std::string whole = content(file.path());
  std::fstream disk(file.path(), std::ios::binary | std::ios::in | std::ios::out);  // opened once: faster
  std::mt19937 random(1);
  int refused = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    std::string damaged = whole;
    for (int flips = 1 + trial % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    disk.seekp(0);
    disk << damaged << std::flush;
    try {
      nn::load_safetensors(file.path());
    } catch (const gradus::Error&) {
      ++refused;
    }
  }
  CHECK(refused > 2500);
  CHECK(refused < 5000);  // damage within a tensor's values goes unnoticed
}

TEST_CASE("invalid tensors, names and metadata are refused before anything is written", "[nn][safetensors]") {
  const File file;
  const Tensor x = tensor({1});
  const auto taken = [](const std::string& name) {
    return "save_safetensors: the name '" + name +
           "' is taken; give each tensor a unique name other than '__metadata__'";
  };
  CHECK_ERROR(nn::save_safetensors(file.path(), {{"w", x}, {"v", x}, {"w", x}}), taken("w"));
  CHECK_ERROR(nn::save_safetensors(file.path(), {{"__metadata__", x}}), taken("__metadata__"));
  CHECK_ERROR(nn::save_safetensors(file.path(), {{"w", Tensor()}}),
              "save_safetensors: 'w' is undefined; omit it or give it a value");
  const auto no_text = [](const std::string& text) {
    return "save_safetensors: '" + text + "' is not UTF-8; names and metadata must be";
  };
  CHECK_ERROR(nn::save_safetensors(file.path(), {{"caf\xe9", x}}), no_text("caf\xe9"));
  CHECK_ERROR(nn::save_safetensors(file.path(), {}, {{"caf\xe9", ""}}), no_text("caf\xe9"));
  CHECK_ERROR(nn::save_safetensors(file.path(), {}, {{"k", "\xed\xa0\x80"}}), no_text("\xed\xa0\x80"));
  CHECK_ERROR(nn::save_safetensors(file.path(), {}, {{"k", std::string(100'000'000, 'x')}}),
              "save_safetensors: names and metadata make a header of 100000032 bytes, and at most 100000000 "
              "are allowed; "
              "shorten them, or write several files");
  CHECK(file.folder().empty());
}

TEST_CASE("a failed save keeps the old file, and leaves no other file", "[nn][safetensors]") {
  const File file;
  nn::save_safetensors(file.path(), {{"w", tensor({1, 2})}});
  {
    const SizeLimit limit(4096);
    CHECK_ERROR(
        nn::save_safetensors(file.path(), {{"w", gradus::zeros({2000})}}),
        "save_safetensors: cannot write to '" + file.path().string() +
            "': File too large; raise the limit of this shell, 'ulimit -f', or choose another file system");
  }
  CHECK(nn::load_safetensors(file.path()).tensors[0].second.to_vector<double>() == std::vector<double>{1, 2});
  CHECK(file.folder() == std::vector<std::string>{"x.safetensors"});
}

TEST_CASE("a module can be saved and loaded", "[nn][safetensors]") {
  const File file;
  gradus::seed(1);
  const nn::Linear saved(3, 4);
  nn::Linear loaded(3, 4);
  REQUIRE(mismatch(saved.weight, loaded.weight) != "");
  nn::save(saved, file.path(), {{"step", "12"}});
  CHECK(nn::load(loaded, file.path()) == nn::Metadata{{"step", "12"}});
  CHECK(snapshot(loaded) == snapshot(saved));
}

TEST_CASE("a shared tensor is saved under each name, and stays shared after loading", "[nn][safetensors]") {
  struct Tied : nn::Module {
    Tensor input = add_parameter("input", tensor({1, 2})), output = add_parameter("output", input);
  };
  const File file;
  Tied saved, loaded;
  overwrite(saved.input, 3);
  nn::save(saved, file.path());
  CHECK(names_of(nn::load_safetensors(file.path()).tensors) == std::vector<std::string>{"input", "output"});
  nn::load(loaded, file.path());
  CHECK(loaded.input.to_vector<double>() == std::vector<double>{3, 3});
  CHECK(loaded.output.is(loaded.input));
}

TEST_CASE("another module's file is refused with the file's name, and nothing is loaded",
          "[nn][safetensors]") {
  const File file;
  nn::Linear narrow(3, 4, false), wide(5, 4);
  nn::save(narrow, file.path());
  const auto before = snapshot(wide);
  CHECK_ERROR(nn::load(wide, file.path()),
              "load_state_dict: '" + file.path().string() +
                  "' does not fit, so nothing was loaded: missing 'bias'; 'weight' is "
                  "(4, 3) and must be (4, 5); give the state of a module made with the "
                  "same sizes");
  CHECK(snapshot(wide) == before);
}
