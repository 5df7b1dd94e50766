#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, int8_linear_exercise({to_int8, quantise_rows, int8_linear}));
}
