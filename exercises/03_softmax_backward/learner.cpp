#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, softmax_backward_exercise(softmax_backward));
}
