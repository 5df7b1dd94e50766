// A translation model with attention (Bahdanau et al. 2015), written step by step. Each exhibit of the museum
// changes one line of this file (exhibits.py). The file is included inside a namespace, after parts.hpp.

// e_j = v_a · tanh(W_a s + U_a h_j), α = softmax(e) over the real positions, c = Σ_j α_j h_j.
class Attention : public nn::Attention {
 public:
  explicit Attention(const Sizes& n)
      : W_a(n.hidden, n.energy, false), U_a(n.annotation(), n.energy, false), v_a(n.energy, 1, false) {
    add_module("W_a", W_a);
    add_module("U_a", U_a);
    add_module("v_a", v_a);
  }

  nn::Memory prepare(const Tensor& h, const Tensor& lengths) const override {
    return {h, U_a.forward(h), lengths};  // keys (T, B, A), once per sentence
  }

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    const std::int64_t T = memory.values.size(0), B = s.size(0);
    const Tensor inner = tanh(W_a.forward(s) + memory.keys);                 // (T, B, A)
    const Tensor e = transpose(v_a.forward(inner).reshape({T, B}), 0, 1);    // (B, T)
    const Tensor lengths = memory.lengths;                                   // (B)
    const Tensor real = less(arange(T), unsqueeze(lengths, 1));              // (B, T): 1 at real positions
    const Tensor masked = where(real, e, full({}, -1e9, e.dtype()));         // (B, T)
    const Tensor alpha = softmax(masked, 1);                                 // (B, T)
    const Tensor h = transpose(memory.values, 0, 1);                         // (B, T, D)
    return {matmul(unsqueeze(alpha, 1), h).reshape({B, h.size(2)}), alpha};  // c (B, D)
  }

  nn::Linear W_a, U_a, v_a;
};

// s_0 = tanh(W_s ←h_1), s_t = GRU([E y_{t−1}; c_t], s_{t−1}), logits = W_o [s_t; c_t; E y_{t−1}].
class Decoder : public nn::DecoderStep {
 public:
  Decoder(const Sizes& n, std::unique_ptr<nn::Attention> given)
      : embedding(n.vocabulary, n.embedding),
        attention(std::move(given)),
        W_s(n.hidden, n.hidden),
        cell(n.embedding + n.annotation(), n.hidden),
        W_o(n.hidden + n.annotation() + n.embedding, n.vocabulary) {
    add_module("embedding", embedding);
    add_module("attention", *attention);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_o", W_o);
  }

  Start start(const nn::Annotations& annotations) const override {
    const Tensor s = tanh(W_s.forward(annotations.first_backward));  // s_0 (B, H)
    return {nn::State({{"s", s}}), attention->prepare(annotations.h, annotations.lengths)};
  }

  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override {
    const auto [c, alpha] = attention->attend(state["s"], memory, state.step(), Tensor());
    const Tensor y = embedding.forward(previous);                  // (B, E)
    const Tensor s = cell.forward(concat({y, c}, 1), state["s"]);  // s_t (B, H)
    const Tensor logits = W_o.forward(concat({s, c, y}, 1));       // (B, V)
    return {logits, nn::State({{"s", s}}, state.step() + 1), alpha};
  }

  nn::Embedding embedding;
  std::unique_ptr<nn::Attention> attention;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear W_o;
};

class Program : public Subject {
 public:
  Program(const Sizes& n, std::unique_ptr<nn::DecoderStep> decoder)
      : hidden_(n.hidden),
        embedding_(n.vocabulary, n.embedding),
        forward_(n.embedding, n.hidden),
        backward_(n.embedding, n.hidden),
        decoder_(std::move(decoder)) {
    add_module("embedding", embedding_);
    add_module("forward", forward_);
    add_module("backward", backward_);
    add_module("decoder", *decoder_);
  }

  const nn::DecoderStep& decoder() const override { return *decoder_; }

