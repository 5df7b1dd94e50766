#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, log_add_exp_exercise({sum_to, log_add_exp}));
}
