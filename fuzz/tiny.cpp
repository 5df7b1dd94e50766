// Fuzzes the reader of gradus_tiny with arbitrary models, whose checksum is correct.
// The program then translates two sentences. CMakeLists.txt renames its main(), and the functions exit(),
// fputs() and calloc() that it calls. This file defines the renamed exit(), fputs() and calloc().

#include <cstdio>
#include <memory>
#include <vector>

#include "fuzz.hpp"

namespace {

struct Ended {};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
std::vector<std::unique_ptr<void, Free>> allocated;

// Sets bytes 8 to 11 to the correct checksum: the FNV-1a hash of all later bytes.
std::string with_checksum(std::string_view content) {
  constexpr std::size_t at = 8, end = 12;
  std::string model(content);
  if (model.size() < end) return model;
  std::uint32_t sum = 2166136261U;
  for (std::size_t i = end; i < model.size(); ++i)
    sum = (sum ^ static_cast<unsigned char>(model[i])) * 16777619U;
  return model.replace(at, sizeof sum, reinterpret_cast<const char*>(&sum), sizeof sum);
}

}  // namespace

extern "C" {
int tiny_main(int argc, char** argv);

[[noreturn]] void tiny_exit(int) { throw Ended{}; }

int tiny_fputs(const char* text, FILE*) {
  return static_cast<int>(std::string_view(text).size() % 2);  // reads the text to its end
}

void* tiny_calloc(std::size_t count, std::size_t size) {
  constexpr std::size_t most = 1 << 26;
  if (size > 0 && count > most / size) return nullptr;
  allocated.emplace_back(std::calloc(count, size));
  return allocated.back().get();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File model, sentences;
  static const std::string lines = sentences.with("3 1 4\n\nunknown 2\n").string();
  static FILE* const output = std::freopen("/dev/null", "w", stdout);
  fuzz::expect(output != nullptr && std::freopen(lines.c_str(), "r", stdin) != nullptr,
               "files can be opened");
  std::string program = "gradus_tiny", path = model.with(with_checksum(fuzz::text_of(data, size))).string();
  char* arguments[] = {program.data(), path.data(), nullptr};
  try {
    tiny_main(2, arguments);
  } catch (const Ended&) {
  }
  allocated.clear();
  return 0;
}
}
