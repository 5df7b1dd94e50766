#!/usr/bin/env python3
"""Writes the golden files in this folder: /usr/bin/python3 tests/golden/make_golden.py  (see README.md)"""
import cases_attention
import cases_init
import cases_layers
import cases_losses
import cases_models
import cases_operations
import cases_optim
import cases_recurrent
import cases_safetensors
import cases_sound

import torch  # after kit, which sets its environment

for cases in (cases_recurrent, cases_attention, cases_models, cases_operations, cases_optim, cases_layers, cases_losses,
              cases_init, cases_safetensors, cases_sound):
    for case in cases.CASES:
        torch.manual_seed(2015)  # some cases draw before their file has its own seed
        case()
