#include "packed_weights.hpp"

#include <gradus/autograd/pack_weights.hpp>
#include <gradus/autograd/precision.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "memory/storage.hpp"
#include "runtime/runtime_state.hpp"
#include "tape/node.hpp"
#include "weight_product.hpp"

namespace gradus {
namespace {

// Weights with more elements than this are not packed. Their products are limited by reading the weight, so
// packing saves little, and the copy takes much memory.
constexpr std::int64_t most_packed = 1 << 24;
constexpr std::int64_t most_packed_rows = 256;

struct PackedWeight {
  Tensor values;  // keeps the storage alive, so that its address is not reused; not on the tape
  std::uint32_t version;
  Layout layout;
  std::int64_t first, columns;
  Precision precision;
  std::shared_ptr<const void> packed;  // PackedMatrix of the values' dtype

  bool is(Layout l, const Tensor& weight, std::int64_t from, std::int64_t count) const {
    return layout == l && precision == thread_state().precision && first == from && columns == count &&
           values.shape() == weight.shape() && values.dtype() == weight.dtype() &&
           values.impl().data() == weight.impl().data();
  }
};

bool is_parameter(const Tensor& tensor) {
  const NodePtr& node = tensor.impl().node;
  return node && node->leaf;
}

}  // namespace

// The packed weights of a PackWeights. The threads of parallel_operations() share them.
class PackedWeights {
 public:
  template <class T>
  std::shared_ptr<const PackedMatrix<T>> get(Layout layout, const Tensor& weight, std::int64_t first,
                                             std::int64_t columns) {
    const std::uint32_t version = weight.impl().storage->version;
    const std::lock_guard lock(mutex_);
    auto entry = std::ranges::find_if(
        all_, [&](const PackedWeight& known) { return known.is(layout, weight, first, columns); });
    if (entry == all_.end()) {
      entry = all_.insert(
          entry, {weight.detach(), version, layout, first, columns, thread_state().precision, nullptr});
    }
    if (!entry->packed || entry->version != version) {
      const std::int64_t rows = weight.size(0), stride = weight.size(1);
      const bool plain = layout == Layout::plain;
      entry->packed =
          std::make_shared<const PackedMatrix<T>>(layout, plain ? rows : columns, plain ? columns : rows,
                                                  Rows<const T>{raw<T>(weight) + first, stride});
      entry->version = version;
    }
    return std::static_pointer_cast<const PackedMatrix<T>>(entry->packed);
  }

 private:
  std::mutex mutex_;
  std::vector<PackedWeight> all_;
};

PackWeights::PackWeights() {
  if (thread_state().packed_weights != nullptr) return;
  kept_ = std::make_unique<PackedWeights>();
  thread_state().packed_weights = kept_.get();
}
PackWeights::~PackWeights() {
  if (kept_) thread_state().packed_weights = nullptr;
}

template <class T>
std::shared_ptr<const PackedMatrix<T>> packed_weight(Layout layout, const Tensor& weight, std::int64_t first,
                                                     std::int64_t columns) {
  PackedWeights* const kept = thread_state().packed_weights;
  if (kept == nullptr || !is_parameter(weight) || weight.size(0) * columns > most_packed) return nullptr;
  return kept->get<T>(layout, weight, first, columns);
}

template <class T>
void multiply_by_weight(std::int64_t m, Rows<const T> x, const Tensor& weight, std::int64_t first,
                        std::int64_t columns, Addend<T> addend, Rows<T> y) {
  if (const auto product = weight_product(weight)) {
    return multiply(*product, m, x, weight, first, columns, addend, y);
  }
  if (m >= PackedMatrix<T>::fewest_rows && m <= most_packed_rows) {
    if (const auto packed = packed_weight<T>(Layout::transposed, weight, first, columns)) {
      return packed->multiply(m, x, addend, y);
    }
  }
  gemm<T>(Layout::plain, Layout::transposed, m, weight.size(0), columns, x,
          {raw<T>(weight) + first, weight.size(1)}, addend, y);
}

template std::shared_ptr<const PackedMatrix<float>> packed_weight(Layout, const Tensor&, std::int64_t,
                                                                  std::int64_t);
template std::shared_ptr<const PackedMatrix<double>> packed_weight(Layout, const Tensor&, std::int64_t,
                                                                   std::int64_t);
template void multiply_by_weight(std::int64_t, Rows<const float>, const Tensor&, std::int64_t, std::int64_t,
                                 Addend<float>, Rows<float>);
template void multiply_by_weight(std::int64_t, Rows<const double>, const Tensor&, std::int64_t, std::int64_t,
                                 Addend<double>, Rows<double>);

}  // namespace gradus
