#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/compress/units.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::compress {
namespace {

// The parameters with an axis over hidden units. `rows` and `columns` describe the axes, one letter for each
// part: f and b are the units of the encoder's forward and backward direction, s those of the decoder, and e
// is an embedding. On an axis over gates, the parts repeat for each gate, but the letters are written only
// once: "s" describes the 3H rows of a GRU. An axis with an empty string is not over units.
struct Layout {
  std::string_view name, rows, columns = {};
};
constexpr std::array layouts{Layout{"encoder.rnn.weight_ih_l0", "f"},
                             Layout{"encoder.rnn.weight_hh_l0", "f", "f"},
                             Layout{"encoder.rnn.bias_ih_l0", "f"},
                             Layout{"encoder.rnn.bias_hh_l0", "f"},
                             Layout{"encoder.rnn.weight_ih_l0_reverse", "b"},
                             Layout{"encoder.rnn.weight_hh_l0_reverse", "b", "b"},
                             Layout{"encoder.rnn.bias_ih_l0_reverse", "b"},
                             Layout{"encoder.rnn.bias_hh_l0_reverse", "b"},
                             Layout{"decoder.W_s.weight", "s", "b"},
                             Layout{"decoder.rnn.weight_ih_l0", "s", "efb"},
                             Layout{"decoder.rnn.weight_hh_l0", "s", "s"},
                             Layout{"decoder.rnn.bias_ih_l0", "s"},
                             Layout{"decoder.rnn.bias_hh_l0", "s"},
                             Layout{"decoder.attention.W_a.weight", "", "s"},
                             Layout{"decoder.attention.U_a.weight", "", "fb"},
                             Layout{"decoder.readout.weight", "", "sfbe"},
                             Layout{"decoder.readout.hidden.weight", "", "sfbe"}};
constexpr std::array<std::string_view, 6> others{"encoder.embedding.weight", "decoder.embedding.weight",
                                                 "decoder.attention.v_a",    "decoder.readout.bias",
                                                 "decoder.readout.weight",   "decoder.readout.hidden.bias"};

// The part of an axis that belongs to one letter.
struct Part {
  char letter;
  std::int64_t begin, size;
};

struct Model {
  std::int64_t hidden, embedding;
  NamedTensors state;
  bool shares_units = false;  // column u of W_a reads unit u of the decoder and of both directions

  // The parts of an axis of this size; empty if the letters do not fill the axis.
  std::vector<Part> parts(std::string_view letters, std::int64_t size) const {
    std::vector<Part> found;
    std::int64_t at = 0;
    while (at < size) {
      for (const char letter : letters) {
        const std::int64_t length = letter == 'e' ? embedding : hidden;
        found.push_back({shares_units && letter != 'e' ? 's' : letter, at, length});
        at += length;
      }
    }
    return at == size ? found : std::vector<Part>{};
  }
};

[[noreturn]] void refuse(const std::string& name, const Shape& shape) {
  fail("keep_units", "'", name, "' ", shape,
       " is not a parameter of an encoder in both directions with additive attention, a BahdanauDecoder and "
       "one layer; only such models can lose units");
}

const Tensor* find(const NamedTensors& state, std::string_view name) {
  const auto found = std::ranges::find(state, name, &NamedTensors::value_type::first);
  return found == state.end() ? nullptr : &found->second;
}

// The letters of a parameter's axis; empty if the axis is not over units.
std::string_view letters_of(const Model& model, const std::string& name, const Tensor& tensor, int axis) {
  const bool has_hidden_readout = find(model.state, "decoder.readout.hidden.weight") != nullptr;
  const auto layout = std::ranges::find(std::span(layouts), name, &Layout::name);
  if (layout == std::span(layouts).end() || (has_hidden_readout && name == "decoder.readout.weight")) {
    if (std::ranges::find(others, name) == others.end()) refuse(name, tensor.shape());
    return "";
  }
  std::string_view letters = axis == 0 ? layout->rows : layout->columns;
  if (name == "decoder.W_s.weight" && axis == 1 && tensor.size(1) == 2 * model.hidden) letters = "fb";
  if (!letters.empty() && model.parts(letters, tensor.size(axis)).empty()) refuse(name, tensor.shape());
  return letters;
}

// Calls f(name, tensor, axis, parts) for each axis over units.
template <class F>
void for_each_axis(const Model& model, const F& f) {
  for (const auto& [name, tensor] : model.state) {
    for (int axis = 0; axis < tensor.rank(); ++axis) {
      const std::string_view letters = letters_of(model, name, tensor, axis);
      if (!letters.empty()) f(name, tensor, axis, model.parts(letters, tensor.size(axis)));
    }
  }
}

// For each letter, the units with the largest norms, in ascending order of their index.
std::map<char, std::vector<std::int64_t>> largest_units(const Model& model, std::int64_t count) {
  std::map<char, std::vector<double>> norms;
  for_each_axis(
      model, [&](const std::string&, const Tensor& tensor, int axis, const std::vector<Part>& parts) {
        const Tensor squares = tensor.rank() == 1 ? tensor * tensor : sum(tensor * tensor, 1 - axis);
        const std::vector<double> values = squares.to_vector<double>();
        for (const Part& part : parts) {
          if (part.letter == 'e') continue;
          auto& norm = norms[part.letter];
          norm.resize(static_cast<std::size_t>(model.hidden));
          for (std::size_t u = 0; u < norm.size(); ++u)
            norm[u] += values[static_cast<std::size_t>(part.begin) + u];
        }
      });
  std::map<char, std::vector<std::int64_t>> kept;
  for (const auto& [letter, norm] : norms) {
    std::vector<std::int64_t> units(norm.size());
    std::iota(units.begin(), units.end(), 0);
    std::ranges::stable_sort(units, std::greater<>(),
                             [&n = norm](std::int64_t u) { return n[static_cast<std::size_t>(u)]; });
    units.resize(static_cast<std::size_t>(count));
    std::ranges::sort(units);
    kept[letter] = units;
  }
  return kept;
}

}  // namespace

