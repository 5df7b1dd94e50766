#pragma once

/// Everything for training: optimisers, gradient clipping and learning-rate schedules.
#include <gradus/nn/adadelta.hpp>
#include <gradus/nn/adagrad.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/plateau.hpp>
#include <gradus/nn/rmsprop.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/nn/sgd.hpp>
