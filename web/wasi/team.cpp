#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/scope.hpp>

// On a system without threads, the team is the calling thread.
namespace gradus {

int threads() { return 1; }

void set_threads(int count) {
  if (count != 1) fail("set_threads", "WebAssembly runs on one thread, and got ", count, "; ask for 1");
}

int team::available() { return 1; }

std::int64_t team::ranges(std::int64_t, std::int64_t) { return 1; }

void team::run(std::int64_t count, Work work, const void* context) {
  for (std::int64_t i = 0; i < count; ++i) work(context, i);
}

}  // namespace gradus
