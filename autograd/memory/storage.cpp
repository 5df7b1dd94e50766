#include "storage.hpp"

#include <utility>

#include "runtime/profile_state.hpp"

namespace gradus {

Storage::Storage(std::size_t size) : buffer(pool::allocate(size)), bytes(size) { profile_memory(size); }
Storage::Storage(std::shared_ptr<void> memory, std::size_t size)
    : buffer{static_cast<std::byte*>(memory.get()), size}, bytes(size), owner(std::move(memory)) {
  pool::adopt(bytes);
}
Storage::~Storage() { owner ? pool::disown(bytes) : pool::free(buffer); }

}  // namespace gradus
