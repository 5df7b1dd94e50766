#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include "answer.hpp"
#include "kit/expect.hpp"

/// The parts of the checker: the cell, and the decoder around it.
namespace lstm_decoder {

using exercise::Mistake;
using exercise::Plain;
using exercise::Suspect;
using namespace gradus;

constexpr std::int64_t hidden = 3;

struct CellState {
  Plain h, c;  ///< (B, H) each
};

struct CellWeights {
  Plain weight_ih, weight_hh, bias_ih, bias_hh;
};

/// The weights of the cell that is registered under `path`, "cell." or "".
CellWeights weights_of(const nn::Module& module, const std::string& path);

/// The names and shapes that the cell's weights must have if the cell's inputs have this size.
std::vector<exercise::Parameter> cell_parameters(const std::string& path, std::int64_t inputs);

/// {h′, c′} of the right cell, in plain loops.
CellState lstm(const CellWeights& w, const Plain& x, const CellState& before);

/// Converts the module to f64, switches to evaluation mode, and fills the parameters with random values.
void in_double(nn::Module& module);

std::vector<exercise::Stage> cell_stages(const LstmAnswer& answer);
std::vector<exercise::Stage> decoder_stages(const LstmAnswer& answer);

}  // namespace lstm_decoder
