#include <tuple>
#include <vector>

#include "parts.hpp"

namespace peers {
namespace {

namespace nn = torch::nn;

// The paper's GRU, which applies the reset gate before the product (GRUForm::original in gradus). libtorch
// has no kernel for this GRU. Adds both b_ih and b_hh to W_ih x.
class OriginalCell {
 public:
  OriginalCell(const nn::GRU& rnn, int64_t direction) : cell_(rnn, direction), H_(cell_.weight_hh.size(1)) {
    const auto parts = cell_.weight_hh.split({2 * H_, H_});
    W_rz_ = parts[0].t();
    W_n_ = parts[1].t();
    bias_ = cell_.bias_ih + cell_.bias_hh;
  }

  /// The part of the pre-activations that depends on x, and the biases, for all rows of x in one product:
  /// x · (columns 0 … x.size(-1) − 1 of weight_ih)ᵀ + biases.
  Tensor input_side(const Tensor& x) const {
    return torch::linear(x, cell_.weight_ih.slice(1, 0, x.size(-1)), bias_);
  }
  /// The columns of weight_ih from `inputs` on, transposed. Each step multiplies its inputs other than x by
  /// these columns.
  Tensor rest(int64_t inputs) const { return cell_.weight_ih.slice(1, inputs).t(); }

  /// The next state, from h (B, H) and the input's part x_part (B, 3H).
  Tensor updated(const Tensor& x_part, const Tensor& h) const {
    const auto x = x_part.split({2 * H_, H_}, 1);
    const auto rz = torch::addmm(x[0], h, W_rz_).sigmoid_().chunk(2, 1);
    const Tensor n = torch::addmm(x[1], rz[0] * h, W_n_).tanh_();
    return n + rz[1] * (h - n);
  }

  /// The states (S, H) of packed rows (S, E). Step t has sizes[t] rows; S is the sum of `sizes`.
  Tensor forward(const Tensor& rows, const std::vector<int64_t>& sizes) const {
    Tensor h = rows.new_zeros({sizes.front(), H_});
    std::vector<Tensor> states;
    for (const Tensor& step : input_side(rows).split_with_sizes(sizes)) {
      h = states.emplace_back(updated(step, h.slice(0, 0, step.size(0))));
    }
    return torch::cat(states);
  }
  /// Like forward(), but reads each sequence from its end. Also returns the states at the first token, (B,
  /// H), in the order of the packed sequences.
  std::pair<Tensor, Tensor> backward(const Tensor& rows, const std::vector<int64_t>& sizes) const {
    const auto steps = input_side(rows).split_with_sizes(sizes);
    Tensor h = rows.new_zeros({sizes.back(), H_});
    std::vector<Tensor> states(steps.size());
    for (std::size_t t = steps.size(); t-- > 0;) {
      const int64_t beginning = steps[t].size(0) - h.size(0);
      if (beginning > 0) h = torch::cat({h, rows.new_zeros({beginning, H_})});
      h = states[t] = updated(steps[t], h);
    }
    return {torch::cat(states), h};
  }

 private:
  Cell cell_;
  int64_t H_;
  Tensor W_rz_, W_n_, bias_;
};

struct Encoder : nn::Module {
  Encoder(int64_t V, int64_t E, int64_t H)
      : embedding(register_module("embedding", nn::Embedding(V, E))),
        rnn(register_module("rnn", nn::GRU(nn::GRUOptions(E, H).bidirectional(true)))) {}
  nn::Embedding embedding;
  nn::GRU rnn;  // holds the parameters of both directions
};

// logits = W_o m + b_o, where m takes the maximum of each pair of elements of W x + b.
struct Readout : nn::Module {
  Readout(int64_t inputs, int64_t maxout, int64_t V)
      : hidden(register_module("hidden", nn::Linear(inputs, 2 * maxout))),
        weight(register_parameter("weight", torch::empty({V, maxout}))),
        bias(register_parameter("bias", torch::empty({V}))) {}
  Tensor forward(const Tensor& x) {
    const Tensor pairs = hidden(x).unflatten(1, {-1, 2});
    return torch::linear(std::get<0>(pairs.max(2)), weight, bias);  // faster than amax and max_pool1d
  }
  nn::Linear hidden;
  Tensor weight, bias;
};

struct Decoder : nn::Module {
  explicit Decoder(const bench::Config& c)
      : embedding(register_module("embedding", nn::Embedding(c.V, c.E))),
        attention(register_module("attention", std::make_shared<Attention>(c.H, 2 * c.H, c.A))),
        W_s(register_module("W_s", nn::Linear(nn::LinearOptions(c.H, c.H).bias(false)))),
        rnn(register_module("rnn", nn::GRU(c.E + 2 * c.H, c.H))),
        readout(register_module("readout", std::make_shared<Readout>(3 * c.H + c.E, c.maxout, c.V))) {}
  nn::Embedding embedding;
  std::shared_ptr<Attention> attention;
  nn::Linear W_s;
  nn::GRU rnn;  // holds the parameters
  std::shared_ptr<Readout> readout;
};

class BahdanauModel : public Model {
 public:
  explicit BahdanauModel(const bench::Config& c)
      : encoder_(register_module("encoder", std::make_shared<Encoder>(c.V, c.E, c.H))),
        decoder_(register_module("decoder", std::make_shared<Decoder>(c))) {}

