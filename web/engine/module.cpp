// The functions that the WebAssembly module exports. To ask: write a request into request_buffer(length) and
// call answer(). It returns the answer's length; the bytes are at answer_text().

#include <cstddef>
#include <string>

#include "answer.hpp"

namespace {
std::string request, response;
}

extern "C" {

[[clang::export_name("request_buffer")]] char* request_buffer(std::size_t length) {
  request.resize(length);
  return request.data();
}

[[clang::export_name("answer")]] std::size_t answer() {
  response = gradus::web::answer(request);
  return response.size();
}

[[clang::export_name("answer_text")]] const char* answer_text() { return response.data(); }

}  // extern "C"
