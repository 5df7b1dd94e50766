// The examples in the second half of docs/inside.md, one function for each section.
#include <gradus/gradus.hpp>

#include <iostream>

using namespace gradus;

namespace {

void record() {
  Tensor w = tensor({1.0, 2.0});
  w.set_requires_grad();
  std::cout << w * 2.0 << '\n';
  {
    const NoGrad off;
    std::cout << w * 2.0 << '\n';
  }
  std::cout << "w · w:          " << grad({sum(w * w)}, {w})[0] << '\n';
  std::cout << "w · w.detach(): " << grad({sum(w * w.detach())}, {w})[0] << '\n';
}

void share() {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  Tensor w = tensor({1.0, 1.0});
  w.set_requires_grad();
  for (const int count : {1, 2}) {
    set_threads(count);
    const Tensor total = parallel_sum(2, [&](std::int64_t i) { return sum(w * x[i]); });
    std::cout << total << ", gradient " << grad({total}, {w})[0] << '\n';
  }
}

void draw_masks() {
  const Tensor x = ones({1, 4, 6});  // one step of 4 sequences
  Generator whole(2), part = Generator(2).of_part({.batch = 4, .sequences = {2, 3}});
  std::cout << "whole batch " << dropout(x, 0.5, whole).slice(2, 4, 1) << '\n';
  std::cout << "its part    " << dropout(x.slice(2, 4, 1), 0.5, part) << '\n';
}

void round_inputs() {
  const Tensor a = full({8, 128}, 1.003), b = ones({128, 128});
  std::cout << "f32:  " << matmul(a, b)[0][0] << '\n';
  const MixedPrecision bf16(Precision::bf16_emulated);
  std::cout << "bf16: " << matmul(a, b)[0][0] << '\n';
}

}  // namespace

int main() {
  record();
  std::cout << '\n';
  share();
  std::cout << '\n';
  draw_masks();
  std::cout << '\n';
  round_inputs();
}
