// Tutorial 00: hello: what a tensor is, and what it says when shapes do not fit.
//
// All later tutorials use one type, Tensor: a handle to values, with a shape and a dtype. Its broadcasting rules are
// those of NumPy: Harris et al., "Array programming with NumPy" (2020), https://doi.org/10.1038/s41586-020-2649-2.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>
#include <gradus/error.hpp>

#include <iostream>

#include "support/page/program.hpp"

using namespace gradus;

namespace {

void run(const tutorial::Options& options) {
  // 1. A tensor: an array of numbers with a shape. The default dtype is f32; ids and lengths are i64.
  const Tensor a = tensor({{1, 2, 3}, {4, 5, 6}});                    // (2, 3)
  const Tensor ids = tensor({3, 0, 2}, Dtype::i64);                   // (3)
  std::cout << "a    " << a << "\nids  " << ids << "\na has " << a.rank() << " axes of sizes " << a.shape() << ", and "
            << a.numel() << " elements of " << name(a.dtype()) << "\n\n";

  // 2. Sequences are time-major: T steps of B sentences, with I numbers per step and sentence. x[t] is step t.
  Generator generator(options.seed);
  const Tensor x = normal({5, 2, 3}, 0, 1, generator);                // (T, B, I)
  const Tensor first = x[0];                                          // (B, I)
  std::cout << "x       " << x.shape() << ": T = 5 steps, B = 2 sentences, I = 3 numbers\nx[0]    " << first << '\n';

  // 3. A Tensor is a handle. Copies, steps and reshaped tensors share its values; clone() makes new ones.
  Tensor same = a;                                                    // (2, 3)
  const Tensor own = a.clone();                                       // (2, 3)
  const Tensor flat = a.reshape({6});                                 // (6)
  same.mutable_values<float>()[0] = 100;
  std::cout << "\nafter element (0, 0) of same is set to 100\na       " << a << "\nown     " << own << "\nflat    " << flat << "\n\n";

  // 4. Operations make new tensors. Broadcasting: axes of size 1, and axes missing at the front, are stretched.
  const Tensor row = tensor({10, 20, 30});                            // (3)
  const Tensor column = tensor({{1}, {2}});                           // (2, 1)
  std::cout << "own + row     " << own + row << "\nown * column  " << own * column << "\nrow * column  " << row * column
            << "\nmean over axis 0  " << mean(own, 0) << "\nown times its transpose  "
            << matmul(own, transpose(own, 0, 1)) << "\n\n";

  // 5. If shapes do not fit, the operation throws before it changes anything. The error names shapes, axis and remedy.
  try {
    matmul(own, own);
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  }
  try {
    own + tensor({1, 2});                                             // (2): broadcasting compares the last axes first
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  }

  std::cout << "\ntry next: --seed 2, and see which numbers change; then ./run tutorial 01\n";
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 00: hello, tensor", {}, run);
}
