#include "weight_product.hpp"

#include <gradus/autograd/checks.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace gradus {
namespace {

struct Used {
  std::shared_ptr<const WeightProduct> product;
  std::uint32_t version;  // version of the weight's storage when the product was set
  std::int64_t columns;
};

struct AllUsed {
  std::mutex mutex;
  std::map<const Storage*, Used> of;
  std::atomic<bool> any{false};  // false: no weight has a product, and a look-up needs no lock
};
AllUsed& all_used() {
  static AllUsed& all = *new AllUsed;  // never destroyed: static models may be destroyed later
  return all;
}

}  // namespace

UseWeightProduct::UseWeightProduct(const Tensor& weight, std::shared_ptr<const WeightProduct> product)
    : weight_(weight.detach()) {
  if (weight.rank() != 2 || weight.dtype() != Dtype::f32) {
    fail("UseWeightProduct", "the weight is ", name(weight.dtype()), " ", weight.shape(),
         " and must be an f32 matrix");
  }
  const Storage& storage = *weight.impl().storage;
  if (storage.bytes != static_cast<std::size_t>(weight.numel()) * sizeof(float)) {
    fail("UseWeightProduct", "the weight ", weight.shape(),
         " is a part of a larger tensor; give that tensor, or a clone()");
  }
  AllUsed& all = all_used();
  const std::lock_guard lock(all.mutex);
  if (!all.of.try_emplace(&storage, Used{std::move(product), storage.version, weight.size(1)}).second) {
    fail("UseWeightProduct", "the weight ", weight.shape(), " has a product; destroy that one first");
  }
  all.any = true;
}

UseWeightProduct::~UseWeightProduct() {
  AllUsed& all = all_used();
  const std::lock_guard lock(all.mutex);
  all.of.erase(weight_.impl().storage.get());
  all.any = !all.of.empty();
}

std::shared_ptr<const WeightProduct> weight_product(const Tensor& weight) {
  AllUsed& all = all_used();
  if (!all.any.load(std::memory_order_acquire)) return nullptr;
  const TensorImpl& impl = weight.impl();
  const std::lock_guard lock(all.mutex);
  const auto found = all.of.find(impl.storage.get());
  if (found == all.of.end() || found->second.version != impl.storage->version) return nullptr;
  const std::int64_t columns = found->second.columns;  // a reshaped weight can have another number of columns
  const bool is_rows = columns > 0 && weight.size(1) == columns && impl.offset % columns == 0;
  return is_rows ? found->second.product : nullptr;
}

}  // namespace gradus
