// Sums, broadcasts and gathers among processes, which are threads in these tests.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/communicator.hpp>
#include <gradus/distributed/processes.hpp>
#include <gradus/distributed/threads.hpp>

#include <atomic>
#include <cmath>
#include <tuple>

#include "catch.hpp"

namespace distributed = gradus::distributed;
using distributed::Communicator;

namespace {

// Value i of process r. Its digits fill the mantissa, so every sum is rounded, and the order of additions
// affects the result.
template <class T>
T value(std::int64_t r, std::size_t i) {
  return static_cast<T>(std::sin(static_cast<double>(1000 * r) + static_cast<double>(i))) *
         static_cast<T>(std::pow(10, r % 5));
}

// The sum over processes in the order of a tree. For a power of two: ((x_0 + x_1) + (x_2 + x_3)) + …
template <class T>
T tree_sum(std::int64_t first, std::int64_t last, std::size_t i) {
  if (last - first == 1) return value<T>(first, i);
  const std::int64_t middle = first + (last - first) / 2;
  return tree_sum<T>(first, middle, i) + tree_sum<T>(middle, last, i);
}

template <class T>
void check_sums(std::int64_t P, std::size_t n) {
  std::atomic<std::int64_t> right = 0;
  distributed::run_as_threads(P, [&](Communicator& self) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value<T>(self.rank(), i);
    distributed::sum(self, std::span(values));
    for (std::size_t i = 0; i < n; ++i) right += values[i] == tree_sum<T>(0, P, i) ? 1 : 0;
  });
  CHECK(right == P * static_cast<std::int64_t>(n));
}

void add_up(Communicator& self, const std::vector<gradus::Tensor>& tensors) {
  const gradus::models::Processes processes = distributed::processes_of(self);
  processes.start_sum(tensors, false);
  processes.finish_sums();
}

std::string error_of(std::int64_t P, const std::function<void(Communicator&)>& f) {
  try {
    distributed::run_as_threads(P, f);
  } catch (const gradus::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a sum over processes has the bits of the tree for any number of values", "[distributed]") {
  for (const std::int64_t P : {1, 2, 4, 8, 16}) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 7U, 64U, 101U}) {
      INFO(P << " processes, " << n << " values");
      check_sums<float>(P, n);
      check_sums<double>(P, n);
    }
  }
  check_sums<double>(2, 2'200'001);  // each process sends half of these, in two pieces
  // Adding these values in order, from process 0 to 7, gives a different sum, so the checks would notice this
  // order.
  float in_order = 0;
  for (std::int64_t r = 0; r < 8; ++r) in_order += value<float>(r, 3);
  CHECK(in_order != tree_sum<float>(0, 8, 3));
}

TEST_CASE("broadcast and gather reach every process, for any number of processes", "[distributed]") {
  for (const std::int64_t P : {1, 2, 3, 5, 8}) {
    std::atomic<std::int64_t> right = 0;
    distributed::run_as_threads(P, [&](Communicator& self) {
      const auto rank = static_cast<double>(self.rank());
      const auto texts = distributed::gather(
          self, std::string(static_cast<std::size_t>(2 * self.rank()), 'x') + std::to_string(self.rank()));
      bool all = self.size() == P && std::ssize(texts) == P;
      for (std::size_t r = 0; r < texts.size(); ++r)
        all &= texts[r] == std::string(2 * r, 'x') + std::to_string(r);
      right += all && distributed::broadcast(self, rank + 0.5) == 0.5 ? 1 : 0;
    });
    CHECK(right == P);
  }
}

TEST_CASE("an error in one thread ends the others, which wait for it", "[distributed]") {
  CHECK(error_of(4, [](Communicator& self) {
          if (self.rank() == 2) gradus::fail("test", "this is the first error");
          distributed::broadcast(self, 1);
          distributed::gather(self, "");
        }).find("this is the first error") != std::string::npos);
}

TEST_CASE("misuse of a communicator is refused", "[distributed]") {
  const auto sums_three = [](Communicator& self) {
    std::vector<float> values(3);
    distributed::sum(self, std::span(values));
  };
  CHECK(error_of(3, sums_three) == "sum: needs a power of two of processes, and there are 3");
  CHECK(error_of(0, sums_three) == "run_as_threads: the number of threads must be at least 1, and is 0");
  CHECK(error_of(1, [](Communicator& self) { self.exchange(0, {}, {}); }) ==
        "Communicator: process 0 of 1 has no peer 0");
  CHECK(error_of(2, [](Communicator& self) {
          std::vector<std::byte> some(self.rank() == 0 ? 4 : 8);
          self.exchange(1 - self.rank(), some, some);
        }).find("all processes must make the same calls") != std::string::npos);
  distributed::Alone alone;
  CHECK_THROWS_WITH(alone.exchange(1, {}, {}), "Communicator: there is no process 1 in a job of one process");
}

