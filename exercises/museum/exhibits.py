"""The exhibits of the museum: fifteen mistakes that learners make, each a change of one line of program.hpp.

exhibits.py OUT writes C++ code to OUT: the right program and each exhibit, in separate namespaces.
"""

import pathlib
import re
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Exhibit:
    cause: str     # an answer in the quiz: "The …"
    right: str     # the code in program.hpp; occurs once
    wrong: str     # its replacement in the exhibit
    why: str       # how the mistake happens, and why it causes the symptom
    others: list   # numbers of the exhibits whose causes the quiz offers as wrong answers
    reports: tuple = ()  # reports of this mistake: repository/issues/number, or repository/pull/number


EXHIBITS = {
    1: Exhibit("The score never reads the encoder's annotations.",
               "return {h, U_a.forward(h), lengths};", "return {h, U_a.forward(positions_like(h)), lengths};",
               "The energies depend on the decoder's state and on the position, but not on the token at this position. For "
               "years, a widely copied tutorial computed its weights in this way. On reversal only the position matters, so "
               "the model learns nevertheless. But it has to count positions, and at length 10, which does not occur in training, "
               "it fails even more often than the right program.",
               [2, 11, 15], ("pytorch/tutorials/issues/87", "pytorch/tutorials/issues/1098")),
    2: Exhibit("The attention ends at a fixed maximum position.",
               "const Tensor lengths = memory.lengths;", "const Tensor lengths = at_most(memory.lengths, 6);",
               "The program has a fixed maximum length for attention, here 6. Later positions get no weight. Sentences up to "
               "this length are right, but a longer sentence cannot be read completely.",
               [1, 4, 10], ("pytorch/tutorials/pull/1097",)),
    3: Exhibit("At evaluation the decoder still reads the true tokens.",
               "previous = likeliest;", "previous = tensor(batch.target_out, {batch.target_steps, batch.size})[std::min(t, batch.target_steps - 1)];",
               "The evaluation uses the same loop as the training, in which the decoder reads the true tokens. So an output "
               "counts as an exact match if each of its tokens is right, given the true tokens before it. Without a target there are "
               "no true tokens: the decoder then reads `<eos>` at every step after the first.",
               [7, 5, 13]),
    4: Exhibit("The encoder runs on over the pads.",
               "return where(unsqueeze(real, 1), next, h);", "return next;",
               "The forward direction reads the pads last, and the backward direction reads them first. The result for a sentence "
               "therefore depends on the length of the longest sentence in its batch. A source that is translated by itself has "
               "no pads. Then only sources of length 8 are reliably right: they were the longest in training, so they had no pads in "
               "training, either. In the program's own measurement, a source of length 12 is in each batch, so even a source of length "
               "8 has pads.",
               [11, 12, 10], ("pytorch/tutorials/issues/3643",)),
    5: Exhibit("The decoder reads the token that it must predict.",
               "tensor(batch.target_in, {T_y, B});", "tensor(batch.target_out, {T_y, B});",
               "Input and target must be shifted by one token: in Python, the input is trg[:-1], and the target "
               "trg[1:]. Without the shift, the task is only to copy the input. The loss falls to 0 at once, but the model "
               "learns only to copy.",
               [3, 13, 6]),
    6: Exhibit("The first output is a row of zeros.",
               "std::vector<Tensor> outputs = {};",
               "std::vector<Tensor> outputs = {zeros({B, embedding_.weight.size(0)}, embedding_.weight.dtype())};",
               "The list of outputs begins with a placeholder, as in `outputs = torch.zeros(…)` with a loop from 1. So every output is "
               "one place late. The loss compares the placeholder with the first token, and the output of each step with the "
               "target token of the next step: the model learns to skip the first token.",
               [5, 10, 13]),
    7: Exhibit("The output gets the length of the target.",
               "const std::int64_t steps = 2 * batch.source_steps + 10;", "const std::int64_t steps = batch.target_steps;",
               "The loop runs over the positions of the target, but in real use there is no target. As long as the model ends "
               "its outputs itself, the program's own numbers do not change. Without a target, the loop ends after one step.",
               [3, 8, 13], ("bentrevett/pytorch-seq2seq/issues/132",)),
    8: Exhibit("At prediction, every step starts again from the first state.",
               "at.state = output.state;\n      const Tensor likeliest", "at = begin(batch);\n      const Tensor likeliest",
               "Training passes the state on, but prediction starts every step from the first state. So query and context are "
               "always those of the first step. The training and its curves show no mistake. To see the mistake, give the "
               "written output to the forward pass of training as the target: at many steps, that pass finds another token likelier.",
               [14, 3, 6]),
    9: Exhibit("The annotations contain the forward states twice.",
               "concat({stack(ahead), stack(back)}, 2)", "concat({stack(ahead), stack(ahead)}, 2)",
               "The shapes are right. But the annotation of a token contains nothing about the tokens after it. Reversal hardly "
               "needs this information, so only a probe of the annotations shows the mistake.",
               [10, 4, 1]),
    10: Exhibit("The backward direction's last state is taken at the wrong end.",
                ".first_backward = back.front()}", ".first_backward = back.back()}",
                "The backward direction ends at the first token, index 0. Its state there has read the whole source. Its state "
                "at the last index has read only one token, or only pads, and the decoder now starts from this state. Attention "
                "compensates for the weak start, but the decoder's first state depends on the pads of the sentence.",
                [9, 11, 2]),
    11: Exhibit("The softmax has no mask.",
                "const Tensor alpha = softmax(masked, 1);", "const Tensor alpha = softmax(e, 1);",
                "The mask is computed but not used. The model learns to avoid the pads that occur in training. With more "
                "pads, or with none, the same sentence gets another result.",
                [12, 4, 2], ("MaximumEntropy/Seq2Seq-PyTorch/issues/6",)),
    12: Exhibit("The mask lies on the wrong axis.",
                "less(arange(T), unsqueeze(lengths, 1));",
                "less(unsqueeze(arange(T), 1), lengths).reshape({B, T});",
                "The mask was created as (T, B) and reshaped to (B, T). A reshape does not transpose: it keeps the order in "
                "memory. In a batch of one sentence, or if all lengths are equal, the mask is right by accident. In other "
                "batches, it hides real positions and shows pads.",
                [11, 4, 9]),
    13: Exhibit("The loss ignores what follows a predicted end.",
                "const Tensor counted = real;", "const Tensor counted = real * until_eos(logits);",
                "The loss counts only the steps up to the first EOS that the model predicts. If this EOS is early, the rest of the "
                "target is missing from the loss. On this task the model learns early in training where to end its outputs. "
                "From then on, the loss leaves out almost nothing, so no check shows the mistake.",
                [5, 7, 6]),
    14: Exhibit("The decoder does not pass its state on.",
                'nn::State({{"s", s}}, state.step() + 1)', 'nn::State({{"s", state["s"]}}, state.step() + 1)',
                "Each step begins with the state of the first step. The model does not know how many tokens it has written. "
                "It attends to the same places at every step, and after the same token it always writes the same next token.",
                [15, 8, 1]),
    15: Exhibit("The score has no tanh.",
                "tanh(W_a.forward(s) + memory.keys);", "W_a.forward(s) + memory.keys;",
                "Without the tanh, the energy of a position is v_a · W_a s + v_a · U_a h. The first term is the same number for "
               "every position, and cancels in the softmax. The weights are the same at every step, whatever the state s is. "
               "The gradient of W_a is zero, up to rounding.",
               [14, 1, 10], ("AuCson/PyTorch-Batch-Attention-Seq2seq/issues/3",)),
}

