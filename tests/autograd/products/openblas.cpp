// The choice of OpenBLAS's kernels. On unknown processors, version 0.3.21 uses slow SSE3 kernels.

#include "products/openblas.hpp"

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include "autograd/helpers.hpp"
#include "products/onednn.hpp"

using gradus::better_kernels;
using gradus::build_info;
using gradus::BuildInfo;
using gradus::ProcessorFeatures;

extern "C" {
[[gnu::weak]] char* openblas_get_corename();
[[gnu::weak]] int openblas_get_num_threads();
}

namespace {

// Runs a hidden test of this program in a child process. Returns the rest of the line after "kernels: " in
// the child's output. Returns the whole output if there is no such line.
std::string kernels_of_a_child(const std::string& environment,
                               const std::string& test = "[.report-kernels]") {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = environment + " '" + program + "' '" + test + "' 2>&1";
  std::FILE* child = popen(command.c_str(), "r");
  REQUIRE(child != nullptr);
  std::string output;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), child) != nullptr) output += part.data();
  CHECK(pclose(child) == 0);
  const std::size_t begin = output.find("kernels: ");
  return begin == std::string::npos ? output : output.substr(begin + 9, output.find('\n', begin) - begin - 9);
}

}  // namespace

TEST_CASE("child process: prints the kernels in use", "[.report-kernels]") {
  std::cout << "kernels: " << build_info().blas_kernels << std::endl;
}

namespace {

std::string state_of_openblas() {
  return std::string(openblas_get_corename()) + " " + std::to_string(openblas_get_num_threads());
}

}  // namespace

TEST_CASE("child process: prints the state of OpenBLAS before and after the first product",
          "[.report-first-product]") {
  const std::string at_load = state_of_openblas();
  const gradus::Tensor x = gradus::ones({20, 20}, gradus::Dtype::f64);
  matmul(x, x);
  std::cout << "kernels: " << at_load << ", then " << state_of_openblas() << std::endl;
}

TEST_CASE("child process: prints the state of OpenBLAS before and after initialise()",
          "[.report-initialise]") {
  const std::string at_load = state_of_openblas();
  gradus::initialise();
  std::cout << "kernels: " << at_load << ", then " << state_of_openblas() << std::endl;
}

TEST_CASE("OpenBLAS is not changed before the first product or initialise()", "[autograd][blas]") {
  const BuildInfo info = build_info();
  if (info.blas_detected.empty() || !info.warning.empty()) return;  // not OpenBLAS, or its kernels are fixed
  const std::string threads = std::thread::hardware_concurrency() > 1 ? "2" : "1";
  const std::string expected = info.blas_detected + " " + threads + ", then " + info.blas_kernels + " 1";
  for (const char* test : {"[.report-first-product]", "[.report-initialise]"}) {
    CHECK(kernels_of_a_child("OPENBLAS_NUM_THREADS=2", test) == expected);
  }
}

TEST_CASE("old kernels are replaced by the best that the processor supports, others are kept",
          "[autograd][blas]") {
  const ProcessorFeatures none{false, false}, avx2{false, true}, avx512{true, true};
  for (const char* old : {"Prescott", "Core2", "Penryn", "Nehalem", "Barcelona"}) {
    CHECK(better_kernels(old, avx512) == "SkylakeX");
    CHECK(better_kernels(old, avx2) == "Haswell");
    CHECK(better_kernels(old, none).empty());
  }
  for (const char* recent : {"SkylakeX", "Cooperlake", "Zen", "Haswell", "Sandybridge", "NEOVERSEN1", ""}) {
    CHECK(better_kernels(recent, avx512).empty());
  }
}

TEST_CASE("build_info() reports the compiler, instructions, BLAS, oneDNN and threads", "[autograd][blas]") {
  const BuildInfo info = build_info();
  CHECK_FALSE(info.compiler.empty());
  CHECK_FALSE(info.instructions.empty());
  CHECK_FALSE(info.blas.empty());
  CHECK_FALSE(info.blas_kernels.empty());
  CHECK(info.onednn.starts_with(gradus::onednn::is_used() ? "oneDNN " : ""));
  CHECK(info.onednn.empty() == !gradus::onednn::is_used());
  CHECK(info.threads == gradus::threads());
}

TEST_CASE("the better kernels are in use, and no environment variable remains set", "[autograd][blas]") {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;  // the user has chosen the kernels
  const BuildInfo info = build_info();
  const std::string better = better_kernels(info.blas_detected, gradus::processor_features());
  CHECK(info.blas_kernels == (better.empty() || !info.warning.empty() ? info.blas_detected : better));
}

TEST_CASE("the user's choice of kernels is kept", "[autograd][blas]") {
  const std::string detected = build_info().blas_detected;
  if (detected.empty()) return;  // the BLAS is not OpenBLAS
  CHECK(kernels_of_a_child("OPENBLAS_CORETYPE=Prescott") == "Prescott");
  CHECK(kernels_of_a_child("OPENBLAS_CORETYPE=Nehalem") == "Nehalem");
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr) CHECK(kernels_of_a_child("") == build_info().blas_kernels);
}
