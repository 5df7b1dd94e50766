// peer_libtorch: the same model, batches and first weights as bench_bahdanau, in libtorch.
//
// Of the ways to write each part that were tried, the fastest on CPU stands here.

#include <algorithm>
#include <limits>
#include <torch/torch.h>

#include "program.hpp"

namespace {

namespace nn = torch::nn;
using gradus::data::Batch;
using torch::Tensor;

struct Encoder : nn::Module {
  Encoder(int64_t V, int64_t E, int64_t H)
      : embedding(register_module("embedding", nn::Embedding(V, E))),
        rnn(register_module("rnn", nn::GRU(nn::GRUOptions(E, H).bidirectional(true)))) {}
  nn::Embedding embedding;
  nn::GRU rnn;
};

struct Attention : nn::Module {
  Attention(int64_t H, int64_t A)
      : W_a(register_module("W_a", nn::Linear(nn::LinearOptions(H, A).bias(false)))),
        U_a(register_module("U_a", nn::Linear(nn::LinearOptions(2 * H, A).bias(false)))),
        v_a(register_parameter("v_a", torch::empty({A}))) {}
  nn::Linear W_a, U_a;
  Tensor v_a;
};

struct Cell {
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

struct Decoder : nn::Module {
  Decoder(int64_t V, int64_t E, int64_t H, int64_t A)
      : embedding(register_module("embedding", nn::Embedding(V, E))),
        attention(register_module("attention", std::make_shared<Attention>(H, A))),
        W_s(register_module("W_s", nn::Linear(nn::LinearOptions(H, H).bias(false)))),
        rnn(register_module("rnn", nn::GRU(E + 2 * H, H))),
        readout(register_module("readout", nn::Linear(H + 2 * H + E, V))) {}
  // The parameters have the names of a GRU of one layer; it is run step by step.
  Cell cell() const {
    const std::vector<Tensor> all = rnn->all_weights();
    return {all[0], all[1], all[2], all[3]};
  }

  nn::Embedding embedding;
  std::shared_ptr<Attention> attention;
  nn::Linear W_s;
  nn::GRU rnn;
  nn::Linear readout;
};

// What the decoder looks back at.
struct Memory {
  Tensor s_0;          // (B, H)
  Tensor annotations;  // (Tx, B, 2H)
  Tensor keys;         // (Tx, B, A)
  Tensor padding;      // (Tx, B): true beyond a source's end
};

struct Model : nn::Module {
  explicit Model(const bench::Config& c)
      : encoder(register_module("encoder", std::make_shared<Encoder>(c.V, c.E, c.H))),
        decoder(register_module("decoder", std::make_shared<Decoder>(c.V, c.E, c.H, c.A))) {}

  Memory encode(const Tensor& source, const Tensor& lengths) {
    const auto packed = nn::utils::rnn::pack_padded_sequence(encoder->embedding(source), lengths, false,
                                                             /*enforce_sorted=*/false);
    const auto [output, h_n] = encoder->rnn->forward_with_packed_input(packed);
    const Tensor annotations = std::get<0>(nn::utils::rnn::pad_packed_sequence(output));
    return {.s_0 = torch::tanh(decoder->W_s(h_n[1])),
            .annotations = annotations,
            .keys = decoder->attention->U_a(annotations),
            .padding = torch::arange(source.size(0)).unsqueeze(1) >= lengths};
  }

  // The context (B, 2H) and the weights (Tx, B). A product and a sum: bmm is slower on CPU.
  std::pair<Tensor, Tensor> attend(const Tensor& s, const Memory& memory) {
    auto& attention = *decoder->attention;
    const Tensor e = torch::matmul(torch::tanh(memory.keys + attention.W_a(s)), attention.v_a);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Tensor alpha = torch::softmax(e.masked_fill(memory.padding, -infinity), 0);
    return {(alpha.unsqueeze(2) * memory.annotations).sum(0), alpha};
  }

  // One step of the cell, the input side of whose embedding y_part (B, 3H) has been computed for all steps at
  // once. Faster than torch::gru_cell on [y; c] by that product and the copy.
  Tensor advance(const Tensor& y_part, const Tensor& W_c, const Tensor& c, const Tensor& s) {
    const Cell cell = decoder->cell();
    const auto x = torch::addmm(y_part, c, W_c).chunk(3, 1);
    const auto h = torch::addmm(cell.bias_hh, s, cell.weight_hh.t()).chunk(3, 1);
    const Tensor r = torch::sigmoid(x[0] + h[0]), z = torch::sigmoid(x[1] + h[1]);
    const Tensor n = torch::tanh(x[2] + r * h[2]);
    return n + z * (s - n);
  }

