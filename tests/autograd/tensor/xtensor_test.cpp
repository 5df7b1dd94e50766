// Conversions from and to xtensor. g++ 12 with -std=c++20 needs the workaround in
// gradus/autograd/xtensor.hpp. If the workaround is disabled (GRADUS_NO_XTENSOR_WORKAROUND), the tests tagged
// [workaround] give wrong values or do not compile.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/xtensor.hpp>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xstrided_view.hpp>

#include <numeric>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::as_mutable_xarray;
using gradus::as_xarray;
using gradus::Dtype;
using gradus::from_xtensor;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

using Array = xt::xarray<double>;

TEST_CASE("xt::eval of an expression keeps its rank", "[autograd][xtensor][workaround]") {
  const Array a = {{1, 2, 3}, {4, 5, 6}};
  const auto sum = xt::eval(a + a);
  REQUIRE(sum.dimension() == 2);
  CHECK(sum.shape()[0] == 2);
  CHECK(sum.shape()[1] == 3);
  CHECK(sum(1, 2) == 12);
}

TEST_CASE("an immediate reduction keeps its rank", "[autograd][xtensor][workaround]") {
  const Array a = {{1, 2, 3}, {4, 5, 6}};
  const auto sum = xt::sum(a, {1}, xt::evaluation_strategy::immediate);
  REQUIRE(sum.dimension() == 1);
  CHECK(sum(0) == 6);
  CHECK(sum(1) == 15);
}

TEST_CASE("a strided view can be assigned to", "[autograd][xtensor][workaround]") {
  Array a = {{1, 2, 3}, {4, 5, 6}};
  xt::strided_view(a, {xt::all(), 1}) = xt::strided_view(a, {xt::all(), 0}) * 10.0;
  CHECK(std::vector<double>(a.begin(), a.end()) == std::vector<double>{1, 10, 3, 4, 40, 6});
}

TEST_CASE("tiling and padding keep the values", "[autograd][xtensor][workaround]") {
  const Array a = {{1, 2}, {3, 4}};
  const Array tiled = xt::tile(a, {1, 2});
  CHECK(std::vector<double>(tiled.begin(), tiled.end()) == std::vector<double>{1, 2, 1, 2, 3, 4, 3, 4});
  const Array padded = xt::pad(a, {{0, 0}, {1, 0}});
  CHECK(std::vector<double>(padded.begin(), padded.end()) == std::vector<double>{0, 1, 2, 0, 3, 4});
}

TEST_CASE("as_xarray() returns an xtensor expression that shares the tensor's values",
          "[autograd][xtensor]") {
  Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto view = as_xarray<float>(x);
  REQUIRE(view.dimension() == 2);
  CHECK(view.shape()[1] == 3);
  CHECK(view(1, 0) == 4);
  CHECK(view.data() == x.values<float>().data());
  x.mutable_values<float>()[3] = 40;
  CHECK(view(1, 0) == 40);

  const Tensor ids = gradus::arange(3);
  CHECK(as_xarray<float>(x[1])(2) == 6);  // a view of a view
  CHECK(as_xarray<std::int64_t>(ids)(2) == 2);
  CHECK_ERROR(as_xarray<double>(x),
              "values: the tensor (2, 3) is f32, not f64; convert it with .to(Dtype::f64)");
}

TEST_CASE("writing through a mutable view changes the tensor and counts as an in-place change",
          "[autograd][xtensor]") {
  const Tensor x = leaf(tensor({1, 2, 3})), w = tensor({4, 5, 6});
  const Tensor y = sum(x * w);
  auto view = as_mutable_xarray<float>(w);
  view(1) = 50;
  view *= 2.0F;
  CHECK(w.to_vector<float>() == std::vector<float>{8, 100, 12});
  CHECK_ERROR(y.backward(),
              "backward: 'mul' (3) needs a value (3) that 'as_mutable_xarray' has changed since; change a "
              "clone(), or "
              "change it after backward()");
}

