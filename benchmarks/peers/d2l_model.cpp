#include <vector>

#include "parts.hpp"

namespace peers {
namespace {

namespace nn = torch::nn;

struct Encoder : nn::Module {
  explicit Encoder(const bench::Config& c)
      : embedding(register_module("embedding", nn::Embedding(c.V, c.E))),
        rnn(register_module("rnn",
                            nn::GRU(nn::GRUOptions(c.E, c.H).num_layers(c.layers).dropout(c.dropout)))) {}
  nn::Embedding embedding;
  nn::GRU rnn;
};

struct Decoder : nn::Module {
  explicit Decoder(const bench::Config& c)
      : embedding(register_module("embedding", nn::Embedding(c.V, c.E))),
        attention(register_module("attention", std::make_shared<Attention>(c.H, c.H, c.A))),
        rnn(register_module("rnn", nn::GRU(nn::GRUOptions(c.E + c.H, c.H).num_layers(c.layers)))),
        readout(register_module("readout", nn::Linear(c.H, c.V))) {}
  nn::Embedding embedding;
  std::shared_ptr<Attention> attention;
  nn::GRU rnn;  // called step by step
  nn::Linear readout;
};

// The query is the top layer's state before the step. The logits are computed only from the top layer's state
// after the step. Dropout acts on the embeddings, between layers, on the attention weights and before the
// output layer. The decoder draws each kind of mask for all steps at once.
class D2lModel : public Model {
 public:
  explicit D2lModel(const bench::Config& config)
      : dropout_(config.dropout),
        encoder_(register_module("encoder", std::make_shared<Encoder>(config))),
        decoder_(register_module("decoder", std::make_shared<Decoder>(config))) {}

  Tensor loss(const Batch& batch) override {
    auto [memory, states] = encode(batch.source, batch.lengths);
    const Tensor ys = dropped(decoder_->embedding(batch.target_in), dropout());  // (Ty, B, E)
    const std::vector<Cell> cells = decoder_cells();
    const auto y_parts = y_side(cells[0], ys).unbind(0);
    const Tensor W_c = context_side(cells[0], ys.size(2));
    const int64_t Ty = ys.size(0), B = ys.size(1), H = states[0].size(1);
    const std::vector<Tensor> of_weights = masks({Ty, batch.source.size(0), B});
    std::vector<std::vector<Tensor>> between(cells.size());  // between[l]: masks on the input of layer l
    for (std::size_t layer = 1; layer < cells.size(); ++layer) between[layer] = masks({Ty, B, H});
    std::vector<Tensor> tops;
    for (std::size_t t = 0; t < y_parts.size(); ++t) {
      const Tensor alpha = decoder_->attention->weights(states.back(), memory);
      const Tensor c = context(masked(alpha, of_weights, t), memory);
      states[0] = lowest(cells[0], y_parts[t], W_c, c, states[0]);
      for (std::size_t layer = 1; layer < cells.size(); ++layer) {
        states[layer] = upper(cells[layer], masked(states[layer - 1], between[layer], t), states[layer]);
      }
      tops.push_back(states.back());
    }
    const Tensor real = real_rows(batch.target_out);
    const Tensor read = dropped(torch::stack(tops).flatten(0, 1).index_select(0, real), dropout());
    return nn::functional::cross_entropy(decoder_->readout(read),
                                         batch.target_out.flatten().index_select(0, real));
  }

  std::pair<Tensor, Tensor> greedy(const Tensor& source, const Tensor& lengths, int64_t steps) override {
    auto [memory, states] = encode(source, lengths);
    const std::vector<Cell> cells = decoder_cells();
    const Tensor W_c = context_side(cells[0], decoder_->embedding->options.embedding_dim());
    return write_greedily(
        source.size(1), steps, [&, &memory = memory, &states = states](const Tensor& token) {
          const Tensor y = decoder_->embedding(token);
          const Tensor alpha = decoder_->attention->weights(states.back(), memory);
          states[0] = lowest(cells[0], y_side(cells[0], y), W_c, context(alpha, memory), states[0]);
          for (std::size_t layer = 1; layer < cells.size(); ++layer) {
            states[layer] = upper(cells[layer], states[layer - 1], states[layer]);
          }
          return std::pair(decoder_->readout(states.back()), alpha);
        });
  }

 private:
  double dropout() const { return is_training() ? dropout_ : 0; }

  // The decoder's memory, and its initial states: the encoder's last states, (B, H) per layer.
  std::pair<Memory, std::vector<Tensor>> encode(const Tensor& source, const Tensor& lengths) {
    const auto packed = nn::utils::rnn::pack_padded_sequence(dropped(encoder_->embedding(source), dropout()),
                                                             lengths, false, /*enforce_sorted=*/false);
    const auto [output, h_n] = encoder_->rnn->forward_with_packed_input(packed);
    const Tensor annotations = std::get<0>(nn::utils::rnn::pad_packed_sequence(output));
    return {decoder_->attention->prepare(annotations, lengths), h_n.unbind(0)};
  }

  std::vector<Cell> decoder_cells() const {
    std::vector<Cell> cells;
    for (int64_t layer = 0; layer < decoder_->rnn->options.num_layers(); ++layer) {
      cells.emplace_back(decoder_->rnn, layer);
    }
    return cells;
  }

  // For all steps, the part of the lowest layer's gate arguments that comes from the embeddings y:
  // y · (the columns of weight_ih that belong to y)ᵀ + bias_ih.
  static Tensor y_side(const Cell& cell, const Tensor& y) {
    return torch::linear(y, cell.weight_ih.slice(1, 0, y.size(-1)), cell.bias_ih);
  }
  // The columns of the lowest layer's weight_ih that belong to the context, transposed.
  static Tensor context_side(const Cell& cell, int64_t embedding) {
    return cell.weight_ih.slice(1, embedding).t();
  }
  static Tensor lowest(const Cell& cell, const Tensor& y_part, const Tensor& W_c, const Tensor& c,
                       const Tensor& s) {
    return updated(torch::addmm(y_part, c, W_c), torch::addmm(cell.bias_hh, s, cell.weight_hh.t()), s);
  }
  static Tensor upper(const Cell& cell, const Tensor& below, const Tensor& s) {
    return updated(torch::addmm(cell.bias_ih, below, cell.weight_ih.t()),
                   torch::addmm(cell.bias_hh, s, cell.weight_hh.t()), s);
  }

  // Dropout masks, one per step. Empty if there is no dropout.
  std::vector<Tensor> masks(torch::IntArrayRef shape) const {
    if (dropout() == 0) return {};
    return dropout_mask(shape, dropout()).unbind(0);
  }
  static Tensor masked(const Tensor& x, const std::vector<Tensor>& masks, std::size_t t) {
    return masks.empty() ? x : x * masks[t];
  }

  double dropout_;
  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}  // namespace

std::unique_ptr<Model> make_d2l(const bench::Config& config) { return std::make_unique<D2lModel>(config); }

}  // namespace peers
