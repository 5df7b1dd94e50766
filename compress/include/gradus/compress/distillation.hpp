#pragma once

#include <gradus/models/loss.hpp>
#include <gradus/models/seq2seq.hpp>

#include <memory>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// The distance of a student's distribution p from a teacher's distribution q, both at temperature T: the KL
/// divergence times T²,
///
///     L = T² · mean over rows of KL(q ‖ p) = T²/N Σ_n Σ_k q_nk (ln q_nk − ln p_nk)
///     q = softmax(teacher / T),   p = softmax(student / T)
///
/// The logits have shape (N, V). The gradient with respect to `student` is T/N (p − q). A high T shows the
/// student how the teacher ranks unlikely tokens. Without the factor T², the gradient would be proportional
/// to 1/T² for large T: one factor 1/T comes from the softmax, and p − q is proportional to 1/T (Hinton et
/// al. 2015, "Distilling the knowledge in a neural network", section 2). With one row per target token, L is
/// the word-level distillation of Kim and Rush 2016, "Sequence-level knowledge distillation", section 3.1. No
/// gradient flows to the teacher.
/// @throws Error unless both tensors are (N, V) with N ≥ 1, and T is finite and above 0.
Tensor word_distillation(const Tensor& student, const Tensor& teacher, double temperature = 1);

/// The distance of a student's attention weights α from a teacher's attention weights a. Both are stacked
/// over the decoder steps, (T_y, B, T_x). Real steps are those within the target length of their sequence.
///
///     L = mean over the real steps of KL(a_t ‖ α_t),   KL(a ‖ α) = Σ_j a_j (ln a_j − ln α_j),   0 ln 0 = 0
///
/// The gradient with respect to α_tj is −a_tj / α_tj, divided by the number of real steps. A weight α_tj
/// below 10⁻⁹ counts as 10⁻⁹ and gets gradient 0. No gradient flows to the teacher.
/// @param target_lengths (B), i64; steps t ≥ target_lengths[b] have no effect. If undefined, all steps are
/// real
/// @throws Error unless both weights have the same shape (T_y, B, T_x), and every length is in [0, T_y].
Tensor attention_distillation(const Tensor& student, const Tensor& teacher, const Tensor& target_lengths);

struct DistillationOptions {
  double weight = 0.5;     ///< α in [0, 1]
  double temperature = 1;  ///< T > 0
  double attention = 0;    ///< λ ≥ 0; if λ > 0, both models need attention, and run step by step
};

/// The objective of a student that learns from data and from a teacher:
///
///     (1 − α) · loss + α · word_distillation + λ · attention_distillation
///
/// Teacher and student read the same source and the same true previous tokens.
/// @param teacher in eval mode
/// @throws Error for an option out of range, and if the teacher is null or in training mode. The objective
/// throws Error if the sizes of the target vocabularies differ. If λ > 0, it also throws if a model has no
/// attention weights, or if the shapes of the models' weights differ.
models::Objective distillation(std::shared_ptr<const models::Seq2Seq> teacher,
                               const DistillationOptions& options = {});

}  // namespace gradus::compress
#pragma GCC visibility pop