  // h_j = [→h_j; ←h_j] (T, B, D).
  nn::Annotations encode(const Tensor& source, const Tensor& lengths) const override {
    const std::int64_t T = source.size(0);
    const Tensor x = embedding_.forward(source);  // (T, B, E)
    std::vector<Tensor> ahead(static_cast<std::size_t>(T)), back = ahead;
    Tensor h = zeros({source.size(1), hidden_}, x.dtype()), g = h;  // (B, H)
    for (std::int64_t t = 0; t < T; ++t) {
      ahead[static_cast<std::size_t>(t)] = h = read(forward_, x[t], h, t, lengths);
      const std::int64_t u = T - 1 - t;
      back[static_cast<std::size_t>(u)] = g = read(backward_, x[u], g, u, lengths);
    }
    return {.h = concat({stack(ahead), stack(back)}, 2),
            .lengths = lengths,
            .last_forward = h,
            .first_backward = back.front()};  // ←h_1: the backward direction ends at the first token
  }

  Tensor forced(const data::Batch& batch) const override {
    const std::int64_t B = batch.size, T_y = batch.target_steps;
    nn::DecoderStep::Start at = begin(batch);
    const Tensor input = tensor(batch.target_in, {T_y, B});  // BOS y_1 … y_{n−1}
    std::vector<Tensor> outputs = {};
    for (std::int64_t t = 0; std::ssize(outputs) < T_y; ++t) {
      nn::DecoderStep::Output output = decoder_->step(input[t], at.state, at.memory);
      at.state = output.state;
      outputs.push_back(output.logits);
    }
    return stack(outputs);  // (T_y, B, V)
  }

  // The mean of −ln p(y_t) over the real target tokens.
  Tensor loss(const data::Batch& batch) const override {
    const std::int64_t B = batch.size, T_y = batch.target_steps;
    const Tensor logits = forced(batch), targets = tensor(batch.target_out, {T_y, B});
    const Tensor log_p = gather(log_softmax(logits, 2), 2, unsqueeze(targets, 2)).reshape({T_y, B});
    const Tensor real = less(unsqueeze(arange(T_y), 1), tensor(batch.target_lengths)).to(log_p.dtype());
    const Tensor counted = real;
    return -sum(log_p * counted) / sum(counted);
  }

  std::vector<Tokens> translate(const data::Batch& batch) const override {
    const NoGrad no_grad;
    nn::DecoderStep::Start at = begin(batch);
    std::vector<Tokens> outputs(static_cast<std::size_t>(batch.size));
    Tensor previous = full({batch.size}, data::bos, Dtype::i64);
    const std::int64_t steps = 2 * batch.source_steps + 10;
    for (std::int64_t t = 0; t < steps && std::ranges::any_of(outputs, goes_on); ++t) {
      nn::DecoderStep::Output output = decoder_->step(previous, at.state, at.memory);
      at.state = output.state;
      const Tensor likeliest = argmax(output.logits, 1);  // (B)
      write(likeliest, outputs);
      previous = likeliest;
    }
    return outputs;
  }

 private:
  nn::DecoderStep::Start begin(const data::Batch& batch) const {
    const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});
    return decoder_->start(encode(source, tensor(batch.source_lengths)));
  }

  // One step of an encoder's cell at position t. At pads, the state does not change.
  static Tensor read(const nn::GRUCell& cell, const Tensor& x, const Tensor& h, std::int64_t t,
                     const Tensor& lengths) {
    const Tensor real = less(full({1}, static_cast<double>(t), Dtype::i64), lengths);  // (B)
    const Tensor next = cell.forward(x, h);                                            // (B, H)
    return where(unsqueeze(real, 1), next, h);
  }

  std::int64_t hidden_;
  nn::Embedding embedding_;
  nn::GRUCell forward_, backward_;
  std::unique_ptr<nn::DecoderStep> decoder_;
};
