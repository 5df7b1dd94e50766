#include "parts.hpp"

namespace museum {

namespace {

using namespace gradus;

#include "program.hpp"

}  // namespace

std::unique_ptr<Subject> around(const Sizes& sizes, std::unique_ptr<nn::DecoderStep> decoder) {
  return std::make_unique<Program>(sizes, std::move(decoder));
}

std::unique_ptr<Subject> around(const Sizes& sizes, std::unique_ptr<nn::Attention> attention) {
  return around(sizes, std::make_unique<Decoder>(sizes, std::move(attention)));
}

std::unique_ptr<Subject> right_program(const Sizes& sizes) {
  return around(sizes, std::make_unique<Attention>(sizes));
}

}  // namespace museum
