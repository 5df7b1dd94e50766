"""Chinese for the results in docs/zh/explained/museum.md; results_chinese.py uses them."""

import json
import pathlib
import re

WORDS = {
    # the tables
    "exhibit": "展品", "Exact match of every exhibit, by length": "每件展品在各长度上的完全匹配率", "gradient check": "梯度检验", "loss below 0.1": "损失低于 0.1",
    "own exact match at 3–8": "程序自己的完全匹配率，长度 3–8", "the same without targets, one by one": "同上，没有目标，逐个输入",
    "padding changes nothing": "填充不改变结果", "**sees it**": "**发现**",
    # the exhibits: what is wrong, and why
    "The score never reads the encoder's annotations.": "打分从不读取编码器的注解向量",
    "The energies depend on the decoder's state and on the position, but not on the token at this position. For years, a "
    "widely copied tutorial computed its weights in this way. On reversal only the position matters, so the model learns "
    "nevertheless. But it has to count positions, and at length 10, which does not occur in training, it fails even more "
    "often than the right program.":
        "能量取决于解码器的状态和位置，却与那个位置上写着什么无关。一份被广泛照抄的教程，多年来就是这样计算权重的。"
        "在反转任务里，只有位置才重要，所以模型照样学得会；但它只能靠数位置：在训练中没有出现过的长度 10 上，它比正确的程序错得更多。",
    "The attention ends at a fixed maximum position.": "注意力到一个固定的最大位置为止",
    "The program has a fixed maximum length for attention, here 6. Later positions get no weight. Sentences up to this "
    "length are right, but a longer sentence cannot be read completely.":
        "注意力的大小是程序里的一个常数，这里是 6。它后面的位置得不到权重。不超过这个长度的句子完全正确，更长的句子无法读全。",
    "At evaluation the decoder still reads the true tokens.": "评测时，解码器仍然读取真实的词元",
    "The evaluation uses the same loop as the training, in which the decoder reads the true tokens. So an output counts "
    "as an exact match if each of its tokens is right, given the true tokens before it. Without a target there are no true tokens: "
    "the decoder then reads `<eos>` at every step after the first.":
        "评测与训练共用一个循环，因此也沿用了教师强制。只要在真实的前文之后，每一步的词元都对，"
        "整个输出就算完全匹配。没有目标，就没有老师：这里的解码器于是从第二步起，每一步读到的都是 `<eos>`。",
    "The encoder runs on over the pads.": "编码器读到填充时没有停下",
    "The forward direction reads the pads last, and the backward direction reads them first. The result for a sentence "
    "therefore depends on the length of the longest sentence in its batch. A source that is translated by itself has no "
    "pads. Then only sources of length 8 are reliably right: they were the longest in training, so they had no pads in "
    "training, either. In the program's own measurement, a source of length 12 is in each batch, so even a source of length 8 has pads.":
        "正向最后才读填充，反向最先读填充。一个句子的结果，取决于同一批中最长的句子有多长。"
        "逐个输入时，源序列没有填充。这时只有长度为 8 的源序列可靠地正确：它们在训练中最长，所以训练时也没有填充。"
        "程序自己评测时，每一批里都有一个长度为 12 的源序列，所以连长度为 8 的也有填充。",
    "The decoder reads the token that it must predict.": "解码器读到了它应当预测的词元",
    "Input and target must be shifted by one token: in Python, the input is trg[:-1], and the target trg[1:]. "
    "Without the shift, the task is only to copy the input. The loss falls to 0 at once, but the model learns only to "
    "copy.":
        "输入与目标必须错开一个词元：用 Python 写，输入是 trg[:-1]，目标是 trg[1:]。如果没有错开，任务就成了照抄输入。损失立刻降到 0，模型却只学会了照抄。",
    "The first output is a row of zeros.": "第一个输出是一行零",
    "The list of outputs begins with a placeholder, as in `outputs = torch.zeros(…)` with a loop from 1. So every output is "
    "one place late. The loss compares the placeholder with the first token, and the output of each step with the target "
    "token of the next step: the model learns to skip the first token.":
        "输出的列表以一个占位的元素开头，就像先写 `outputs = torch.zeros(…)`、循环再从 1 开始那样，而损失把整个列表拿去与目标比较。"
        "于是每一步的输出都与下一步的目标词元比较：模型学会的是跳过第一个词元。",
    "The output gets the length of the target.": "输出的长度取自目标",
    "The loop runs over the positions of the target, but in real use there is no target. As long as the model ends its "
    "outputs itself, the program's own numbers do not change. Without a target, the loop ends after one step.":
        "循环遍历目标的各个位置，而实际使用时没有目标。只要模型自己会结束输出，程序自己得出的数字就不变。"
        "没有目标时，循环只走一步。",
    "At prediction, every step starts again from the first state.": "预测时，每一步都重新从初始状态开始",
    "Training passes the state on, but prediction starts every step from the first state. So query and context are always "
    "those of the first step. The training and its curves show no mistake. To see the mistake, give the written output "
    "to the forward pass of training as the target: at many steps, that pass finds another token likelier.":
        "训练时状态会传下去，预测时却每次都从头开始，所以查询和上下文向量总是第一步的。训练没有任何毛病，曲线也就看不出问题。"
        "要发现它，把写出的序列当作目标，交给训练的前向计算：许多步上，它更偏爱别的词元。",
    "The annotations contain the forward states twice.": "注解向量里是两份正向状态",
    "The shapes are right. But the annotation of a token contains nothing about the tokens after it. Reversal hardly needs "
    "this information, so only a probe of the annotations shows the mistake.":
        "形状是对的。一个词元的注解向量不取决于它后面的词元，而在反转任务里，几乎用不着后面的词元。只有探测注解向量才能发现。",
    "The backward direction's last state is taken at the wrong end.": "反向的最后状态取自错误的一端",
    "The backward direction ends at the first token, index 0. Its state there has read the whole source. Its state at the "
    "last index has read only one token, or only pads, and the decoder now starts from this state. Attention compensates for "
    "the weak start, but the decoder's first state depends on the pads of the sentence.":
        "反向读到第一个词元为止，也就是下标 0；那里的状态读过了整个源序列。最后一个下标处的状态只读了一个词元，或者只读了填充，"
        "而现在解码器从这个状态开始。注意力弥补了这个信息不足的开端，但解码器的初始状态从此取决于句子有没有填充。",
    "The softmax has no mask.": "softmax 没有掩码",
    "The mask is computed but not used. The model learns to avoid the pads that occur in training. With more pads, or with "
    "none, the same sentence gets another result.":
        "掩码算出来了，却没有使用。模型学会了避开训练中遇到的填充。填充更多或者没有填充时，同一个句子得到的结果就不同。",
    "The mask lies on the wrong axis.": "掩码放错了轴",
    "The mask was created as (T, B) and reshaped to (B, T). A reshape does not transpose: it keeps the order in memory. In "
    "a batch of one sentence, or if all lengths are equal, the mask is right by accident. In other batches, it hides real "
    "positions and shows pads.":
        "掩码建成了 (T, B)，再用 reshape 变成 (B, T)，内存里的次序却没有变。一批只有一个句子，或者长度都相等时，它碰巧是对的。"
        "在其他批次里，它遮住真实的位置，露出填充。",
    "The loss ignores what follows a predicted end.": "损失忽略了预测的结束符之后的部分",
    "The loss counts only the steps up to the first EOS that the model predicts. If this EOS is early, the rest of the target is "
    "missing from the loss. On this task the model learns early in training where to end its outputs. "
    "From then on, the loss leaves out almost nothing, so no check shows the mistake.":
        "损失只计到模型第一次预测 EOS 为止。如果这个 EOS 来得太早，目标其余的部分就不计入损失。"
        "在这个任务里，模型很快就学会在正确的地方结束，所以看不到别的症状。",
    "The decoder does not pass its state on.": "解码器没有把状态传下去",
    "Each step begins with the state of the first step. The model does not know how many tokens it has written. It attends "
    "to the same places at every step, and after the same token it always writes the same next token.":
        "每一步都从第一步的状态开始。模型不知道自己写到了哪里：每一步都关注同样的地方；只要前一个词元相同，下一个词元就总是相同。",
    "The score has no tanh.": "打分缺少 tanh",
    "Without the tanh, the energy of a position is v_a · W_a s + v_a · U_a h. The first term is the same number for every "
    "position, and cancels in the softmax. The weights are the same at every step, whatever the state s is. The "
    "gradient of W_a is zero, up to rounding.":
        "没有 tanh，一个位置的能量是 v_a · W_a s + v_a · U_a h。前一项在每个位置都是同一个数，在 softmax 中消去。"
        "无论状态 s 是什么，每一步的权重都一样。除去舍入误差，W_a 的梯度是零。",
}
WORDS |= {f"**{cause}**": f"**{chinese}。**" for cause, chinese in WORDS.items() if cause.startswith(("The ", "At "))}
WORDS["What is wrong?"] = "错在哪里？"
# The probes' observations as {English: Chinese}. The checkers print the same observations.
OBSERVATIONS = json.loads((pathlib.Path(__file__).resolve().parents[1] / "exercises/chinese.json").read_text(encoding="utf-8"))["observations"]


def numbered(chinese):
    """The Chinese with \\1, \\2, … in place of each {}."""
    first, *others = chinese.split("{}")
    return first + "".join(f"\\{i}{other}" for i, other in enumerate(others, 1))


# Patterns for the observations, and for the lines around them.
SENTENCES = [
    (r"### The right program", "### 正确的程序"),
    (r"### Exhibit (\d+)", r"### 展品 \1"),
    (r"Reported in (.+)\.", r"有人遇到过：\1。"),
    *(("(.+)".join(map(re.escape, english.split("{}"))), numbered(chinese)) for english, chinese in OBSERVATIONS.items()),
]