TEST_CASE("tensors of any size and of both dtypes are added up in place", "[distributed]") {
  const auto values_of = [](std::int64_t rank) {
    std::vector<gradus::Tensor> tensors;
    for (const std::int64_t n : {3, 40'000, 1, 33'000}) {
      for (const gradus::Dtype dtype : {gradus::Dtype::f32, gradus::Dtype::f64}) {
        tensors.push_back(gradus::full({n}, static_cast<double>(n * (rank + 1)), dtype));
      }
    }
    return tensors;
  };
  std::atomic<std::int64_t> right = 0;
  distributed::run_as_threads(2, [&](Communicator& self) {
    std::vector<gradus::Tensor> tensors = values_of(self.rank());
    add_up(self, tensors);
    const std::vector<gradus::Tensor> sums = values_of(2);  // processes have n and 2 n, so the sum is 3 n
    for (std::size_t i = 0; i < sums.size(); ++i) {
      right += tensors[i].to_vector<double>() == sums[i].to_vector<double>() ? 1 : 0;
    }
  });
  CHECK(right == 16);
}

namespace {

// A communicator that counts the bytes it sends.
class Counting : public Communicator {
 public:
  explicit Counting(Communicator& inner) : inner_(inner) {}
  std::int64_t rank() const override { return inner_.rank(); }
  std::int64_t size() const override { return inner_.size(); }
  void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    sent += out.size();
    inner_.exchange(peer, out, in);
  }
  std::size_t sent = 0;

 private:
  Communicator& inner_;
};

// A matrix (400, 100). Rows 0, `step`, 2 `step`, … have negative elements; the other rows are 0.
gradus::Tensor with_rows(std::size_t step, std::int64_t rank) {
  std::vector<float> values(std::size_t{400} * 100);
  for (std::size_t i = 0; i < 400; i += step) {
    for (std::size_t j = 0; j < 100; ++j) values[100 * i + j] = -std::abs(value<float>(rank, 100 * i + j));
  }
  return gradus::tensor(values, {400, 100});
}

}  // namespace

TEST_CASE("rows of a matrix that are zero in every process are not sent", "[distributed]") {
  for (const auto& [first, second, most] : {std::tuple{7U, 20U, 40'000U}, {1U, 1U, 170'000U}}) {
    std::atomic<std::int64_t> right = 0;
    std::atomic<std::size_t> sent = 0;
    distributed::run_as_threads(2, [&, first = first, second = second](Communicator& self) {
      Counting counting(self);
      std::vector<gradus::Tensor> tensors{with_rows(self.rank() == 0 ? first : second, self.rank())};
      add_up(counting, tensors);
      const gradus::Tensor expected = with_rows(first, 0) + with_rows(second, 1);
      right += tensors[0].to_vector<float>() == expected.to_vector<float>() ? 1 : 0;
      sent += counting.sent / 2;
    });
    CHECK(right == 2);
    CHECK(sent < most);
  }
}

TEST_CASE("sums in bf16 send half the bytes and round each sum of two", "[distributed]") {
  std::atomic<std::int64_t> right = 0;
  std::atomic<std::size_t> sent = 0;
  distributed::run_as_threads(4, [&](Communicator& self) {
    Counting counting(self);
    // From 1 to 2, bf16 numbers are multiples of 2⁻⁷. So 1 + 2⁻⁸ is halfway between two of them. It is
    // rounded to the even one, 1.
    std::vector<float> values(1001, self.rank() == 0 ? 1.0F : 0x1p-9F);
    distributed::sum_bf16(counting, values);
    // Each addition is rounded: 1 + 2⁻⁹ → 1, then 1 + (2⁻⁹ + 2⁻⁹) = 1 + 2⁻⁸ → 1. If only the total
    // 1 + 3 · 2⁻⁹ were rounded, it would be rounded up.
    for (const float value : values) right += value == 1 ? 1 : 0;
    sent += counting.sent;
  });
  CHECK(right == 4 * 1001);
  CHECK(sent < std::size_t{4} * 2 * 2 * 1001);
}
