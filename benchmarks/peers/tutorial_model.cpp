#include <vector>

#include "parts.hpp"

namespace peers {
namespace {

namespace nn = torch::nn;

struct Encoder : nn::Module {
  Encoder(int64_t V, int64_t E, int64_t H)
      : embedding(register_module("embedding", nn::Embedding(V, E))),
        rnn(register_module("rnn", nn::GRU(nn::GRUOptions(E, H).bidirectional(true)))) {}
  nn::Embedding embedding;
  nn::GRU rnn;
};

struct Decoder : nn::Module {
  Decoder(int64_t V, int64_t E, int64_t H, int64_t A)
      : embedding(register_module("embedding", nn::Embedding(V, E))),
        attention(register_module("attention", std::make_shared<Attention>(H, 2 * H, A))),
        W_s(register_module("W_s", nn::Linear(nn::LinearOptions(H, H).bias(false)))),
        rnn(register_module("rnn", nn::GRU(E + 2 * H, H))),
        readout(register_module("readout", nn::Linear(H + 2 * H + E, V))) {}
  nn::Embedding embedding;
  std::shared_ptr<Attention> attention;
  nn::Linear W_s;
  nn::GRU rnn;  // called step by step
  nn::Linear readout;
};

class TutorialModel : public Model {
 public:
  explicit TutorialModel(const bench::Config& c)
      : encoder_(register_module("encoder", std::make_shared<Encoder>(c.V, c.E, c.H))),
        decoder_(register_module("decoder", std::make_shared<Decoder>(c.V, c.E, c.H, c.A))) {}

  Tensor loss(const Batch& batch) override {
    const auto [memory, s_0] = encode(batch.source, batch.lengths);
    const Tensor ys = decoder_->embedding(batch.target_in);  // (Ty, B, E)
    const Cell cell(decoder_->rnn, 0);
    // One product computes the embeddings' part of the cell's input for all steps. torch::gru_cell on [y; c]
    // would repeat that product, and copy y and c, in each step.
    const auto y_parts = torch::linear(ys, cell.weight_ih.slice(1, 0, ys.size(2)), cell.bias_ih).unbind(0);
    const Tensor W_c = cell.weight_ih.slice(1, ys.size(2)).t();
    Tensor s = s_0;
    std::vector<Tensor> states, contexts;
    for (const Tensor& y_part : y_parts) {
      const Tensor c = context(decoder_->attention->weights(s, memory), memory);
      s = updated(torch::addmm(y_part, c, W_c), torch::addmm(cell.bias_hh, s, cell.weight_hh.t()), s);
      states.push_back(s);
      contexts.push_back(c);
    }
    const Tensor read = torch::cat({torch::stack(states), torch::stack(contexts), ys}, 2).flatten(0, 1);
    const Tensor real = real_rows(batch.target_out);
    return nn::functional::cross_entropy(decoder_->readout(read.index_select(0, real)),
                                         batch.target_out.flatten().index_select(0, real));
  }

  std::pair<Tensor, Tensor> greedy(const Tensor& source, const Tensor& lengths, int64_t steps) override {
    const auto [memory, s_0] = encode(source, lengths);
    const Cell cell(decoder_->rnn, 0);
    Tensor s = s_0;
    return write_greedily(source.size(1), steps, [&, &memory = memory](const Tensor& token) {
      const Tensor y = decoder_->embedding(token);
      const Tensor alpha = decoder_->attention->weights(s, memory), c = context(alpha, memory);
      s = torch::gru_cell(torch::cat({y, c}, 1), s, cell.weight_ih, cell.weight_hh, cell.bias_ih,
                          cell.bias_hh);
      return std::pair(decoder_->readout(torch::cat({s, c, y}, 1)), alpha);
    });
  }

 private:
  // The decoder's memory and s_0 (B, H).
  std::pair<Memory, Tensor> encode(const Tensor& source, const Tensor& lengths) {
    const auto packed = nn::utils::rnn::pack_padded_sequence(encoder_->embedding(source), lengths, false,
                                                             /*enforce_sorted=*/false);
    const auto [output, h_n] = encoder_->rnn->forward_with_packed_input(packed);
    const Tensor annotations = std::get<0>(nn::utils::rnn::pad_packed_sequence(output));
    return {decoder_->attention->prepare(annotations, lengths), torch::tanh(decoder_->W_s(h_n[1]))};
  }

  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}  // namespace

std::unique_ptr<Model> make_tutorial(const bench::Config& config) {
  return std::make_unique<TutorialModel>(config);
}

}  // namespace peers