NAMES = {0: "the right program", **{number: exhibit.cause for number, exhibit in EXHIBITS.items()}}


def program(number):
    """The source of an exhibit. 0 is the right program."""
    source = (HERE / "program.hpp").read_text()
    if number == 0:
        return source
    exhibit = EXHIBITS[number]
    assert source.count(exhibit.right) == 1, f"exhibit {number}: the line to change occurs {source.count(exhibit.right)} times"
    return source.replace(exhibit.right, exhibit.wrong)


def change(number):
    """The changed line before and after the change, without its comment."""
    before, after = program(0).splitlines(), program(number).splitlines()
    [pair] = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return [re.sub(r"\s*//.*", "", line).strip() for line in pair]


def collection():
    parts = ['#include "museum/collection.hpp"', '#include "museum/parts.hpp"', "namespace museum {", "namespace {", "using namespace gradus;"]
    numbers = [0, *EXHIBITS]
    for number in numbers:
        parts.append(f"namespace exhibit_{number} {{\n{program(number)}\n}}")
    parts += ["template <class Program, class Decoder, class Attention>",
              "std::unique_ptr<Subject> made(const Sizes& n) {",
              "  return std::make_unique<Program>(n, std::make_unique<Decoder>(n, std::make_unique<Attention>(n)));", "}",
              "}  // namespace", "",
              "std::unique_ptr<Subject> exhibit(int number, const Sizes& n) {", "  switch (number) {"]
    for number in numbers:
        parts.append(f"    case {number}: return made<exhibit_{number}::Program, exhibit_{number}::Decoder, exhibit_{number}::Attention>(n);")
    parts += ["    default: return nullptr;", "  }", "}", "}  // namespace museum", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(collection())