  // The output layer runs once, on real tokens only.
  Tensor loss(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
              const Tensor& target_out) {
    const Memory memory = encode(source, lengths);
    const Tensor ys = decoder->embedding(target_in);  // (Ty, B, E)
    const Cell cell = decoder->cell();
    const auto y_parts = torch::linear(ys, cell.weight_ih.slice(1, 0, ys.size(2)), cell.bias_ih).unbind(0);
    const Tensor W_c = cell.weight_ih.slice(1, ys.size(2)).t();
    Tensor s = memory.s_0;
    std::vector<Tensor> states, contexts;
    for (const Tensor& y_part : y_parts) {
      const Tensor c = attend(s, memory).first;
      s = advance(y_part, W_c, c, s);
      states.push_back(s);
      contexts.push_back(c);
    }
    const Tensor read = torch::cat({torch::stack(states), torch::stack(contexts), ys}, 2).flatten(0, 1);
    const Tensor targets = target_out.flatten();
    const Tensor real = (targets != gradus::data::pad).nonzero().squeeze(1);
    return nn::functional::cross_entropy(decoder->readout(read.index_select(0, real)),
                                         targets.index_select(0, real));
  }

  // The tokens (steps, B) and the weights (steps, Tx, B).
  std::pair<Tensor, Tensor> greedy(const Tensor& source, const Tensor& lengths, int64_t steps) {
    const Memory memory = encode(source, lengths);
    const Cell cell = decoder->cell();
    Tensor s = memory.s_0, token = torch::full({source.size(1)}, gradus::data::bos, torch::kLong);
    std::vector<Tensor> tokens, weights;
    for (int64_t t = 0; t < steps; ++t) {
      const Tensor y = decoder->embedding(token);
      const auto [c, alpha] = attend(s, memory);
      s = torch::gru_cell(torch::cat({y, c}, 1), s, cell.weight_ih, cell.weight_hh, cell.bias_ih,
                          cell.bias_hh);
      token = decoder->readout(torch::cat({s, c, y}, 1)).argmax(1);
      tokens.push_back(token);
      weights.push_back(alpha);
    }
    return {torch::stack(tokens), torch::stack(weights)};
  }

  std::shared_ptr<Encoder> encoder;
  std::shared_ptr<Decoder> decoder;
};

// A view, while `ids` lives.
Tensor view(const std::vector<int64_t>& ids, torch::IntArrayRef shape) {
  return torch::from_blob(const_cast<int64_t*>(ids.data()), shape, torch::kLong);
}

class Libtorch : public bench::Contender {
 public:
  explicit Libtorch(const bench::Options& options)
      : model_(options.config),
        parameters_(model_.parameters()),
        adam_(parameters_, torch::optim::AdamOptions(1e-3)) {
    torch::set_num_threads(options.threads);
    at::globalContext().setFlushDenormal(true);
    const torch::NoGradGuard no_grad;
    for (auto& parameter : model_.named_parameters()) {
      const std::span<float> values(parameter.value().data_ptr<float>(),
                                    static_cast<std::size_t>(parameter.value().numel()));
      bench::set_initial_weights(values, parameter.key(), options.seed);
      if (options.mode == bench::Mode::decode && parameter.key() == "decoder.readout.bias") {
        std::fill_n(values.begin(), gradus::data::first_symbol, bench::never);
      }
    }
  }

  double train(const Batch& batch) override {
    for (Tensor& parameter : parameters_) parameter.mutable_grad().reset();  // cheaper than zeros
    const Tensor loss = model_.loss(view(batch.source, {batch.source_steps, batch.size}),
                                    view(batch.source_lengths, {batch.size}),
                                    view(batch.target_in, {batch.target_steps, batch.size}),
                                    view(batch.target_out, {batch.target_steps, batch.size}));
    loss.backward();
    nn::utils::clip_grad_norm_(parameters_, 1.0);
    adam_.step();
    return loss.item<float>();
  }

  std::vector<std::vector<int64_t>> decode(const Batch& batch, int64_t steps) override {
    const c10::InferenceMode inference;
    const auto [tokens, weights] = model_.greedy(view(batch.source, {batch.source_steps, batch.size}),
                                                 view(batch.source_lengths, {batch.size}), steps);
    const Tensor rows = tokens.t().contiguous();  // (B, steps)
    std::vector<std::vector<int64_t>> sentences;
    for (int64_t b = 0; b < rows.size(0); ++b) {
      const int64_t* row = rows.data_ptr<int64_t>() + b * steps;
      sentences.emplace_back(row, row + steps);
    }
    return sentences;
  }

  int64_t parameter_count() const override {
    int64_t count = 0;
    for (const Tensor& parameter : parameters_) count += parameter.numel();
    return count;
  }

 private:
  Model model_;
  std::vector<Tensor> parameters_;
  torch::optim::Adam adam_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      argc, argv,
      {.name = "libtorch " TORCH_VERSION,
       .description = "The time of a step of the Bahdanau model in libtorch",
       .make = [](const bench::Options& options) { return std::make_unique<Libtorch>(options); }});
}
