#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/version.hpp>

#include <iostream>

using namespace gradus;

int main() {
  Generator generator(1);
  const Tensor h = normal({7, 2, 6}, 0, 1, generator);  // (T, B, D), annotations of two sentences
  const Tensor s = normal({2, 4}, 0, 1, generator);     // (B, Q), states of the decoder

  const nn::AdditiveAttention attention(4, 6, 5);
  const auto [context, weights] = attention.attend(s, attention.prepare(h, {}), 0, {});
  sum(context * context).backward();
  std::cout << "gradus " << version() << ": context " << context.shape() << ", weights " << weights.shape()
            << ", gradient of v_a " << attention.v_a.grad().shape() << '\n';

  try {
    attention.attend(h, attention.prepare(h, {}), 0, {});
  } catch (const Error& error) {
    std::cout << "an error says: " << error.what() << '\n';
  }
}
