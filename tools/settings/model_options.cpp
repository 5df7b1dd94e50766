#include <CLI/CLI.hpp>

#include "settings/add_option.hpp"
#include "settings/choices.hpp"
#include "settings/options.hpp"
#include "settings/ranges.hpp"

namespace gradus::tools {

void add_model_options(CLI::App& app, models::ModelOptions& model) {
  app.option_defaults()->always_capture_default()->group("Model");
  app.add_option("--decoder", model.decoder, "decoder: with attention (bahdanau) or without (fixed, cho)");
  app.add_option(
      "--attention", model.attention,
      "attention: a score function with a softmax (additive, dot, scaled_dot), or the additive score with "
      "one matrix for states and annotations (shared_additive), sparse weights (sparsemax, top_k), a window "
      "(local_p), one drawn position (hard, gumbel), the last weights as features (location), or a walk from "
      "left to right (monotonic)");
  add_choice(app, "--cell", model.cell, cell_names, "recurrent cell of encoder and decoder");
  app.add_option("--embedding", model.embedding, "embedding size, E")->transform(from_1);
  app.add_option("--hidden", model.hidden, "state size, H")->transform(from_1);
  app.add_option("--energy", model.energy, "hidden size of additive attention, A")->transform(from_1);
  app.add_option("--layers", model.layers, "layers of encoder and decoder")->transform(from_1);
  app.add_option("--pyramid", model.pyramid,
                 "levels of the encoder that each halve the length of the source, for --frames")
      ->transform(between(0, 16));
  add_switch(app, "--convolution", model.convolution,
             "a convolution over pairs of annotations halves their number");
  app.add_option("--silence", model.silence,
                 "attention leaves out silence: annotations this many decibels below the loudest one, for "
                 "--frames [0: leave out nothing]")
      ->transform(finite_from_0);
  add_switch(app, "--bidirectional,!--no-bidirectional", model.bidirectional,
             "the encoder reads in both directions");
  add_choice(app, "--bridge", model.bridge, bridge_names,
             "initial decoder state: from the encoder's backward state, from a summary of the source, a copy "
             "of its last state, or zeros; own: the decoder's default");
  add_choice(app, "--readout", model.readout, readout_names,
             "output layer: over the state; over state, context and last token, linear or with a maxout; "
             "maxout-earlier: with the previous state; own: the decoder's default");
  app.add_option("--maxout", model.maxout, "size of the maxout readout")->transform(from_1);
  add_number(app, "--dropout", model.dropout, "dropout of inputs and outputs")->transform(fraction_below_1);
  add_number(app, "--attention-dropout", model.attention_dropout, "dropout of attention weights")
      ->transform(fraction_below_1);
  app.add_option("--attention-top-k", model.attention_top_k,
                 "positions that get weight in top_k attention, k")
      ->transform(from_1);
  add_number(app, "--attention-window", model.attention_window, "half the window of local_p attention")
      ->transform(finite_from_1);
  add_number(app, "--attention-temperature", model.attention_temperature,
             "temperature of gumbel attention's gradient")
      ->transform(finite_above_0);
  nn::LocationOptions& location = model.location;
  app.add_option("--location-filters", location.filters, "filters of location attention, K")
      ->transform(from_1);
  app.add_option("--location-width", location.width, "positions that a filter of location attention sees, R")
      ->transform(odd);
  add_switch(app, "--location-smooth", location.smooth,
             "location attention normalises σ(e) instead of exp(e), so that the weights spread");
  app.add_option("--location-window", location.window,
                 "in decoding, location attention reads at most N positions to each side of the last largest "
                 "weight; 0: all")
      ->transform(from_0);
  add_choice(app, "--tied", model.tied, tied_names,
             "weights shared: target embedding and output layer (output), the source embedding too (all)");
  add_choice(app, "--initial", model.initial, initial_names,
             "initial parameters: as PyTorch's layers, as Bahdanau et al., Xavier, or all near 0");
}

void allow_only(CLI::App& app, const models::Registry& registry) {
  const auto allow = [&](const char* option, const auto& kinds) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds) names.push_back(name);
    app.get_option(option)->check(CLI::IsMember(names));
  };
  allow("--decoder", registry.decoders);
  allow("--attention", registry.attentions);
}

}  // namespace gradus::tools
