#include "onednn.hpp"

#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>

#include <dnnl.hpp>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "memory/storage.hpp"

// OpenMP functions, which Debian's oneDNN uses. The symbols are weak, because other builds of oneDNN may not
// link OpenMP.
extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int);
}

namespace gradus::onednn {
namespace {

using dnnl::matmul, dnnl::memory;

// Limits this thread's OpenMP loops to one thread, because gradus itself splits products among threads().
// Restores the previous number when destroyed.
class OneThread {
 public:
  OneThread() {
    if (!omp_set_num_threads || !omp_get_max_threads) return;
    before_ = omp_get_max_threads();
    if (before_ > 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ > 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 1;
};

char transpose(Layout layout) { return layout == Layout::plain ? 'N' : 'T'; }

const char* instructions() {
  constexpr std::pair<unsigned, const char*> names[] = {{dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
                                                        {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
                                                        {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
                                                        {dnnl_cpu_isa_avx512_core, "avx512_core"},
                                                        {dnnl_cpu_isa_avx2, "avx2"},
                                                        {dnnl_cpu_isa_avx, "avx"},
                                                        {dnnl_cpu_isa_sse41, "sse41"}};
  const unsigned isa = dnnl_get_effective_cpu_isa();
  for (const auto& [bits, name] : names) {  // a newer instruction set includes the bits of older ones
    if ((isa & bits) == bits) return name;
  }
  return "other instructions";
}

const dnnl::engine& engine() {
  static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
  return made;
}

const dnnl::stream& stream() {
  thread_local const dnnl::stream made(engine());
  return made;
}

constexpr auto bf16 = memory::data_type::bf16;

memory::desc matrix(Layout layout, std::int64_t rows, std::int64_t columns) {
  const bool plain = layout == Layout::plain;
  return {{rows, columns}, bf16, memory::dims{plain ? columns : 1, plain ? 1 : rows}};
}

matmul::primitive_desc describe(const RoundedProduct& shape, const memory::desc& b) {
  const memory::desc a = matrix(shape.a, shape.m, shape.k);
  const memory::desc c({shape.m, shape.n}, memory::data_type::f32, memory::dims{shape.c_stride, 1});
  dnnl::primitive_attr attributes;
  // Each call passes its own scratchpad, so that several threads can run the primitive at the same time.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  return matmul::primitive_desc(engine(), a, b, c, attributes);
#else
  return matmul::primitive_desc(matmul::desc(a, b, c), attributes, engine());
#endif
}

// oneDNN's layout for a packed B. The layout is the same for every number of rows of A.
memory::desc packed(std::int64_t k, std::int64_t n) {
  const memory::desc any({k, n}, bf16, memory::format_tag::any);
  return describe({64, n, k, Layout::plain, BLayout::packed}, any).weights_desc();
}

// A oneDNN primitive, created once per shape.
struct Made {
  matmul::primitive_desc description;
  matmul primitive;

  explicit Made(const RoundedProduct& shape)
      : description(describe(shape, shape.b == BLayout::packed ? packed(shape.k, shape.n)
                                    : shape.b == BLayout::plain
                                        ? matrix(Layout::plain, shape.k, shape.n)
                                        : matrix(Layout::transposed, shape.k, shape.n))),
        primitive(description) {}
};

struct AllMade {
  std::mutex mutex;
  std::map<RoundedProduct, Made> shapes;
};
AllMade& all_made() {
  static AllMade made;
  return made;
}

const Made& made(const RoundedProduct& shape) {
  AllMade& all = all_made();
  const std::lock_guard lock(all.mutex);
  const auto found = all.shapes.find(shape);
  if (found != all.shapes.end()) return found->second;
  const OneThread guard;
  return all.shapes.try_emplace(shape, shape).first->second;
}

// Calls work(), and converts oneDNN exceptions to Error.
template <class Work>
auto refusing(std::int64_t m, std::int64_t k, std::int64_t n, const Work& work) {
  try {
    return work();
  } catch (const dnnl::error& error) {
    fail("matmul", "oneDNN refused a product of (", m, ", ", k, ") and (", k, ", ", n,
         ") in bf16: ", error.what());
  }
}

memory at(const memory::desc& description, const void* data) {
  return {description, engine(), const_cast<void*>(data)};
}

}  // namespace

bool is_used() { return true; }

void multiply(const Product<float>& p) {
  const OneThread guard;
  const float beta = addend_in_c(p);
  const dnnl_status_t status =
      dnnl_sgemm(transpose(p.a_layout), transpose(p.b_layout), p.m, p.n, p.k, 1, p.a.data, p.a.stride,
                 p.b.data, p.b.stride, beta, p.c.data, p.c.stride);
  if (status != dnnl_success) {
    fail("matmul", "oneDNN refused a product of (", p.m, ", ", p.k, ") and (", p.k, ", ", p.n,
         ") with status ", static_cast<int>(status));
  }
}

std::string description() {
  const dnnl_version_t& version = *dnnl_version();
  return message("oneDNN ", version.major, ".", version.minor, ".", version.patch, ", ", instructions());
}

bool has_bf16() {
  static const bool has =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
  return has;
}

bool is_fast(const RoundedProduct& shape) {
  return refusing(shape.m, shape.k, shape.n, [&] {
    return !std::string_view(made(shape).description.impl_info_str()).starts_with("ref");
  });
}

void multiply(const RoundedProduct& shape, const std::uint16_t* a, const void* b, float* c) {
  refusing(shape.m, shape.k, shape.n, [&] {
    const auto& [description, primitive] = made(shape);
    const OneThread guard;
    const memory::desc scratchpad = description.scratchpad_desc();
    const Tensor room = empty({static_cast<std::int64_t>(scratchpad.get_size() + 3) / 4}, Dtype::f32);
    primitive.execute(stream(), {{DNNL_ARG_SRC, at(description.src_desc(), a)},
                                 {DNNL_ARG_WEIGHTS, at(description.weights_desc(), b)},
                                 {DNNL_ARG_DST, at(description.dst_desc(), c)},
                                 {DNNL_ARG_SCRATCHPAD, at(scratchpad, room.impl().data())}});
  });
}

std::int64_t packed_bytes(std::int64_t k, std::int64_t n) {
  const OneThread guard;
  return refusing(0, k, n, [&] { return static_cast<std::int64_t>(packed(k, n).get_size()); });
}

void pack(Layout layout, std::int64_t k, std::int64_t n, const std::uint16_t* b, void* to) {
  const OneThread guard;
  refusing(0, k, n, [&] {
    memory from = at(matrix(layout, k, n), b), into = at(packed(k, n), to);
    dnnl::reorder(from, into).execute(stream(), from, into);
  });
}

std::int64_t shapes_made() {
  AllMade& all = all_made();
  const std::lock_guard lock(all.mutex);
  return std::ssize(all.shapes);
}

}  // namespace gradus::onednn
