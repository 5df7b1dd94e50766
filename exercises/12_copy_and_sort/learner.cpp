#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(
      argc, argv,
      copy_and_sort_exercise({copy_positions, reverse_positions, sort_positions, on_position, on_symbol}));
}
