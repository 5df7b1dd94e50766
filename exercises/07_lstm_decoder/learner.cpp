#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, lstm_decoder_exercise(lstm_answer<LstmCell, LstmDecoder>()));
}
