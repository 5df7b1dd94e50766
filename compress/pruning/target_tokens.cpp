#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/compress/target_tokens.hpp>
#include <gradus/data/tokens.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace gradus::compress {
namespace {

constexpr const char* operation = "keep_target_tokens";

// Returns the tensor with this name. Throws if there is none.
Tensor& named(NamedTensors& state, const std::string& name) {
  const auto found = std::ranges::find(state, name, &NamedTensors::value_type::first);
  if (found != state.end()) return found->second;
  fail(operation, "the model has no '", name, "'; give a model with a recurrent decoder");
}

bool shares_embedding(const models::Seq2Seq& model, const std::string& E) {
  NamedTensors parameters = model.named_parameters();
  return model.encoder.embedding && named(parameters, E).is(model.encoder.embedding->weight);
}

}  // namespace

NamedTensors keep_target_tokens(const models::Seq2Seq& model, std::int64_t tokens) {
  const NoGrad no_grad;
  NamedTensors state = model.state_dict();
  const std::string embedding = "decoder.embedding.weight";
  const Tensor E = named(state, embedding);
  if (shares_embedding(model, embedding)) {
    fail(operation,
         "the encoder shares the decoder's embedding, so its tokens are needed, too; give a model "
         "without --tied all");
  }
  const std::int64_t fewest = data::first_symbol + 2;  // <unk> and one token
  if (tokens < fewest || tokens > E.size(0)) {
    fail(operation, "the number of target tokens must be from ", fewest, " to ", E.size(0),
         ", the model's, and is ", tokens);
  }
  for (const char* name :
       std::array{"decoder.embedding.weight", "decoder.readout.weight", "decoder.readout.bias"}) {
    Tensor& rows = named(state, name);
    rows = rows.slice(0, tokens).clone();
  }
  return state;
}

}  // namespace gradus::compress
