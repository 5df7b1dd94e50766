#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, attention_by_length_exercise({entropy, sharpness, on_target}));
}
