#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, bug_hunt_exercise({read_backward, energies, weights, descend}));
}
