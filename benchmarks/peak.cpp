#include "peak.hpp"

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>

#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <functional>
#include <vector>

namespace bench {
namespace {

using gradus::Tensor;

// The shortest time of a call. Calls at least three times and for at least 25 ms in total.
double least_seconds(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  call();
  double least = 1e9, total = 0;
  for (int calls = 0; calls < 3 || total < 0.025; ++calls) {
    const auto start = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    least = std::min(least, seconds);
    total += seconds;
  }
  return least;
}

// Halves the longest side until the product has at most 2³³ multiply-adds.
Product cut(Product p) {
  while (static_cast<double>(p.m) * static_cast<double>(p.k) * static_cast<double>(p.n) > 0x1p33) {
    *std::max({&p.m, &p.k, &p.n}, [](const auto* a, const auto* b) { return *a < *b; }) /= 2;
  }
  return p;
}

double rate(const Product& p, double seconds) {
  return 2 * static_cast<double>(p.m) * static_cast<double>(p.k) * static_cast<double>(p.n) / seconds / 1e9;
}

struct Operands {
  Tensor a, b;
  explicit Operands(const Product& p) {
    gradus::Generator generator(1);
    a = gradus::uniform({p.m, p.k}, -1, 1, generator);
    b = gradus::uniform({p.k, p.n}, -1, 1, generator);
  }
};

double our_rate(const Product& p) {
  const Operands x(p);
  Tensor c;
  return rate(p, least_seconds([&] { c = gradus::matmul(x.a, x.b); }));
}

double rate_of_openblas(const Product& p) {
  const Operands x(p);
  Tensor c = gradus::empty({p.m, p.n});
  return rate(p, least_seconds([&] {
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(p.m),
                            static_cast<int>(p.n), static_cast<int>(p.k), 1, x.a.values<float>().data(),
                            static_cast<int>(p.k), x.b.values<float>().data(), static_cast<int>(p.n), 0,
                            c.mutable_values<float>().data(), static_cast<int>(p.n));
              }));
}

}  // namespace

double sgemm_peak(const Options& options) {
  const gradus::NoGrad no_grad;
  gradus::initialise();
  gradus::set_threads(options.threads);
  const auto batch = make_batches(options.config, options.batch, options.seed).front();
  double best = 0;
  const std::vector<Product> sizes = products(options.config, batch);
  for (const Product& product : sizes) best = std::max(best, our_rate(cut(product)));
  // OpenBLAS comes last, because its threads spin for a while after a product and would slow gradus down.
  openblas_set_num_threads(options.threads);
  for (const Product& product : sizes) best = std::max(best, rate_of_openblas(cut(product)));
  openblas_set_num_threads(1);
  return best;
}

}  // namespace bench
