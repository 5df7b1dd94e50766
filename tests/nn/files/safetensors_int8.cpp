// safetensors files that store matrices as I8 with scales, or tensors as BF16.

#include <gradus/nn/int8.hpp>
#include <gradus/nn/safetensors.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "nn/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::NamedTensors;
using gradus::tensor;

namespace {

// A file with a matrix in I8. `w` and `scales` are the header's entries for the matrix and for its scales.
// `values` are the bytes of the scales, followed by those of the matrix.
std::string file_of(const std::string& w, const std::string& scales, const std::string& values) {
  const std::string header = "{" + scales + w + "}";
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + values;
}
const std::string matrix = R"("w":{"dtype":"I8","shape":[2,3],"data_offsets":[8,14]})",
                  scales = R"("w.scale":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)";

std::string scales_of(float first, float second) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &first, 4);
  std::memcpy(bytes.data() + 4, &second, 4);
  return bytes;
}

void check_refused(const std::string& bytes, const std::string& message) {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.safetensors";
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK_ERROR(nn::load_safetensors(path), "load_safetensors: '" + path.string() + "' " + message);
}

const std::string again = "; write such files with gradus compress --int8";

}  // namespace

TEST_CASE("a matrix stored as I8 loads as its rounded values in f32", "[nn][safetensors]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.safetensors";
  const NamedTensors tensors{{"b", tensor({1, 2})}, {"w", tensor({{0.5, -1, 0.25}, {3, 2, 1}})}};
  nn::save_safetensors(path, tensors, {}, {.int8 = {"w"}, .bf16 = {}});
  const auto [loaded, metadata, narrow] = nn::load_safetensors(path);
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].first == "b");
  CHECK(loaded[1].first == "w");
  CHECK(narrow.int8 == std::set<std::string>{"w"});
  CHECK(narrow.bf16.empty());  // not the scales, which are part of w
  const auto rounded = nn::dequantised(nn::quantise_rows(tensors[1].second));
  CHECK(loaded[1].second.to_vector<float>() == rounded.to_vector<float>());
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  CHECK(bytes.find(R"("w":{"dtype":"I8","shape":[2,3],"data_offsets":[12,18]})") != std::string::npos);
  CHECK(bytes.find(R"("w.scale":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]})") != std::string::npos);
}

TEST_CASE("the largest floats are read back from I8", "[nn][safetensors]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.safetensors";
  const float most = std::numeric_limits<float>::max();
  const auto w = tensor({{most, -most}, {3.39e38F, 1}, {3.3e38F, -1}});
  nn::save_safetensors(path, {{"w", w}}, {}, {.int8 = {"w"}, .bf16 = {}});
  const auto values = nn::load_safetensors(path).tensors.front().second.to_vector<float>();
  CHECK(values == nn::dequantised(nn::quantise_rows(w)).to_vector<float>());
  for (const std::size_t i : {0, 1, 2, 4}) {
    CHECK(std::abs(values[i] / w.values<float>()[i] - 1) < 0.01F);
  }
}

TEST_CASE("files of I8 that do not fit together are refused", "[nn][safetensors]") {
  const std::string values("\1\2\3\4\5\6", 6);
  check_refused(file_of(R"("w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]})", "", values),
                "holds 'w' as I8, without its scales 'w.scale'" + again);
  check_refused(file_of(matrix, R"("w.scale":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)",
                        scales_of(1, 1) + values),
                "holds 'w' as I8, but 'w.scale' is F32 (1, 2) and must be BF16 or F32 (2)" + again);
  check_refused(file_of(matrix, R"("w.scale":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)",
                        scales_of(1, 1) + values),
                "holds 'w' as I8, but 'w.scale' is I64 (1) and must be BF16 or F32 (2)" + again);
  check_refused(file_of(matrix, R"("w.scale":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},)",
                        scales_of(1, 1) + values),
                "holds 'w' as I8, but 'w.scale' is BF16 (4) and must be BF16 or F32 (2)" + again);
  check_refused(file_of(matrix, scales, scales_of(1, -2) + values),
                "holds 'w' as I8, but its scales have the value -2" + again);
  check_refused(file_of(matrix, scales, scales_of(NAN, 1) + values),
                "holds 'w' as I8, but its scales have the value nan" + again);
  check_refused(file_of(matrix, scales, scales_of(1, 3e38F) + values),
                "holds 'w' as I8, but its scales have the value 3e+38" + again);
  check_refused(file_of(matrix, scales, scales_of(1, 1) + std::string("\1\2\3\4\5\x80", 6)),
                "holds 'w' as I8, with the value -128, and the range is [-127, 127]" + again);
  check_refused(file_of(R"("w":{"dtype":"I8","shape":[6],"data_offsets":[0,6]})", "", values),
                "holds 'w' as I8 (6), and only matrices are read as I8; save it as F32");
}