TEST_CASE("from_xtensor() makes a row-major tensor of the expression's dtype", "[autograd][xtensor]") {
  const Array a = {{1, 2, 3}, {4, 5, 6}};
  const Tensor sum = from_xtensor(a + 0.5);
  CHECK(sum.dtype() == Dtype::f64);
  CHECK(sum.shape() == Shape{2, 3});
  CHECK(sum.to_vector<double>() == std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5, 6.5});

  CHECK(from_xtensor(xt::transpose(a)).shape() == Shape{3, 2});
  CHECK(from_xtensor(xt::transpose(a)).to_vector<double>() == std::vector<double>{1, 4, 2, 5, 3, 6});
  const xt::xarray<float, xt::layout_type::column_major> by_column = {{1, 2}, {3, 4}};
  CHECK(from_xtensor(by_column).to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  CHECK(from_xtensor(xt::arange<std::int64_t>(3)).dtype() == Dtype::i64);
}

TEST_CASE("a temporary row-major array is moved, not copied", "[autograd][xtensor]") {
  Array a = {{1, 2, 3}, {4, 5, 6}};
  xt::xtensor<std::int64_t, 1> ids = {7, 8};
  const double* const values = a.data();
  const std::int64_t* const id_values = ids.data();
  Tensor x = from_xtensor(std::move(a));
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.values<double>().data() == values);
  CHECK(as_xarray<double>(x).data() == values);  // still the same buffer
  const Tensor y = from_xtensor(std::move(ids));
  CHECK(y.shape() == Shape{2});
  CHECK(y.values<std::int64_t>().data() == id_values);

  x.mutable_values<double>()[5] = 60;
  const Tensor row = x[1];
  x = Tensor();  // `row` keeps the memory alive
  CHECK(row.to_vector<double>() == std::vector<double>{4, 5, 60});
}

TEST_CASE("an array that is still needed, or not row-major, is copied", "[autograd][xtensor]") {
  const Array kept = {1, 2};
  CHECK(from_xtensor(kept).values<double>().data() != kept.data());
  Array lent = {1, 2};
  CHECK(from_xtensor(xt::adapt(lent.data(), 2, xt::no_ownership(), std::vector<std::size_t>{2}))
            .values<double>()
            .data() != lent.data());
  xt::xarray<float, xt::layout_type::column_major> by_column = {{1, 2}, {3, 4}};
  CHECK(from_xtensor(std::move(by_column)).to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  xt::xarray<float, xt::layout_type::dynamic> any({2, 2}, xt::layout_type::column_major);
  std::iota(any.data(), any.data() + 4, 1.0F);
  CHECK(from_xtensor(std::move(any)).to_vector<float>() == std::vector<float>{1, 3, 2, 4});
}

TEST_CASE("the memory of a moved array counts as live, never as pooled", "[autograd][xtensor]") {
  const auto before = gradus::memory_stats();
  Tensor x = from_xtensor(Array::from_shape({1000}));
  CHECK(gradus::memory_stats().live_bytes == before.live_bytes + 8000);
  CHECK(gradus::memory_stats().live_buffers == before.live_buffers + 1);
  CHECK(gradus::memory_stats().peak_bytes >= before.live_bytes + 8000);
  CHECK(gradus::memory_stats().buffers_allocated == before.buffers_allocated);
  x = Tensor();
  CHECK(gradus::memory_stats().live_bytes == before.live_bytes);
  CHECK(gradus::memory_stats().live_buffers == before.live_buffers);
  CHECK(gradus::memory_stats().pooled_bytes == before.pooled_bytes);
}

TEST_CASE("scalars and empty arrays convert in both directions", "[autograd][xtensor]") {
  const Tensor number = gradus::full({}, 2.5), nothing = gradus::zeros({0, 3});
  const auto scalar = as_xarray<float>(number);
  CHECK(scalar.dimension() == 0);
  CHECK(scalar() == 2.5F);
  CHECK(from_xtensor(Array(3.0)).shape() == Shape());
  CHECK(from_xtensor(Array(3.0)).item() == 3);

  const auto empty = as_xarray<float>(nothing);
  CHECK(empty.size() == 0);
  CHECK(empty.shape()[1] == 3);
  CHECK(from_xtensor(Array::from_shape({3, 0})).shape() == Shape{3, 0});
}

TEST_CASE("a tensor converted to xtensor and back is unchanged", "[autograd][xtensor]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(from_xtensor(as_xarray<float>(x)).to_vector<float>() == x.to_vector<float>());
  CHECK(from_xtensor(as_xarray<float>(x)).shape() == x.shape());
}
