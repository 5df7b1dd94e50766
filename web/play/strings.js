// The page's texts in English and Chinese.

import { language } from "./language.js";

const english = {
  title: "Play: train an attention model in this page",
  lead: "Two models learn the same task from the same batches. One compresses the source into a vector; the other one " +
        "attends to every token of the source. Press start, and watch where it looks.",
  private: "Everything runs on your machine: the library's own C++, compiled to WebAssembly, on one thread. No request is sent.",
  book: "The book", check: "Check: exercises", language: "中文",
  start: "Start", pause: "Pause", update: "One update", reset: "Reset", apply: "Apply and reset",
  speed: "Speed", fast: "as fast as possible", medium: "10 updates a second", slow: "2 updates a second",
  settings: "Settings", both: "both models", modelA: "Model A", modelB: "Model B",
  loading: "Loading the trainer…", ready: "Ready.", running: "Training.", paused: "Paused.", finished: "Finished.",
  progress: (step, steps) => `update ${step} of ${steps}`,
  changed: "The settings have changed.",
  replaced: (names) => `These settings of the address are unknown or out of range; the defaults are used: ${names}.`,
  range: (least, most) => `must be a number from ${least} to ${most}`,
  order: "the longest source must not be shorter than the shortest",
  loss: "Loss", lossNote: "cross-entropy of each batch, in nats per token",
  exact: "Exact match by length", exactNote: "fraction of held-out sources whose output has no wrong token; shaded: lengths in training, with their mean above",
  updates: "updates", length: "source length",
  input: "A source of your own", another: "Another example", inputNote: "Type tokens of the task: you see what each model writes for it now.",
  target: "right answer", unknownTarget: "The right answer for a date of your own is not known: tokens are not marked.",
  writes: "writes", parameters: (n) => `${n} parameters`,
  right: "right", wrong: "wrong",
  reads: "Rows", forced: "the right tokens, read as in training", own: "the model's own output",
  noWeights: "This decoder has no attention: at every step it reads the same vector, the encoder's last states.",
  cell: (t, to, j, from, weight) => `α(${t}, ${j}) = ${weight}: to write “${to}”, the model weights source token ${j}, “${from}”, by ${weight}`,
  pick: "Point at a cell, or move with the arrow keys, to read its weight. Click, or press Enter, to look inside its step.",
  alignment: (name) => `Alignment of model ${name}: rows are written tokens, columns are source tokens`,
  inside: "Inside a step", close: "Close", look: (t) => `Look inside step ${t}`,
  insideTitle: (t, written, read) => `Step ${t}: the decoder has read “${read}” and writes “${written}”`,
  insideNote: "x is [E y; c], the embedding of the token read and the context. Point at a number, or use the arrow keys, to read it. " +
              "Blue is positive, orange negative. Drag a number of s or h up or down, or press the arrow keys up and down, to change it: " +
              "the trainer computes the step again. Lines mark the values before the change.",
  way: "direction", forward: "forward: the values", backward: "backward: the gradients",
  backwardNote: "x̄ is ∂L/∂x, the change of the loss for a small change of x, computed by the tape. ℓ are the logits, τ_j is the tanh inside e_tj, " +
                "ā the gradient at the arguments of the cell's σ and tanh. The largest number of a strip has full colour. " +
                "The gradient of h_j has only the paths through this step.",
  tokenLoss: (token, loss, before) => `L = −log p(“${token}”) = ${loss}${before ? ` (${before} without your change)` : ""}`,
  annotation: "annotation", restore: "Put the model's numbers back",
  gradientsNote: "Where the gradient arrives: all paths, also through the steps before and the encoder. A cell is the root mean square of a block; the largest has full colour.",
  parameter: "parameter", shape: "shape", norm: "norm", gradient: "gradient",
  byHand: (difference, gradients) => `Computed part by part; the largest difference from the library's own step is ${difference}, from its gradients ${gradients}.`,
  breakIt: "Break it", experiment: "experiment", rightModel: "right model",
  experiments: "Results of experiments on the current models, for the source above",
  pads: "largest change of a p(y_t) when a longer source is in the batch", steps: "largest difference of an α_tj between two steps",
  later: "change of h_1, relative, when the last source token changes", query: "norm of the gradient of W_a in the last update",
  mistakes: {
    no_mask: ["no mask:", "the softmax also weights pads. Changed: the same source gets other probabilities beside a longer one. " +
              "Unchanged: a single source, the loss on batches of one length, the diagonal. Training even learns to avoid the pads that it meets."],
    no_tanh: ["no tanh:", "v_a · W_a s is the same number for every j, and the softmax cancels it. Changed: the weights are the same at every " +
              "step, and W_a gets no gradient. Unchanged: shapes, sums of weights, and the loss still falls, more slowly."],
    no_backward: ["no backward half:", "h_j = [→h_j; 0]. Changed: h_1 does not know the tokens after it. Unchanged: reversal " +
                  "hardly needs them, so that loss and picture look right. Sorting needs them more."],
    ask_after: ["the query is s_t:", "the decoder first updates its state with the previous step's context, and then attends. This is Luong's order. " +
                "Changed: the token of a step is read from its own context only by the readout. Unchanged: the model learns, and the picture is the same diagonal."],
    wrong_end: ["the wrong end:", "s_0 comes from the backward state at the last position of the batch. Changed: s_0 has seen " +
                "one token, or for a shorter source a pad, so that probabilities depend on the batch. Unchanged: attention makes up for the weak start."],
  },
  save: "Download the weights", saveNote: "for gradus translate",
  names: {
    task: "task", symbols: "symbols", shortest: "shortest source", longest: "longest source", batch: "batch",
    rate: "learning rate", steps: "updates", seed: "seed", decoder: "decoder", attention: "attention", cell: "cell",
    embedding: "embedding E", hidden: "state H", energy: "energy A", encoder: "encoder",
    mask: "mask", tanh: "tanh in the energy", backward: "backward half of h_j", query: "query", start: "s_0 from",
  },
  choices: {
    reverse: "reverse", copy: "copy", sort: "sort", dates: "dates", none: "none", fixed: "fixed context",
    cho: "Cho: the context at every step", bahdanau: "Bahdanau: attention", additive: "additive", dot: "dot (Luong)",
    scaled_dot: "scaled dot", gru: "GRU", lstm: "LSTM", rnn: "tanh RNN", "original-gru": "GRU of the papers",
    both: "both directions", forward: "forward only", on: "on", off: "off", before: "s_t−1", after: "s_t, as Luong",
    first: "←h_1", last: "←h_T, the wrong end",
  },
};