TEST_CASE("a file of I8 needs free names and f32 matrices", "[nn][safetensors]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.safetensors";
  const auto w = tensor({{1, 2}});
  CHECK_ERROR(nn::save_safetensors(path, {{"w", w}, {"w.scale", w}}, {}, {.int8 = {"w"}, .bf16 = {}}),
              "save_safetensors: the name 'w.scale' is taken; give each tensor a unique name other than "
              "'__metadata__'");
  for (const std::string name : {"v", "__metadata__", "w.scale"}) {
    CHECK_ERROR(nn::save_safetensors(path, {{"w", w}}, {}, {.int8 = {"w", name}, .bf16 = {}}),
                "save_safetensors: no tensor '" + name + "' to store as I8; add it");
  }
  CHECK_ERROR(nn::save_safetensors(path, {{"w", tensor({1})}}, {}, {.int8 = {"w"}, .bf16 = {}}),
              "quantise_rows: the matrix is f32 (1) and must be f32 (N, K)");
  CHECK(names(scratch.path()).empty());
}

TEST_CASE("a tensor stored as BF16 loads as the nearest bf16 in f32, ties to even", "[nn][safetensors]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.safetensors";
  const float step = std::ldexp(1.0F, -7);  // the spacing of bf16 numbers from 1 to 2
  const NamedTensors tensors{{"b", tensor({1 + (step / 2), 1 + (3 * step / 2), 1 + (0.6F * step), -2.5F, 0,
                                           INFINITY, NAN, 3.4e38F})},
                             {"exact", tensor({1 + (step / 2)})}};
  nn::save_safetensors(path, tensors, {}, {.int8 = {}, .bf16 = {"b"}});
  const auto [loaded, metadata, narrow] = nn::load_safetensors(path);
  REQUIRE(loaded.size() == 2);
  CHECK(narrow.bf16 == std::set<std::string>{"b"});
  // The file stores f32 before bf16.
  CHECK(loaded[0].second.to_vector<float>() == tensors[1].second.to_vector<float>());
  CHECK(loaded[1].first == "b");
  const auto values = loaded[1].second.to_vector<float>();
  REQUIRE(values.size() == 8);
  CHECK(values[0] == 1);
  CHECK(values[1] == 1 + (2 * step));
  CHECK(values[2] == 1 + step);
  CHECK(values[3] == -2.5F);
  CHECK(values[4] == 0);
  CHECK(values[5] == INFINITY);
  CHECK(std::isnan(values[6]));
  CHECK(values[7] == INFINITY);
  CHECK(content(path).find(R"("b":{"dtype":"BF16","shape":[8],"data_offsets":[4,20]})") != std::string::npos);

  CHECK_ERROR(nn::save_safetensors(path, tensors, {}, {.int8 = {}, .bf16 = {"c"}}),
              "save_safetensors: no tensor 'c' to store as BF16; add it");
  CHECK_ERROR(
      nn::save_safetensors(path, {{"n", tensor({1}, gradus::Dtype::i64)}}, {}, {.int8 = {}, .bf16 = {"n"}}),
      "save_safetensors: 'n' is i64 and cannot be stored as BF16; name only other f32 tensors");
  CHECK_ERROR(nn::save_safetensors(path, {{"w", tensor({{1}})}}, {}, {.int8 = {"w"}, .bf16 = {"w"}}),
              "save_safetensors: 'w' is I8 and cannot be stored as BF16; name only other f32 tensors");
}
