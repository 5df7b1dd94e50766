// The page's trainer as a native program, for comparison. Reads one request per line from standard input.

#include <iostream>
#include <string>

#include "answer.hpp"

int main() {
  for (std::string request; std::getline(std::cin, request);)
    std::cout << gradus::web::answer(request) << std::endl;
}