  // The logits of step t are computed from the previous state s_{t−1}.
  Tensor loss(const Batch& batch) override {
    const auto [memory, s_0] = encode(batch.source, batch.lengths);
    const Tensor ys = decoder_->embedding(batch.target_in);  // (Ty, B, E)
    const OriginalCell cell(decoder_->rnn, 0);
    const auto y_parts = cell.input_side(ys).unbind(0);
    const Tensor W_c = cell.rest(ys.size(2));
    Tensor s = s_0;
    std::vector<Tensor> states, contexts;
    for (std::size_t t = 0; t < y_parts.size(); ++t) {
      const Tensor c = context(decoder_->attention->weights(s, memory), memory);
      states.push_back(s);
      contexts.push_back(c);
      if (t + 1 < y_parts.size()) s = cell.updated(torch::addmm(y_parts[t], c, W_c), s);
    }
    const Tensor read = torch::cat({torch::stack(states), torch::stack(contexts), ys}, 2).flatten(0, 1);
    const Tensor real = real_rows(batch.target_out);
    return nn::functional::cross_entropy(decoder_->readout->forward(read.index_select(0, real)),
                                         batch.target_out.flatten().index_select(0, real));
  }

  std::pair<Tensor, Tensor> greedy(const Tensor& source, const Tensor& lengths, int64_t steps) override {
    const auto [memory, s_0] = encode(source, lengths);
    const OriginalCell cell(decoder_->rnn, 0);
    const Tensor W_c = cell.rest(decoder_->embedding->options.embedding_dim());
    Tensor s = s_0;
    return write_greedily(source.size(1), steps, [&, &memory = memory](const Tensor& token) {
      const Tensor y = decoder_->embedding(token);
      const Tensor alpha = decoder_->attention->weights(s, memory), c = context(alpha, memory);
      const Tensor logits = decoder_->readout->forward(torch::cat({s, c, y}, 1));
      s = cell.updated(torch::addmm(cell.input_side(y), c, W_c), s);
      return std::pair(logits, alpha);
    });
  }

 private:
  // The decoder's memory, and s_0 (B, H). Both encoder directions run over packed rows, so they skip padding.
  std::pair<Memory, Tensor> encode(const Tensor& source, const Tensor& lengths) {
    namespace rnn = nn::utils::rnn;
    const auto packed = rnn::pack_padded_sequence(encoder_->embedding(source), lengths, false,
                                                  /*enforce_sorted=*/false);
    const Tensor counts = packed.batch_sizes();
    const std::vector<int64_t> sizes(counts.data_ptr<int64_t>(), counts.data_ptr<int64_t>() + counts.numel());
    const Tensor to_right = OriginalCell(encoder_->rnn, 0).forward(packed.data(), sizes);
    const auto [to_left, first] = OriginalCell(encoder_->rnn, 1).backward(packed.data(), sizes);
    const rnn::PackedSequence states(torch::cat({to_right, to_left}, 1), counts, packed.sorted_indices(),
                                     packed.unsorted_indices());
    const Tensor annotations = std::get<0>(rnn::pad_packed_sequence(states));
    const Tensor first_backward = first.index_select(0, packed.unsorted_indices());
    return {decoder_->attention->prepare(annotations, lengths), torch::tanh(decoder_->W_s(first_backward))};
  }

  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}  // namespace

std::unique_ptr<Model> make_bahdanau(const bench::Config& config) {
  return std::make_unique<BahdanauModel>(config);
}

}  // namespace peers
