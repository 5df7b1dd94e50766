// C++ exceptions for WASI, whose C++ libraries are built without them. Implements the part of the Itanium C++
// ABI that clang's -fwasm-exceptions calls: https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html. The tables
// are described in llvm/lib/CodeGen/AsmPrinter/EHStreamer.cpp. One thread; no exception_ptr.

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <typeinfo>

// The tag of all C++ exceptions; its value is a pointer to an Exception.
asm(R"(
  .tagtype __cpp_exception i32
  .globl __cpp_exception
__cpp_exception:
)");

namespace __cxxabiv1 {

// The layout of libc++abi's type_info. Its functions are linked from libc++abi.
class __shim_type_info : public std::type_info {
 public:
  virtual ~__shim_type_info();
  virtual void noop1() const;
  virtual void noop2() const;
  /// True if a handler for this type catches `thrown`. In this case, sets `object` to the handler's argument.
  virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};

}  // namespace __cxxabiv1

namespace {

using Type = const __cxxabiv1::__shim_type_info;

// The header in front of every thrown object.
struct alignas(16) Exception {
  Type* type;
  void* (*destroy)(void*);  // destructors return their argument
  void* seen;               // the thrown object, converted to the handler's type
  int handlers;             // number of running handlers; negative while one of them rethrows
  Exception* outer;         // the exception of the enclosing handler

  void* object() { return this + 1; }
};

Exception* innermost = nullptr;  // the exception of the innermost running handler

// Reads values from the compiler's tables.
struct Bytes {
  const std::uint8_t* at;

  std::uint32_t byte() { return *at++; }
  std::uint32_t number() {  // ULEB128
    std::uint32_t value = 0, shift = 0, read = 0;
    do {
      read = byte();
      value |= (read & 0x7F) << shift;
      shift += 7;
    } while (read & 0x80);
    return value;
  }
  std::int32_t signed_number() {  // SLEB128
    std::uint32_t value = 0, shift = 0, read = 0;
    do {
      read = byte();
      value |= (read & 0x7F) << shift;
      shift += 7;
    } while (read & 0x80);
    if (shift < 32 && (read & 0x40)) value |= ~std::uint32_t{0} << shift;
    return static_cast<std::int32_t>(value);
  }
};

constexpr std::uint32_t omitted = 0xFF;

// The number of the first clause of landing pad `pad` that catches the exception; 0 if no clause does.
int clause_for(Exception& exception, const std::uint8_t* table, std::uint32_t pad) {
  Bytes bytes{table};
  if (bytes.byte() != omitted) bytes.number();  // the landing pads' base
  if (bytes.byte() == omitted) return 0;        // no types: only clean-ups
  const std::uint32_t types_after = bytes.number();
  const auto* const types = reinterpret_cast<Type* const*>(bytes.at + types_after);
  bytes.byte();  // the encoding of the pads
  const std::uint32_t pads_bytes = bytes.number();
  const std::uint8_t* const actions = bytes.at + pads_bytes;
  std::uint32_t action = 0;
  for (std::uint32_t i = 0; i <= pad; ++i) {
    bytes.number();  // the pad
    action = bytes.number();
  }
  if (action == 0) return 0;
  bytes.at = actions + action - 1;
  while (true) {
    const std::int32_t clause = bytes.signed_number();
    const std::uint8_t* const here = bytes.at;
    const std::int32_t next = bytes.signed_number();
    if (clause > 0) {
      Type* const wanted = types[-clause];
      void* seen = exception.object();
      if (wanted == nullptr || wanted->can_catch(exception.type, seen)) {
        exception.seen = seen;
        return clause;
      }
    }
    if (next == 0) return 0;
    bytes.at = here + next;
  }
}

}  // namespace

extern "C" {

// Each landing pad sets `pad` and `table`, calls _Unwind_CallPersonality, and then reads `clause`.
struct {
  std::uint32_t pad;
  const std::uint8_t* table;
  int clause;
} __wasm_lpad_context;

int _Unwind_CallPersonality(Exception* exception) {
  __wasm_lpad_context.clause = clause_for(*exception, __wasm_lpad_context.table, __wasm_lpad_context.pad);
  return 0;
}
void __gxx_wasm_personality_v0() {}  // never called; the tables refer to it

void* __cxa_allocate_exception(std::size_t bytes) {
  void* const memory = std::aligned_alloc(alignof(Exception), (sizeof(Exception) + bytes + 15) / 16 * 16);
  if (memory == nullptr) std::terminate();
  return static_cast<Exception*>(memory) + 1;
}
void __cxa_free_exception(void* object) { std::free(static_cast<Exception*>(object) - 1); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Exception* const exception = static_cast<Exception*>(object) - 1;
  *exception = {static_cast<Type*>(type), destroy, object, 0, nullptr};
  __builtin_wasm_throw(0, exception);
}

[[noreturn]] void __cxa_rethrow() {
  if (innermost == nullptr) std::terminate();
  innermost->handlers = -innermost->handlers;
  __builtin_wasm_throw(0, innermost);
}

void* __cxa_get_exception_ptr(Exception* exception) { return exception->seen; }

void* __cxa_begin_catch(Exception* exception) {
  exception->handlers = std::abs(exception->handlers) + 1;
  if (exception != innermost) {
    exception->outer = innermost;
    innermost = exception;
  }
  return exception->seen;
}

void __cxa_end_catch() {
  Exception* const exception = innermost;
  if (exception->handlers < 0) {  // rethrown, not yet caught
    if (++exception->handlers == 0) innermost = exception->outer;
    return;
  }
  if (--exception->handlers > 0) return;
  innermost = exception->outer;
  if (exception->destroy != nullptr) exception->destroy(exception->object());
  std::free(exception);
}

int __cxa_atexit(void (*)(void*), void*, void*);
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  return __cxa_atexit(destroy, object, library);  // the only thread's end is the program's end
}

}  // extern "C"
