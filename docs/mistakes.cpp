// The examples of docs/how-to/debug.md. They contain mistakes that by themselves cause no error.
#include <gradus/gradus.hpp>

#include <cmath>
#include <iostream>

using namespace gradus;

namespace {

void compare_with_a_loop() {
  const Tensor y = tensor({{0.5}, {1.0}, {2.0}, {2.5}});  // (N, 1), as a Linear with one output returns it
  const Tensor target = tensor({0.0, 1.0, 2.0, 3.0});     // (N)
  const Tensor error = y - target;                        // a mistake: (N, 1) − (N)
  double sum_of_squares = 0;
  for (std::int64_t n = 0; n < 4; ++n) sum_of_squares += std::pow(y[n].item() - target[n].item(), 2);
  std::cout << "error " << error.shape() << ": mean square " << mean(error * error).item() << '\n'
            << "plain loop: mean square " << sum_of_squares / 4 << '\n';
}

void gradient_of_a_norm() {
  Tensor x = zeros({3});
  x.set_requires_grad();
  const DetectAnomaly detect;
  try {
    sqrt(sum(x * x)).backward();  // a mistake: the slope of sqrt is infinite at 0
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  }
}

// One vector (2) for a sentence x (S, 3): the sum of its words' values, with learned weights.
class Pool : public nn::Module {
 public:
  Pool() : energy(3, 1, false), value(3, 2), gate(3, 2) {
    add_module("energy", energy);
    add_module("value", value);
    add_module("gate", gate);
  }
  Tensor forward(const Tensor& x) const {
    const Tensor weights = softmax(energy.forward(x), 1);  // (S, 1); a mistake: the words are axis 0
    return sum(weights * value.forward(x), {0});           // (2); a mistake: gate is not used
  }
  nn::Linear energy, value, gate;
};

void never_change() {
  seed(1);
  Pool pool;
  nn::SGD sgd(pool.energy.parameters());  // a mistake: pool.parameters() has all of them
  const Tensor y = pool.forward(normal({4, 3}, 0, 1, default_generator()));
  sum(y * y).backward();
  for (const auto& [name, parameter] : pool.named_parameters()) {
    if (name.ends_with("weight")) std::cout << name << ": gradient " << parameter.grad() << '\n';
  }
  const Tensor before = pool.value.weight.clone();
  sgd.step();
  std::cout << "value.weight changed by " << max(abs(pool.value.weight - before)).item() << '\n';
}

// Reads bits. At each step, predicts the bit read one step before.
class Echo : public nn::Module {
 public:
  explicit Echo(bool passes_state)
      : embedding(2, 4), cell(4, 8), read_out(8, 2), passes_state_(passes_state) {
    add_module("embedding", embedding);
    add_module("cell", cell);
    add_module("read_out", read_out);
  }
  Tensor loss(const Tensor& bits) const {  // bits (10, B)
    std::vector<Tensor> logits;
    Tensor h;  // undefined: a cell then begins with zeros
    for (std::int64_t t = 0; t < 10; ++t) {
      h = cell.forward(embedding.forward(bits[t]), passes_state_ ? h : Tensor());
      if (t > 0) logits.push_back(read_out.forward(h));
    }
    return cross_entropy(stack(logits), bits.slice(0, 9));
  }
  nn::Embedding embedding;
  nn::GRUCell cell;
  nn::Linear read_out;

 private:
  bool passes_state_;
};

void train_on_one_batch(bool passes_state) {
  seed(1);
  Echo echo(passes_state);
  nn::Adam adam(echo.parameters(), {.learning_rate = 0.02});
  const Tensor batch = uniform({10, 4}, 0, 2, default_generator()).to(Dtype::i64);
  for (int update = 0; update <= 300; ++update) {
    adam.zero_grad();
    const Tensor loss = echo.loss(batch);
    if (update % 100 == 0) std::cout << "  " << loss.item();
    loss.backward();
    adam.step();
  }
  std::cout << '\n';
}

}  // namespace

int main() {
  compare_with_a_loop();
  std::cout << '\n';
  gradient_of_a_norm();
  std::cout << '\n';
  never_change();
  std::cout << '\n';
  train_on_one_batch(true);
  train_on_one_batch(false);
}
