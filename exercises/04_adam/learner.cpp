#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) { return exercise::main(argc, argv, adam_exercise(maker_of<Adam>())); }