NamedTensors keep_units(const models::Seq2Seq& given, std::int64_t hidden) {
  const NoGrad no_grad;
  Model model{0, 0, given.state_dict()};
  const Tensor* const W_hh = find(model.state, "decoder.rnn.weight_hh_l0");
  const Tensor* const E = find(model.state, "decoder.embedding.weight");
  if (W_hh == nullptr || E == nullptr) {
    fail("keep_units",
         "the model has no decoder.rnn.weight_hh_l0 or decoder.embedding.weight; give a model with a "
         "BahdanauDecoder");
  }
  // Refuses an attention with W_a but without v_a, such as a ProjectedQuery. The layout above takes only the
  // columns of W_a as hidden units. In a ProjectedQuery, the rows are hidden units as well.
  if (const Tensor* const W_a = find(model.state, "decoder.attention.W_a.weight");
      W_a != nullptr && find(model.state, "decoder.attention.v_a") == nullptr) {
    refuse("decoder.attention.W_a.weight", W_a->shape());
  }
  model.shares_units = find(model.state, "decoder.attention.v_a") != nullptr &&
                       find(model.state, "decoder.attention.U_a.weight") == nullptr;
  model.hidden = W_hh->size(1);
  model.embedding = E->size(1);
  if (hidden < 1 || hidden > model.hidden) {
    fail("keep_units", "the number of hidden units must be from 1 to ", model.hidden,
         ", the model's, and is ", hidden);
  }
  const auto kept = largest_units(model, hidden);
  NamedTensors smaller = model.state;
  for_each_axis(model, [&](const std::string& name, const Tensor&, int axis, const std::vector<Part>& parts) {
    std::vector<std::int64_t> indices;
    for (const Part& part : parts) {
      for (std::int64_t i = 0; i < (part.letter == 'e' ? part.size : hidden); ++i) {
        indices.push_back(part.begin +
                          (part.letter == 'e' ? i : kept.at(part.letter)[static_cast<std::size_t>(i)]));
      }
    }
    Tensor& tensor = std::ranges::find(smaller, name, &NamedTensors::value_type::first)->second;
    const Tensor rows = axis == 0 ? tensor : transpose(tensor, 0, 1);
    const Tensor chosen = index_select(rows, gradus::tensor(indices, {std::ssize(indices)}));
    tensor = axis == 0 ? chosen : transpose(chosen, 0, 1);
  });
  return smaller;
}

}  // namespace gradus::compress
