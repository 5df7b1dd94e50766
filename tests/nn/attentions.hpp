#pragma once

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/multi_head_attention.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include <memory>

#include "nn/helpers.hpp"

/// A kind of attention, for values of size `value_size`. Some kinds need queries of the same size.
struct AttentionKind {
  static constexpr std::int64_t value_size = 4;

  const char* name;
  std::int64_t query_size;
  std::unique_ptr<gradus::nn::Attention> (*make)(double dropout);
};

/// The last kind, multi-head attention, computes its context from projected values. Add other kinds before
/// it, because attention.cpp compares the context of all kinds but the last with the sum of the values.
inline const AttentionKind attention_kinds[] = {
    {"additive", 3,
     [](double dropout) -> std::unique_ptr<gradus::nn::Attention> {
       return std::make_unique<gradus::nn::AdditiveAttention>(3, 4, 7, dropout);
     }},
    {"dot", 4,
     [](double dropout) -> std::unique_ptr<gradus::nn::Attention> {
       return std::make_unique<gradus::nn::DotProductAttention>(dropout);
     }},
    {"scaled dot", 4,
     [](double dropout) -> std::unique_ptr<gradus::nn::Attention> {
       return std::make_unique<gradus::nn::ScaledDotProductAttention>(dropout);
     }},
    {"shared additive", 2,
     [](double dropout) -> std::unique_ptr<gradus::nn::Attention> {
       return std::make_unique<gradus::nn::SharedAdditiveAttention>(2, 4, 7, dropout);
     }},
    {"multi-head", 4, [](double dropout) -> std::unique_ptr<gradus::nn::Attention> {
       return std::make_unique<gradus::nn::MultiHeadAttention>(
           4, 2, gradus::nn::MultiHeadOptions{.dropout = dropout});
     }}};
