#include "int8/onednn_product.hpp"

namespace gradus::compress::onednn {

struct Int8Weight::Made {};

bool has_int8() { return false; }
Int8Weight::Int8Weight(std::int64_t n, std::int64_t k, const std::int8_t*, std::int64_t) : n_(n), k_(k) {}
Int8Weight::~Int8Weight() = default;
void Int8Weight::multiply(std::int64_t, const std::int8_t*, std::int32_t*) const {}

}  // namespace gradus::compress::onednn
