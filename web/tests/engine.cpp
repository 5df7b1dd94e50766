// Runs the parts of the engine that differ between WebAssembly and a native build. engine.test.mjs checks the
// output.

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace gradus;

namespace {

template <class Work>
void print_error(const Work& work) {
  try {
    work();
    std::puts("no error");
  } catch (const Error& error) {
    std::puts(error.what());
  }
}

// The largest difference between a product in f32 and the same product in f64, divided by √k.
double product_error(std::int64_t m, std::int64_t k, std::int64_t n) {
  Generator generator(1);
  std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  for (double& x : a) x = static_cast<float>(generator.normal());
  for (double& x : b) x = static_cast<float>(generator.normal());
  const Tensor exact = matmul(tensor(a, {m, k}), tensor(b, {k, n}));
  const Tensor found = matmul(tensor(std::vector<float>(a.begin(), a.end()), {m, k}),
                              tensor(std::vector<float>(b.begin(), b.end()), {k, n}));
  double largest = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      largest = std::max(largest, std::abs(exact[i][j].item() - found[i][j].item()));
  }
  return largest / std::sqrt(static_cast<double>(k));
}

}  // namespace

int main() {
  const BuildInfo info = build_info();
  std::printf("%s, %d thread\n", info.blas_kernels.c_str(), info.threads);
  set_threads(1);
  print_error([] { set_threads(2); });
  print_error([] { const MixedPrecision bf16(Precision::bf16); });
  print_error([] { matmul(zeros({2, 3}), zeros({2, 3})); });
  for (const auto& [m, k, n] : {std::array{1, 70, 33}, {5, 300, 9}, {64, 64, 192}, {7, 513, 530}})
    std::printf("%d × %d × %d: %s\n", m, k, n, product_error(m, k, n) < 1e-5 ? "right" : "wrong");
  Generator generator(2);
  const auto report =
      gradcheck([](const std::vector<Tensor>& x) { return softmax(tanh(matmul(x[0], x[1]))); },
                {normal({3, 4}, 0, 1, generator), normal({4, 5}, 0, 1, generator)});
  std::printf("gradients in f64: %s\n", report.passed() ? "right" : "wrong");
  for (int i = 0; i < 20; ++i) {
    const Tensor large = ones({1 << 21}), other = large + large;  // 8 MB each
    if (other[i].item() != 2) std::puts("wrong sum");
  }
  release_pooled_memory();
  std::printf("live: %lld bytes\n", static_cast<long long>(memory_stats().live_bytes));
}
