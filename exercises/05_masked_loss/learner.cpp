#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) { return exercise::main(argc, argv, masked_loss_exercise(masked_loss)); }
