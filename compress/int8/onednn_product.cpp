#include "int8/onednn_product.hpp"

#include <gradus/autograd/checks.hpp>

#include <dnnl.hpp>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

// The OpenMP functions that OneThread calls. Debian's oneDNN links OpenMP. The symbols are weak, because
// other builds of oneDNN may not link it.
extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int);
}

namespace gradus::compress::onednn {
namespace {

using dnnl::matmul, dnnl::memory;
constexpr auto s8 = memory::data_type::s8;

// While a OneThread exists, OpenMP loops that this thread starts run on one thread. Int8Product already
// splits products among threads().
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

const dnnl::engine& engine() {
  static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
  return made;
}

const dnnl::stream& stream() {
  thread_local const dnnl::stream made(engine());
  return made;
}

matmul::primitive_desc describe(std::int64_t m, std::int64_t n, std::int64_t k, const memory::desc& q) {
  const memory::desc p({m, k}, s8, memory::dims{k, 1});
  const memory::desc sums({m, n}, memory::data_type::s32, memory::dims{n, 1});
  dnnl::primitive_attr attributes;
  // A scratchpad per call lets several threads run the primitive at the same time.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  return matmul::primitive_desc(engine(), p, q, sums, attributes);
#else
  return matmul::primitive_desc(matmul::desc(p, q, sums), attributes, engine());
#endif
}

// The memory objects of a call, which sets their buffers.
struct Operands {
  memory p, sums, scratchpad;
};

// Calls work(), and converts exceptions of oneDNN to Error.
template <class Work>
auto refusing(std::int64_t n, std::int64_t k, const Work& work) {
  const OneThread guard;
  try {
    return work();
  } catch (const dnnl::error& error) {
    fail("int8", "oneDNN refused a product with a weight (", n, ", ", k, ") in int8: ", error.what());
  }
}

}  // namespace

struct Int8Weight::Made {
  matmul::primitive_desc description;
  matmul primitive;
  memory weight;

  Made(std::int64_t m, std::int64_t n, std::int64_t k, const memory::desc& layout)
      : description(describe(m, n, k, layout)), primitive(description) {}
  // Lets oneDNN choose the weight's layout, and packs the weight.
  Made(std::int64_t m, std::int64_t n, std::int64_t k, memory& q)
      : Made(m, n, k, memory::desc({k, n}, s8, memory::format_tag::any)) {
    weight = memory(description.weights_desc(), engine());
    dnnl::reorder(q, weight).execute(stream(), q, weight);
  }

  void multiply(const std::int8_t* p, std::int32_t* sums) {
    Operands with = operands();
    Tensor room = empty({static_cast<std::int64_t>(description.scratchpad_desc().get_size() + 3) / 4});
    with.p.set_data_handle(const_cast<std::int8_t*>(p));
    with.sums.set_data_handle(sums);
    with.scratchpad.set_data_handle(room.mutable_values<float>("int8").data());
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, with.p.get()},
                                         {DNNL_ARG_WEIGHTS, weight.get()},
                                         {DNNL_ARG_DST, with.sums.get()},
                                         {DNNL_ARG_SCRATCHPAD, with.scratchpad.get()}};
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive.get(), stream().get(), std::size(arguments), arguments),
        "could not execute a primitive");
    const std::lock_guard lock(mutex_);
    unused_.push_back(std::move(with));
  }

 private:
  Operands operands() {
    const std::lock_guard lock(mutex_);
    if (unused_.empty()) {
      const auto unset = [](const memory::desc& form) { return memory(form, engine(), DNNL_MEMORY_NONE); };
      unused_.push_back({unset(description.src_desc()), unset(description.dst_desc()),
                         unset(description.scratchpad_desc())});
    }
    Operands last = std::move(unused_.back());
    unused_.pop_back();
    return last;
  }

  std::mutex mutex_;
  std::vector<Operands> unused_;  // kept, because oneDNN allocates several blocks for each memory object
};

bool has_int8() {
  static const bool has =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_vnni) == dnnl_cpu_isa_avx512_core_vnni;
  return has;
}

Int8Weight::Int8Weight(std::int64_t n, std::int64_t k, const std::int8_t* q, std::int64_t stride)
    : n_(n), k_(k) {
  std::vector<std::int8_t> rows;  // contiguous, as oneDNN requires for m = 1
  for (std::int64_t i = 0; i < n; ++i) rows.insert(rows.end(), q + i * stride, q + i * stride + k);
  refusing(n, k, [&] {
    memory values({{k, n}, s8, memory::dims{1, k}}, engine(), rows.data());
    one_ = std::make_unique<Made>(1, n, k, values);
    many_ = std::make_unique<Made>(64, n, k, values);
  });
}
Int8Weight::~Int8Weight() = default;

Int8Weight::Made& Int8Weight::made(std::int64_t m) const {
  if (m == 1) return *one_;
  if (m == 64) return *many_;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Made>& made = others_[m];
  if (!made) {
    made = std::make_unique<Made>(m, n_, k_, many_->description.weights_desc());
    made->weight = many_->weight;
  }
  return *made;
}

void Int8Weight::multiply(std::int64_t m, const std::int8_t* p, std::int32_t* sums) const {
  refusing(n_, k_, [&] { made(m).multiply(p, sums); });
}

}  // namespace gradus::compress::onednn
