// Matrices stored as I8 with scales in safetensors files.

#include <gradus/nn/int8.hpp>
#include <gradus/nn/safetensors.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "nn/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::NamedTensors;
using gradus::tensor;

namespace {

// A file with the matrix w (2, 3) as I8; `scales` is the header's entry of its scales, 8 bytes.
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
  nn::save_safetensors(path, tensors, {}, {"w"});
  const NamedTensors loaded = nn::load_safetensors(path).tensors;
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].first == "b");
  CHECK(loaded[1].first == "w");
  const auto rounded = nn::dequantised(nn::quantise_rows(tensors[1].second));
  CHECK(loaded[1].second.to_vector<float>() == rounded.to_vector<float>());
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  CHECK(bytes.find(R"("w":{"dtype":"I8","shape":[2,3],"data_offsets":[16,22]})") != std::string::npos);
  CHECK(bytes.find(R"("w.scale":{"dtype":"F32","shape":[2],"data_offsets":[8,16]})") != std::string::npos);
}

TEST_CASE("files of I8 that do not fit together are refused", "[nn][safetensors]") {
  const std::string values("\1\2\3\4\5\6", 6);
  check_refused(file_of(R"("w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]})", "", values),
                "holds 'w' as I8, without its scales 'w.scale'" + again);
  check_refused(file_of(matrix, R"("w.scale":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)",
                        scales_of(1, 1) + values),
                "holds 'w' as I8, but 'w.scale' is f32 (1, 2) and must be f32 (2)" + again);
  check_refused(file_of(matrix, R"("w.scale":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)",
                        scales_of(1, 1) + values),
                "holds 'w' as I8, but 'w.scale' is i64 (1) and must be f32 (2)" + again);
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
  CHECK_ERROR(nn::save_safetensors(path, {{"w", w}, {"w.scale", w}}, {}, {"w"}),
              "save_safetensors: the name 'w.scale' is taken; give each tensor a unique name other than "
              "'__metadata__'");
  CHECK_ERROR(nn::save_safetensors(path, {{"w", w}}, {}, {"v"}),
              "save_safetensors: no tensor 'v' to store as I8; add it");
  CHECK_ERROR(nn::save_safetensors(path, {{"w", tensor({1})}}, {}, {"w"}),
              "quantise_rows: the matrix is f32 (1) and must be f32 (N, K)");
  CHECK(names(scratch.path()).empty());
}
