#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, coverage_exercise({coverage, coverage_loss}));
}