const chinese = {
  title: "动手：在网页里训练注意力模型",
  lead: "两个模型用相同的批次学习同一个任务：一个把源序列压缩成一个向量，另一个关注源序列的每个词元。按“开始”，看它在看哪里。",
  private: "一切都在你的机器上运行：本库自己的 C++ 代码，编译成 WebAssembly，单线程。不发送任何请求。",
  book: "本书", check: "练习：写代码并检查", language: "English",
  start: "开始", pause: "暂停", update: "更新一次", reset: "重置", apply: "应用并重置",
  speed: "速度", fast: "尽可能快", medium: "每秒 10 次更新", slow: "每秒 2 次更新",
  settings: "设置", both: "两个模型", modelA: "模型 A", modelB: "模型 B",
  loading: "正在载入训练程序……", ready: "就绪。", running: "训练中。", paused: "已暂停。", finished: "已完成。",
  progress: (step, steps) => `第 ${step} 次更新，共 ${steps} 次`,
  changed: "设置已更改。",
  replaced: (names) => `地址中的这些设置未知或超出范围，已改用默认值：${names}。`,
  range: (least, most) => `必须是 ${least} 到 ${most} 之间的数`,
  order: "最长的源序列不能短于最短的",
  loss: "损失", lossNote: "每个批次的交叉熵，单位：奈特每词元",
  exact: "各长度的完全匹配率", exactNote: "输出没有任何错误的保留样本所占的比例；阴影：训练中的长度，上方是它们的平均值",
  updates: "更新次数", length: "源序列长度",
  input: "自己输入一个源序列", another: "换一个例子", inputNote: "输入任务的词元，就能看到每个模型现在写出什么。",
  target: "正确答案", unknownTarget: "自己输入的日期没有已知的正确答案，因此不标对错。",
  writes: "写出", parameters: (n) => `${n} 个参数`,
  right: "对", wrong: "错",
  reads: "各行", forced: "正确的词元（与训练时一样读入）", own: "模型自己的输出",
  noWeights: "这个解码器没有注意力：每一步都读同一个向量，即编码器的最后状态。",
  cell: (t, to, j, from, weight) => `α(${t}, ${j}) = ${weight}：写“${to}”时，模型给第 ${j} 个源词元“${from}”的权重是 ${weight}`,
  pick: "指向一个格子，或用方向键移动，即可读出它的权重。单击或按回车，查看这一步的内部。",
  alignment: (name) => `模型 ${name} 的对齐：行是写出的词元，列是源词元`,
  inside: "一步之内", close: "关闭", look: (t) => `查看第 ${t} 步`,
  insideTitle: (t, written, read) => `第 ${t} 步：解码器读入“${read}”，写出“${written}”`,
  insideNote: "x 是 [E y; c]，即读入词元的嵌入与上下文。指向一个数，或用左右方向键，即可读出它。蓝色为正，橙色为负。" +
              "上下拖动 s 或 h 的一个数（或按上下方向键）即可改变它，训练程序会重新计算这一步。横线标出改变之前的值。",
  way: "方向", forward: "前向：各量的值", backward: "反向：梯度",
  backwardNote: "x̄ 是 ∂L/∂x：x 稍有变化时损失的变化，由计算带求出。ℓ 是 logits，τ_j 是 e_tj 里的 tanh，ā 是循环单元中 σ 与 tanh 的自变量处的梯度。" +
                "每一条中绝对值最大的数颜色最深。h_j 的梯度只含经过这一步的路径。",
  tokenLoss: (token, loss, before) => `L = −log p(“${token}”) = ${loss}${before ? `（改变之前是 ${before}）` : ""}`,
  annotation: "标注", restore: "恢复模型的数",
  gradientsNote: "梯度到达的地方：包含所有路径，也经过之前各步和编码器。一格是一块的均方根，最大的颜色最深。",
  parameter: "参数", shape: "形状", norm: "范数", gradient: "梯度",
  byHand: (difference, gradients) => `各部分逐一计算；与库自身这一步的最大差别是 ${difference}，与其梯度的最大差别是 ${gradients}。`,
  breakIt: "弄坏它", experiment: "实验", rightModel: "正确的模型",
  experiments: "对上面的源序列，现在对模型做实验的结果",
  pads: "批次里有更长的源序列时，p(y_t) 的最大变化", steps: "α_tj 在两步之间的最大差别",
  later: "改变最后一个源词元时，h_1 的相对变化", query: "上一次更新中 W_a 的梯度的范数",
  mistakes: {
    no_mask: ["没有掩码：", "softmax 也给填充位置权重。改变的：同一个源序列与更长的序列放在一起，概率就不同。不变的：单独一个源序列、" +
              "等长批次的损失、图中的对角线。训练甚至会学着避开它遇到的填充。"],
    no_tanh: ["没有 tanh：", "v_a · W_a s 对每个 j 都是同一个数，softmax 把它消去。改变的：每一步的权重都相同，W_a 得不到梯度。" +
              "不变的：形状、权重之和；损失仍会下降，只是更慢。"],
    no_backward: ["没有反向的一半：", "h_j = [→h_j; 0]。改变的：h_1 不知道它后面的词元。不变的：反转几乎用不到它们，" +
                  "所以损失和图看起来都对；排序更需要它们。"],
    ask_after: ["用 s_t 提问：", "解码器先用上一步的上下文更新状态，再提问，这是 Luong 的顺序。改变的：这一步的上下文只经过输出层影响写出的词元。" +
                "不变的：照样能学会，图也是同样的对角线。"],
    wrong_end: ["从错误的一端开始：", "s_0 取自批次最后位置的反向状态。改变的：s_0 只读过一个词元，较短的源序列则只读到填充，" +
                "所以概率取决于批次。不变的：注意力弥补了这个差的起点。"],
  },
  save: "下载权重", saveNote: "供 gradus translate 使用",
  names: {
    task: "任务", symbols: "符号数", shortest: "最短源序列", longest: "最长源序列", batch: "批大小",
    rate: "学习率", steps: "更新次数", seed: "随机种子", decoder: "解码器", attention: "注意力", cell: "循环单元",
    embedding: "嵌入 E", hidden: "状态 H", energy: "能量 A", encoder: "编码器",
    mask: "掩码", tanh: "能量中的 tanh", backward: "h_j 的反向一半", query: "查询", start: "s_0 取自",
  },
  choices: {
    reverse: "反转", copy: "复制", sort: "排序", dates: "日期", none: "无", fixed: "固定上下文",
    cho: "Cho：每一步都读上下文", bahdanau: "Bahdanau：注意力", additive: "加性", dot: "点积（Luong）",
    scaled_dot: "缩放点积", gru: "GRU", lstm: "LSTM", rnn: "tanh RNN", "original-gru": "论文中的 GRU",
    both: "双向", forward: "仅正向", on: "有", off: "无", before: "s_t−1", after: "s_t（Luong 的顺序）",
    first: "←h_1", last: "←h_T（错误的一端）",
  },
};

export const languages = { en: english, zh: chinese };
export const words = languages[language];
