#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/online_search.hpp>
#include <gradus/nn/monotonic_attention.hpp>

#include <utility>

#include "encoders/encoder_stream.hpp"
#include "search/prediction.hpp"

namespace gradus::models {
namespace {

// Returns the model's decoder. Throws unless the model can write before the source ends.
const BahdanauDecoder& online_decoder(const Seq2Seq& model) {
  if (model.is_training()) fail("OnlineSearch", "the model is in training mode; call eval() first");
  if (model.encoder.rnn->directions() != 1) {
    fail("OnlineSearch",
         "the encoder reads the source in both directions, so it needs the end of the source; train a "
         "model with an encoder of one direction");
  }
  if (model.encoder.silence() > 0) {
    fail("OnlineSearch",
         "the encoder leaves out silence, so it needs the loudest part of the source; train a model with "
         "silence = 0");
  }
  const auto* decoder = dynamic_cast<const BahdanauDecoder*>(model.decoder.get());
  if (!decoder || !dynamic_cast<const nn::MonotonicAttention*>(decoder->attention.get())) {
    fail("OnlineSearch",
         "the decoder may attend to the whole source; train a BahdanauDecoder with MonotonicAttention");
  }
  if (decoder->starts_from_source()) {
    fail("OnlineSearch",
         "the decoder's first state is computed from the end of the source; train a model with "
         "Bridge::zeros");
  }
  return *decoder;
}

}  // namespace

class OnlineSearch::State {
 public:
  State(const Seq2Seq& model, const MaxSteps& max_steps)
      : decoder_(online_decoder(model)),
        is_of_tokens_(model.encoder.embedding != nullptr),
        encoder_(model.encoder),
        max_steps_(max_steps) {}

  std::vector<std::int64_t> read(const Tensor& part) {
    if (is_finished_)
      fail("OnlineSearch", "the source has ended; use a new OnlineSearch for the next source");
    if (part.rank() != (is_of_tokens_ ? 1 : 2)) {
      fail("OnlineSearch", "the part of the source is ", part.shape(), " and must be ",
           is_of_tokens_ ? "(n), of tokens" : "(n, D)");
    }
    if (part.size(0) == 0) return {};
    tokens_read_ += is_of_tokens_ ? part.size(0) : 0;
    return write(unsqueeze(part, 1));
  }

  std::vector<std::int64_t> finish() {
    if (is_finished_) fail("OnlineSearch", "the source has already ended");
    is_finished_ = true;
    std::vector<std::int64_t> tokens = write(Tensor());
    if (annotations_ == 0) fail("OnlineSearch", "the source is empty");
    return tokens;
  }

  bool ended() const { return ended_; }

 private:
  // Encodes the next part of the source, (n, 1, ·); an undefined part stands for the end of the source.
  // Returns the tokens that can now be written.
  std::vector<std::int64_t> write(const Tensor& part) {
    std::vector<std::int64_t> tokens;
    if (ended_) return tokens;
    const NoGrad no_grad;
    add(encoder_.read(part, is_finished_));
    while (!ended_ && annotations_ > 0 && step(tokens)) {
    }
    return tokens;
  }

  // Appends annotations, (n, 1, D) or undefined, to the memory.
  void add(const Tensor& h) {
    if (!h.defined()) return;
    if (annotations_ == 0) {
      // With Bridge::zeros, start() takes only the batch size from these states.
      at_ = decoder_.start(
          {.h = h, .lengths = tensor(std::vector{h.size(0)}), .last_forward = h[0], .first_backward = {}});
      at_.memory.lengths = Tensor();
    } else {
      const nn::Memory next = decoder_.attention->prepare(h, Tensor());
      at_.memory.values = concat({at_.memory.values, next.values}, 0);
      at_.memory.keys = concat({at_.memory.keys, next.keys}, 0);
    }
    annotations_ += h.size(0);
  }

  // Runs one decoder step. Returns false, and writes no token, in two cases. First: the output has the
  // maximum length for the source so far. Second: the walk passed the last known annotation, and more of the
  // source may follow.
  bool step(std::vector<std::int64_t>& tokens) {
    if (written_ >= max_steps_.of(is_of_tokens_ ? tokens_read_ : annotations_)) {
      ended_ = is_finished_;  // a longer source allows more tokens
      return false;
    }
    const std::vector<nn::DecoderStep::Output> outputs{
        decoder_.step(tensor(std::vector{last_}), at_.state, at_.memory)};
    const nn::DecoderStep::Output& output = outputs[0];
    const auto place = static_cast<std::int64_t>(argmax(output.weights, 1).item());
    const bool stops = output.weights[0][place].item() > 0;
    if (!stops && !is_finished_) return false;
    last_ = Prediction(outputs).likeliest(0);
    ++written_;
    ended_ = last_ == data::eos;
    if (!ended_) tokens.push_back(last_);
    at_.state = output.state;
    if (stops) forget(place);
    return true;
  }

  // Removes the annotations before `place`, from which the next walk begins.
  void forget(std::int64_t place) {
    nn::Memory& memory = at_.memory;
    memory.values = memory.values.slice(place, memory.values.size(0));
    memory.keys = memory.keys.slice(place, memory.keys.size(0));
    NamedTensors tensors = at_.state.tensors();
    for (auto& [name, tensor] : tensors) {
      if (name == "weights") tensor = Tensor();  // the attention then begins at the first annotation
    }
    at_.state = nn::State(std::move(tensors), at_.state.step());
  }

  const BahdanauDecoder& decoder_;
  bool is_of_tokens_;
  EncoderStream encoder_;
  MaxSteps max_steps_;
  nn::DecoderStep::Start at_;                    // the memory begins where the last step stopped
  std::int64_t annotations_ = 0;                 // known so far
  std::int64_t tokens_read_ = 0;                 // of a source of tokens
  std::int64_t last_ = data::bos, written_ = 0;  // the last token; the number of tokens, with EOS
  bool is_finished_ = false, ended_ = false;
};

OnlineSearch::OnlineSearch(const Seq2Seq& model, const MaxSteps& max_steps)
    : state_(std::make_unique<State>(model, max_steps)) {}
OnlineSearch::~OnlineSearch() = default;

std::vector<std::int64_t> OnlineSearch::read(const Tensor& part) { return state_->read(part); }
std::vector<std::int64_t> OnlineSearch::finish() { return state_->finish(); }
bool OnlineSearch::ended() const { return state_->ended(); }

}  // namespace gradus::models
