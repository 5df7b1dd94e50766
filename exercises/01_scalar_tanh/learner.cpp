#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, scalar_tanh_exercise([](scalar::Value x) { return tanh(x); }));
}
