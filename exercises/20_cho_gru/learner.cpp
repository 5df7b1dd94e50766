#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, cho_gru_exercise({cho_step, cho_states}));
}
