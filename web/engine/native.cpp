// The page's trainer as a native program, for comparison. Reads one request per line from standard input.

#include <iostream>
#include <string>

#include "answer.hpp"
#include "phrases.hpp"

int main() {
  gradus::web::offer_phrases();
  for (std::string request; std::getline(std::cin, request);)
    std::cout << gradus::web::answer(request) << std::endl;
}
