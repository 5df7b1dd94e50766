"""Chinese translations of the words in rendered tables, for the pages of docs/zh.

`results.py` stops at a cell or sentence that has no translation here, so that no English is left in a Chinese page.
"""

import re
import sys

import results_chinese_museum
from results_kit import ROOT

WORDS = {
    # speed
    "gradus, ms": "gradus，毫秒", "libtorch, ms": "libtorch，毫秒", "out of the box, ms": "默认设置，毫秒",
    "of the SGEMM peak": "相对 SGEMM 峰值", "gradus, MB": "gradus，MB", "libtorch, MB": "libtorch，MB", "allocations": "分配次数",
    "later allocations": "此后的分配次数", "tiny": "tiny", "d2l": "d2l", "d2l-exact": "d2l-exact", "paper-exact": "paper-exact",
    "ms": "毫秒", "f32 ÷ bf16": "f32 ÷ bf16", "gradus, f32": "gradus，f32", "gradus, bf16": "gradus，bf16", "libtorch, f32": "libtorch，f32", "libtorch, bf16": "libtorch，bf16",
    "ratio to libtorch": "与 libtorch 的比值", "options": "选项", "thousand target tokens per second": "每秒目标词元，千",
    "relative speed": "相对速度", "none": "无", "cost against": "代价随什么增长", "exponent": "指数", "size: ms": "大小：毫秒",
    "encoder, T": "编码器，T", "attention, Tx Ty": "注意力，Tx Ty", "training step, T": "一步训练，T", "training step, B": "一步训练，B",
    "training step, H": "一步训练，H", "training step, V": "一步训练，V", "threads": "线程数",
    "ms with a busy neighbour": "有繁忙的邻居时，毫秒", "operation": "运算", "gradus, µs": "gradus，微秒",
    "composed ÷ gradus": "组合 ÷ gradus", "plain loop ÷ gradus": "普通循环 ÷ gradus", "of the bound": "相对极限",
    "a + row": "a + 行", "a * column": "a * 列", "sigmoid": "sigmoid", "exp": "exp", "sum of rows": "逐行求和",
    "sum of columns": "逐列求和", "softmax": "softmax", "transpose": "转置", "concat of columns": "按列拼接",
    "rows by index": "按下标取行", "GRU cell": "GRU 单元", "GRU update": "GRU 更新", "additive energy": "加性能量",
    "GRU sequence": "GRU 序列", "LSTM sequence": "LSTM 序列", "additive attention": "加性注意力", "cross-entropy": "交叉熵",
    "layer norm": "层归一化",
    # the options of small models
    "Open for the options of each row": "展开可看各行的选项", "options of train": "train 的选项", "of compress": "compress 的选项",
    "of translate and evaluate": "translate 和 evaluate 的选项",
    "Every training also has `--seed N`. `out/teacher` is the run of f32.": "每次训练还有 `--seed N`。`out/teacher` 是“f32”的训练结果。",
    "Every training also has `--seed N`. `out/teacher` is the run of f32. `out/beams` has its translations of the training sources, and the dev and test pairs.":
        "每次训练还有 `--seed N`。`out/teacher` 是“f32”的训练结果。`out/beams` 里是它对训练源句的译文，以及开发集和测试集的句对。",
    # the command
    "source tokens": "源词元数", "sentence pairs": "句对数",
    "gradus": "gradus", "test BLEU": "测试集 BLEU", "exact match, lengths 1 to 25": "完全匹配率，长度 1 至 25",
    "exact match, lengths 1 to 30": "完全匹配率，长度 1 至 30", "training, s": "训练，秒", "BLEU, greedy": "BLEU，贪心",
    "BLEU, beam 5": "BLEU，束宽 5", "Bahdanau, bf16": "Bahdanau，bf16", "French, BLEU, greedy": "法语，BLEU，贪心",
    "French, BLEU, beam 5": "法语，BLEU，束宽 5", "reversal, exact match, lengths 1 to 25": "反转，完全匹配率，长度 1 至 25",
    "reversal, exact match, lengths 1 to 30": "反转，完全匹配率，长度 1 至 30", "reversal, BLEU": "反转，BLEU",
    "greedy BLEU, each model": "贪心 BLEU，单个模型", "greedy BLEU, ensemble of three": "贪心 BLEU，三个模型的集成", "last checkpoint": "最后的检查点",
    "average of the last five": "最近五个的平均", "sentence": "句子", "output": "输出", "reference": "参考译文", "d2l's BLEU": "d2l 的 BLEU",
    "in training set": "在训练集中", "word error rate": "词错误率", "configuration": "配置",
    **{sentence: sentence for sentence in (
        "Go.", "va !", "Va !", "I lost.", "j'ai perdu.", "J'ai perdu.", "He's calm.", "il est calme.",
        "Il est calme.", "I'm home.", "je suis chez moi.", "Je suis chez moi.")},  # text, not translated
    # the staircase
    "step": "教程", "topic": "内容", "to read": "阅读", "to run": "运行", "time": "时间",
    "what a tensor is, and what it says when shapes do not fit": "什么是张量，以及形状不匹配时报什么错",
    "the chain rule on a tape, written by hand": "梯度带上的链式法则，手工实现",
    "broadcasting backward, and finite differences": "广播的反向传播，以及有限差分",
    "loss, gradients, clipping and Adam, each written out": "损失、梯度、裁剪和 Adam，逐一实现",
    "backpropagation through time, and gradients that vanish or explode": "沿时间反向传播，以及会消失或爆炸的梯度",
    "how the GRU and the LSTM keep a state over many steps": "GRU 和 LSTM 怎样在许多步里保持状态",
    "how much of a sequence one vector can hold": "一个向量装得下多长的序列",
    "whether it helps to read the same vector again and again": "反复读同一个向量，有没有用",
    "annotations of both directions, and what each of them knows": "两个方向的注解向量，以及其中包含的信息",
    "a query, keys, values, a mask": "查询、键、值和掩码",
    "how far it gets in reversal, compared with two decoders without attention":
        "反转序列能做到多好，与两个没有注意力的解码器比较",
    "greedy, sampling, and beam search by hand": "贪心解码、采样，以及手写的束搜索",
    "additive, dot, scaled dot, and one of your own": "加性、点积、缩放点积，以及自己编写的一种",
    "words, unknown words, and their order": "词、未登录词和词序",
    "fewer bits, fewer weights, fewer units, and a teacher": "更少的位数、更少的权重、更少的单元，以及一个教师",
    "attention over the frames of speech": "在语音的帧上的注意力",
    # 01
    "backward": "反向传播的规则", "newest first, adding": "从最新的开始，累加", "newest first, assigning": "从最新的开始，赋值",
    "depth first, at every use": "深度优先，每次使用都传递", "depth first, once a node": "深度优先，每个节点一次",
    "number": "数", "L after adding 0.001": "加上 0.001 之后的 L", "change of L / 0.001": "L 的变化 / 0.001",
    "leaf": "叶节点", "value": "值", "gradient": "梯度", "target": "目标", "before": "训练前", "after": "训练后",
    # 02
    "formula": "公式", "log10 of the error": "误差的 log10", "in theory": "理论值", "log10 of its step": "步长的 log10", "error at 0.001": "步长 0.001 时的误差",
    "2-point forward, f64": "2 点前向，f64", "2-point central, f64": "2 点中心，f64", "4-point central, f64": "4 点中心，f64",
    "2-point forward, f32": "2 点前向，f32", "2-point central, f32": "2 点中心，f32", "4-point central, f32": "4 点中心，f32",
    "function": "函数", "elements": "元素数", "wrong": "错误", "not judged": "未判定",
    "derivative taken at x": "导数用 x 计算", "last element detached": "最后一个元素脱离了梯度带",
    "multiplied by 0": "乘以 0", "relu, and an element is 0": "relu，且有一个元素为 0",
    # 03
    "optimiser, learning rate": "优化器，学习率", "loss at the end": "最终损失", "held-out accuracy": "留出集准确率",
    "steps clipped": "被裁剪的步数比例", "momentum, 0.1": "动量法，0.1", "Adam, 0.01, clipped": "Adam，0.01，裁剪",
    "momentum, 1": "动量法，1", "momentum, 1, clipped": "动量法，1，裁剪",
    "Adam, 0.01, no zero_grad": "Adam，0.01，漏掉 zero_grad",
    "answer": "答案", "logit y": "logit y", "exp(y)": "exp(y)", "onehot": "onehot", "p − onehot": "p − onehot", "from the tape": "梯度带的结果",
    "the gradient": "梯度", "norm, relative": "相对范数", "cosine with it": "与正确梯度的夹角余弦", "as it is": "未作处理",
    "clipped to 0.3 of its norm": "裁剪到范数的 0.3 倍", "each parameter clipped by itself": "逐个参数分别裁剪",
    "backward twice, no zero_grad": "反向传播两次，漏掉 zero_grad",
    # 04, 05
    "line": "行", "first term": "第一项", "second term": "第二项", "sum": "和", "result": "结果",
    "1 step": "1 步", "delay": "延迟", "mean": "平均", "mean accuracy": "平均准确率", "above 0.95": "高于 0.95", "0.2 to 0.95": "0.2 至 0.95",
    "below 0.2": "低于 0.2", "lowest": "最低", "highest": "最高",
    "Cho et al. against": "与 Cho 等的约定比较", "after 1 step": "1 步之后", "after 20": "20 步之后",
    "PyTorch: r after the product": "PyTorch：r 在乘积之后", "Bahdanau et al.: z inverted": "Bahdanau 等：z 的含义相反",
    "the same, and z's weights negated": "同上，且 z 的权重变号", "network": "网络", "10 steps": "10 步",
    # 06, 07
    "length": "长度", "600 updates": "600 次更新", "2400 updates": "2400 次更新", "model": "模型", "parameters": "参数个数",
    # compress-a-model
    "method": "方法", "MB": "MB", "after gzip": "gzip 之后", "speed, f32 = 1": "速度，f32 = 1", "BLEU": "BLEU", "`--int8`": "`--int8`", "`--bf16`": "`--bf16`", "2,000 words": "2,000 个词", "50 % zeros": "50 % 的零",
    "2,000 words, `--int8`": "2,000 个词，`--int8`", "50 % zeros, `--int8`": "50 % 的零，`--int8`", "small model": "小模型",
    "small model, teacher": "小模型，有教师", "small model, teacher, `--int8`": "小模型，有教师，`--int8`", "ratio": "比值", "f32": "f32", "int8": "int8",
    "int8, MB": "int8，MB", "after gzip, MB": "gzip 之后，MB",
    "instructions": "指令集", "AMX": "AMX", "AVX512-VNNI": "AVX512-VNNI", "AVX2": "AVX2", "f32, ms": "f32，毫秒", "int8, ms": "int8，毫秒",
    # sparse-attention, hard-attention
    "weights": "权重", "%, length 10": "%，长度 10", "soft": "soft", "local-p": "local-p", "hard": "hard", "Gumbel": "Gumbel", "sparsemax": "sparsemax",
    "soft, smoothed": "soft，平滑", "Gumbel, temperature 0.1": "Gumbel，温度 0.1", "Gumbel, temperature 10": "Gumbel，温度 10",
    "soft, batches of 4": "soft，批次为 4", "hard, batches of 4": "hard，批次为 4", "Gumbel, batches of 4": "Gumbel，批次为 4",
    "soft, large energies": "soft，能量很大", "sparsemax, large energies": "sparsemax，能量很大",
    "REINFORCE": "REINFORCE", "REINFORCE without a baseline": "REINFORCE，没有基线", "updates": "更新次数", "noise": "噪声", "cosine": "余弦",
    # many-machines
    "parameters, M": "参数，百万", "1 process, ms": "1 个进程，毫秒", "2 processes, ms": "2 个进程，毫秒", "adding up, ms": "求和，毫秒", "predicted, ms": "预测，毫秒", "predicted, s": "预测，秒", "bf16, ms": "bf16，毫秒",
    "learning rate": "学习率", "dev loss": "开发集损失",
    "without mpirun, ms": "不用 mpirun，毫秒", "2 processes, bf16, ms": "2 个进程，bf16，毫秒", "1 process, 4 shards, ms": "1 个进程，4 个分片，毫秒", "4 processes, 4 shards, ms": "4 个进程，4 个分片，毫秒",
    "100 Mbit/s": "100 Mbit/s", "overlap": "重叠", "link": "链路", "sentences": "句子数", "step, s": "每步，秒", "adding up, s": "求和，秒", "waiting, s": "等待，秒",
    "waiting of adding up": "等待占求和的比例", "yes": "是", "no": "否",
    # serve
    "sent by": "发送者", "lines per second": "每秒行数", "median, ms": "中位数，毫秒", "99th percentile, ms": "第 99 百分位，毫秒", "clients, % of the cores": "客户端，占核的 %", "1 client": "1 个客户端", "1 client: lines per second": "1 个客户端：每秒行数", "64 clients: lines per second": "64 个客户端：每秒行数", "server": "服务器", "without a cache": "没有缓存", "with `--cache 64`": "有 `--cache 64`", "64 clients": "64 个客户端",
    "a file, `gradus translate`": "文件，`gradus translate`", "minutes": "分钟", "translations": "翻译请求", "texts compared with `gradus translate`": "与 `gradus translate` 比较的译文",
    "wrong requests and clients that misbehave": "错误的请求和行为不当的客户端", "wrong answers": "错误的回答", "requests without an answer": "没有得到回答的请求", "reloads of the models": "重新加载模型的次数", "resident memory, MiB: median of each quarter of the time": "常驻内存，MiB：每四分之一时间的中位数",
    # decisions
    "runs": "运行次数", "mimalloc": "mimalloc", "mimalloc, large pages": "mimalloc，大页", "aligned new": "对齐的 new", "tuned glibc": "调优的 glibc",
    "oneTBB, static": "oneTBB，静态", "oneTBB, auto": "oneTBB，自动", "OpenMP": "OpenMP", "OpenMP, short spin": "OpenMP，短暂自旋", "OpenMP, dynamic": "OpenMP，动态",
    "MB / thousand page faults": "MB / 千次缺页", "resident memory, MB": "常驻内存，MB", "the program's start": "程序启动时", "a small tensor": "一个小张量之后",
    "3000 tensors": "3000 个张量之后", "freeing all of them except one": "释放到只剩一个之后",
    "algorithm": "算法", "largest error": "最大误差", "non-zero in zero rows": "零行中的非零元素", "NaN in other rows": "其他行中的 NaN",
    "conventional": "普通算法", "Strassen, one level": "Strassen，一层", "Strassen, two levels": "Strassen，两层",
    "A": "A", "B": "B", "oneDNN, µs": "oneDNN，微秒", "OpenBLAS, Haswell kernels": "OpenBLAS，Haswell 内核",
    "OpenBLAS, SkylakeX kernels": "OpenBLAS，SkylakeX 内核",
    "package": "软件包", "new packages": "新的软件包", "MB installed": "安装后的 MB",
    # 08
    "read from": "读自", "what moves": "变化的量", "right": "正确", "mistaken": "错误",
    "$\\overleftarrow{h}_T$, when $x_1$ changes": "$\\overleftarrow{h}_T$，改变 $x_1$ 时",
    "last $\\overrightarrow{h}$, when padding is added": "最后的 $\\overrightarrow{h}$，添加填充时",
    "$\\overleftarrow{h}_T$, when padding is added": "$\\overleftarrow{h}_T$，添加填充时",
    # 09
    "key": "键", "a, first": "a，第 1 维", "a, second": "a，第 2 维", "tanh, first": "tanh，第 1 维", "tanh, second": "tanh，第 2 维",
    "exp(e)": "exp(e)", "h, first": "h，第 1 维", "h, second": "h，第 2 维", "α h, first": "α h，第 1 维", "α h, second": "α h，第 2 维",
    "h − c, first": "h − c，第 1 维", "h − c, second": "h − c，第 2 维",
    "what": "测量的量", "measured": "结果",
    "$v_a$ = 0: largest difference of $α_j$ from 1/length": "$v_a$ = 0：$α_j$ 与 1/长度的最大差",
    "a single key: largest difference of c from $h_1$": "只有一个键：c 与 $h_1$ 的最大差",
    "keys permuted: largest difference from α permuted": "重排各键：与同样重排的 α 的最大差",
    "weight on padding, energy −∞ there": "填充的权重，填充处的能量设为 −∞", "weight on padding, energy · 0 there": "填充的权重，填充处的能量乘以 0",
    "weight on padding, no mask": "填充的权重，没有掩码",
    "another query: how far α moves": "换一个查询：α 的变化", "another query, no tanh": "换一个查询，没有 tanh",
    "pairs": "键值对的个数", "accuracy": "准确率", "weight on the right key": "正确键的权重",
    "sizes": "大小", "additive: once": "加性：一次", "a query": "每个查询", "tanh a query": "每个查询的 tanh",
    "dot: a query": "点积：每个查询", "here: Q 12, D 24, A 32, T 8": "这里：Q 12，D 24，A 32，T 8",
    "tutorial 10: Q 64, D 128, A 64, T 12": "教程 10：Q 64，D 128，A 64，T 12",
    "the paper: Q 1000, D 2000, A 1000, T 30": "论文：Q 1000，D 2000，A 1000，T 30",
    # 10
    "fixed context": "固定上下文", "alignment": "对齐", "largest on token L − t + 1": "最大权重在词元 L − t + 1 上的比例",
    "mean weight there": "该处的平均权重",
    # 11
    "method": "方法", "exact match": "完全匹配率", "mean ln p": "平均 ln p", "perplexity": "困惑度",
    "less likely than the truth": "概率低于正确答案", "greedy": "贪心", "temperature 1": "温度 1", "temperature 0.5": "温度 0.5",
    "beam 2": "束 2", "beam 5": "束 5", "beam 20": "束 20", "the truth": "正确答案",
    "width": "宽度", "found the best": "找到最优输出的比例", "mean score": "平均得分", "all outputs": "全部输出",
    # 12
    "var e": "e 的方差", "largest α": "最大的 α", "scaled: var e": "缩放：e 的方差", "scaled: largest α": "缩放：最大的 α",
    "scaled: Σ ∂α/∂e": "缩放：Σ ∂α/∂e", "additive": "加性", "dot": "点积", "scaled dot": "缩放点积", "general": "一般形式",
    "score": "打分函数", "before training": "训练前", "multiply-adds once": "乘加，一次", "each step": "每一步",
    "tanh each step": "每一步的 tanh",
    # 13
    "unknown, %": "未登录词，%", "training": "训练", "held out": "留出", "source": "源", "BLEU, training": "BLEU，训练",
    "replaced": "替换后", "copied": "照抄",
    # 15
    "speed": "语速", "symbols": "符号数", "times": "遍数", "content": "按内容", "location": "位置特征",
    "speed 1": "语速 1", "speed 2": "语速 2", "12 symbols": "12 个符号", "missing at 2": "语速 2 时漏掉的", "step at 2": "语速 2 时的步长",
    "location, as in tutorial 15": "位置特征，与教程 15 相同", "content, as in tutorial 15": "按内容，与教程 15 相同", "filters of 7 positions": "滤波器宽 7 个位置",
    "filters of 3 positions": "滤波器宽 3 个位置", "smoothing": "平滑", "a window of 6 positions in decoding": "解码时窗口为 6 个位置",
    "dropout 0.2": "随机失活 0.2", "a pyramid of one level": "一层的金字塔", "another speed for each symbol": "每个符号各有语速",
    "twice the updates": "两倍的更新次数", "filters of 7 positions, twice the updates": "滤波器宽 7 个位置，两倍的更新次数",
    "content, twice the updates": "按内容，两倍的更新次数", "monotonic, twice the updates": "单调，两倍的更新次数",
    "long sounds, filters of 7 positions, twice the updates": "长音，滤波器宽 7 个位置，两倍的更新次数",
    "long sounds, content, twice the updates": "长音，按内容，两倍的更新次数",
    "six times at 2": "语速 2，六遍", "frames left out, twice the updates": "略去一些帧，两倍的更新次数",
    "frames left out, filters of 7 positions, twice the updates": "略去一些帧，滤波器宽 7 个位置，两倍的更新次数",
    "frames left out, content, twice the updates": "略去一些帧，按内容，两倍的更新次数",
    "utterances": "话语", "location, silence left out": "位置特征，略去静音", "one quiet symbol": "一个符号很轻",
    "silence of up to 12 frames": "静音最多 12 帧", "silence of up to 40 frames": "静音最多 40 帧",
    "silence of up to 80 frames": "静音最多 80 帧", "location, at random speeds": "位置特征，随机速度",
    "one symbol six times, at speed 2": "语速 2，一个符号六遍", "location, frames left out": "位置特征，略去一些帧", "content, frames left out": "按内容，略去一些帧",
    "question": "问题", "speed 2, %": "语速 2，%", "12 symbols, %": "12 个符号，%", "at speed 2, yes": "语速 2：是", "at speed 2, no": "语速 2：不需要",
    "at speed 2, probably; for 12 symbols, smoothing and the window do harm": "语速 2：很可能；12 个符号：平滑和窗口都有害",
    "at speed 2, not known; for 12 symbols, finer does not help on its own": "语速 2：没有定论；12 个符号：只变细没有帮助",
    "for 12 symbols, probably": "12 个符号：很可能", "not known": "没有定论",
    "1. Filter too wide?": "1. 滤波器太宽？", "2. Weights too concentrated?": "2. 权重太集中？", "3. Pyramid too coarse?": "3. 金字塔太粗？", "4. Training too short?": "4. 训练太短？",
    "5. Speed of symbols too uniform?": "5. 各符号的语速太一致？", "6. Filters needed?": "6. 需要滤波器？", "7. Lengths of sounds too similar?": "7. 音的长短太接近？",
    "8. Must training contain faster speech?": "8. 训练必须有更快的语音？",
    "attention": "注意力", "wrong digits: another voice, %": "识别错误的数字：另一种音色，%", "other speeds, %": "其他语速，%",
    "monotonic, one direction": "单调，单向",
    "location, speeds to 2": "位置特征，语速到 2", "monotonic": "单调", "wrong symbols, %": "写错的符号，%", "delay, frames": "延迟，帧", "steps back, %": "后退的步，%",
    # 16
    "tokens to frames, and frames to sound": "从词元到帧，从帧到声音",
    "speaker": "说话者", "squared error": "平方误差", "length, %": "长度，%", "in order, %": "按顺序，%", "12 symbols: wrong, %": "12 个符号：写错，%",
    "location, 1 frame a step": "位置特征，每步 1 帧", "frames": "帧", "recorded": "录制的", "of the voice": "原声的", "said": "说出的", "of the sound": "由声音算出的",
    "iterations": "迭代", "distance": "距离", "wrong digits, %": "写错的数字，%",
    "recorded, to sound, to features: root mean square of the difference": "录音变成声音再变成特征：差的均方根", "deviation of these features": "这些特征的标准差",
    "seconds of training": "训练用时，秒",
    # 14
    "int8": "int8", "kB": "kB", "80 % zeros": "80 % 的零", "80 % zeros, then trained": "80 % 的零，继续训练",
    "half of the units": "一半的单元", "half of the units, then trained": "一半的单元，继续训练",
    "no teacher": "没有教师", "training pairs": "训练对数", "untrained teacher": "未训练的教师", "teacher's probabilities": "教师的概率",
    "teacher's attention": "教师的注意力", "teacher's translations": "教师的译文",
    "ms a sentence": "每句毫秒数", "zeros": "零", "global": "全局", "per matrix": "逐矩阵", "global, then trained": "全局，继续训练",
    "int8, then trained": "int8，训练时也取整",
    "attention in a window": "窗口内的注意力", "attention to one position": "单个位置的注意力",
    "bf16": "bf16", "2,000 target words": "2,000 个目标词", "2,000 target words, int8": "2,000 个目标词，int8", "MB": "MB", "MB, gzip": "MB，gzip", "bytes, %": "字节，%", "BLEU − f32": "BLEU − f32",
    "kB, gzip": "kB，gzip", "exact match, %": "完全匹配率，%", "exact match − f32": "完全匹配率 − f32",
    "90 % zeros, then trained longer": "90 % 的零，继续训练更久",
    "80 % zeros, global, then trained": "80 % 的零，全局，继续训练", "attention with one matrix": "共用一个矩阵的注意力",
    "convolution of the annotations": "注解向量的卷积", "tied embeddings": "共用嵌入", "shortlist": "候选词表",
    "best combination": "最好的组合", "8 target symbols": "8 个目标符号",
    "sentences/s, 1 at a time": "句/秒，每次 1 句", "sentences/s, 64 at a time": "句/秒，每次 64 句", "MB of memory": "内存，MB",
    "MB of memory, 1 and 64 at a time": "内存，MB，每次 1 句和 64 句", "sentences/s": "句/秒",
    **results_chinese_museum.WORDS,
}
# Words that are the same in both languages.
NAMES = {"Gbit", "Adam", "Bahdanau", "BLEU", "Cho", "GRU", "LSTM", "RNN", "SGD", "small", "medium", "paper", "da", "db", "dc", "tanh", "top"}
# Patterns for cells and lines that contain numbers.
SENTENCES = [
    (r"the run of (.+)", lambda found: f"与“{phrase(found[1])}”是同一次训练"),
    (r"student of a quarter((?:, .+)?)", lambda found: "四分之一大小的学生" + with_options(found[1])),
    (r"(French|reversal): (.+)", lambda found: {"French": "法语", "reversal": "反转"}[found[1]] + "：" + phrase(found[2])),
    (r"student of (\d+) units((?:, .+)?)", lambda found: f"{found[1]} 个单元的学生" + with_options(found[2])),
    (r"smallest student \((\d+) units\)((?:, .+)?)", lambda found: f"最小的学生（{found[1]} 个单元）" + with_options(found[2])),
    (r"([\d,]+) updates", r"\1 次更新"),
    (r"([\d.]+ → [\d.]+), clear", r"\1，明显"), (r"([\d.]+ → [\d.]+), probable", r"\1，很可能"),
    (r"after (\d+) updates", r"\1 次更新之后"),
    (r"< (\d+) s", r"不到 \1 秒"),
    (r"(\d+) s", r"\1 秒"),
    (r"(\d+) min", r"\1 分钟"),
    (r"%, (\d+) updates", r"%，\1 次更新"),
    (r"soft, then top-(\d)", r"soft，再 top-\1"),
    (r"(\d+) % zeros, then trained", r"\1 % 的零，继续训练"),
    (r"(\d+) % zeros, then trained, int8", r"\1 % 的零，继续训练，int8"),
    (r"soft, smoothed, then top-(\d)", r"soft，平滑，再 top-\1"),
    (r"length (\d+)", r"长度 \1"),
    (r"seed (\d+)", r"种子 \1"),
    (r"length (\d+) to (\d+): 0 in all columns\.", r"长度 \1 至 \2：各列都是 0。"),
    (r"Means of seeds (\d) and (\d)\. Open for the lowest and highest values", r"种子 \1、\2 的平均值。展开可看最低值和最高值"),
    (r"Means of seeds (\d), (\d) and (\d)\. Open for the lowest and highest values", r"种子 \1、\2、\3 的平均值。展开可看最低值和最高值"),
    (r"Means of seeds (\d) and (\d)\. Open for all rows, with the lowest and highest values", r"种子 \1、\2 的平均值。展开可看所有的行，以及最低值和最高值"),
    (r"Means of seeds (\d), (\d) and (\d)\. Open for all rows, with the lowest and highest values",
     r"种子 \1、\2、\3 的平均值。展开可看所有的行，以及最低值和最高值"),
    (r"(−?[\d.]+) \((−[\d.]+) to (−?[\d.]+)\)", r"\1 (\2 至 \3)"),
    (r"(`[^`]+`) for N = ([\d, ]+): each number is a mean, with the lowest and highest value in brackets\. (.+), (\d+) cores; revision (\w+)\.",
     r"\1，N = \2：平均值，括号内为最低值和最高值；\3，\4 核；修订版 \5。"),
    (r"Each model was made once, with seed 1, by the commands of this page\. (.+), (\d+) cores; revision (\w+)\.", r"每个模型都由本页的命令得到，只做一次，种子为 1。\1，\2 核；修订版 \3。"),
    (r"(`[^`]+`) and (`[^`]+`) for N = ([\d, ]+); (.+), (\d+) cores; revision (\w+)\.", r"\1 和 \2，N = \3；\4，\5 核；修订版 \6。"),
    (r"(`[^`]+`) for N = ([\d, ]+); (.+), (\d+) cores; revision (\w+)\.", r"\1，N = \2；\3，\4 核；修订版 \5。"),
    (r"The BLEU on all held-out sentences is ([\d.]+)\. (`[^`]+`) for N = (\d+); (.+), (\d+) cores; revision (\w+)\.",
     r"所有留出句子的 BLEU 是 \1。\2，N = \3；\4，\5 核；修订版 \6。"),
    (r"All rows have (`[^`]+`)\. (`[^`]+`); (.+), (\d+) cores; revision (\w+)\.", r"各行的选项都有 \1。\2；\3，\4 核；修订版 \5。"),
    (r"The bounds are (.+) GB/s for memory and (.+) GFLOP/s for SGEMM\. (`[^`]+`); (.+), (\d+) cores; revision (\w+)\.",
     r"上限是：内存 \1 GB/s，SGEMM \2 GFLOP/s。\3；\4，\5 核；修订版 \6。"),
    (r"(\w+), train, (\d+) threads?(, busy neighbour)?", lambda found: f"{found[1]}，训练，{found[2]} 线程{'，繁忙的邻居' if found[3] else ''}"),
    (r"(\w+), decode, batch (\d+), (\d+) threads?", r"\1，解码，批次 \2，\3 线程"),
    (r"([\d,]+) of ([\d,]+)", r"\2 个中的 \1 个"),
    (r"The time of a run is the median of its timed steps\. (?:With (two threads), a|A) run of `small` has (\d+) untimed and (\d+) timed steps,(?: and)? a run of `medium` (\d+) and (\d+)(?:, and a run of `paper` (\d+) and (\d+))?\. "
     r"Every other run has the steps of its `--config`\. The first column gives `--config`, `--mode`, `--batch` and `--threads`\. (`[^`]+`); (.+), (\d+) cores; revision (\w+); ([\d-]+)\.",
     lambda found: f"一次运行的时间是计时各步的中位数。{'用两个线程时，' if found[1] else ''}一次运行的步数是：`small` 先运行 {found[2]} 步，再计时 {found[3]} 步；`medium` 是 {found[4]} 步和 {found[5]} 步；"
                   f"{f'`paper` 是 {found[6]} 步和 {found[7]} 步；' if found[6] else ''}其他的由 `--config` 决定。第一列是 `--config`、`--mode`、`--batch` 和 `--threads`。{found[8]}；{found[9]}，{found[10]} 核；修订版 {found[11]}；{found[12]}。"),
    (r"(\d+) × (\d+), transposed", r"\1 × \2，转置"),
    (r"Each time is that of the fastest call in three runs, on one thread, with oneDNN ([\d.]+) and OpenBLAS ([\d.]+); (.+), (\d+) cores; revision (\w+); ([\d-]+)\.",
     r"时间是三次运行中最快的一次调用的时间，用一个线程，oneDNN \1，OpenBLAS \2；\3，\4 核；修订版 \5；\6。"),
    (r"Seed (\d+); (.+), (\d+) cores; revision (\w+); ([\d-]+)\.", r"种子 \1；\2，\3 核；修订版 \4；\5。"),
    (r"\*MB installed\* is the sum of `Installed-Size` over the new packages: those that are not yet on a Debian (\d+) with the packages that `\./run` installs\. (`[^`]+`); (.+), (\d+) cores; revision (\w+); ([\d-]+)\.",
     r"“安装后的 MB”是各个新软件包的 `Installed-Size` 之和。新软件包是 Debian \1 在装好 `./run` 所装的软件包之后还没有的软件包。\2；\3，\4 核；修订版 \5；\6。"),
    (r"([\w-]+), train, batch (\d+)", r"\1，训练，批次 \2"), (r"([\w-]+), decode, batch (\d+)", r"\1，解码，批次 \2"),
    (r"(\w+), batch (\d+)", r"\1，批次 \2"), (r"(gradus|libtorch), (\d+) threads?", r"\1，\2 线程"),
    (r"(\d+) % of memory", r"内存带宽的 \1 %"), (r"(\d+) % of SGEMM", r"SGEMM 的 \1 %"), (r"matmul ([\dx]+)", r"matmul \1"),
    (r"(`[^`]+`); (.+), (\d+) cores; revision (\w+)\.", r"\1；\2，\3 核；修订版 \4。"),
    (r"To reverse a source of length L, step t needs source token L − t \+ 1\. Over at most 500 held-out sources of each length from "
     r"3 to 12, this token has the largest weight in (.+ %) of the steps\. Its mean weight is (.+)\.",
     r"要反转长度为 L 的源序列，第 t 步需要源词元 L − t + 1。在长度 3 到 12 的留出的源序列上（每种长度最多 500 个），"
     r"\1 的步把最大的权重放在这个词元上；它的平均权重是 \2。"),
    (r"Training took (.+) s for the fixed context, (.+) s for Cho's model and (.+) s for Bahdanau's \((.+), (\d+) cores\)\.",
     r"训练用时：固定上下文 \1 秒，Cho 的模型 \2 秒，Bahdanau 的模型 \3 秒（\4，\5 核）。"),
    (r"\*To run\* is the median time of three runs on an idle machine, without the build\. (.+), (\d+) cores; tutorials (.+) and (.+): (.+), (\d+) cores\.",
     r"运行一栏是在空闲的机器上三次运行时间的中位数，不含编译。\1，\2 核；教程 \3 和 \4：\5，\6 核。"),
    (r"\*To run\* is the median time of three runs on an idle machine, without the build\. (.+), (\d+) cores\.", r"运行一栏是在空闲的机器上三次运行时间的中位数，不含编译。\1，\2 核。"),
    *results_chinese_museum.SENTENCES,
]
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)  # code blocks, which are not translated
PROBE = re.compile(r"\*\*The probe\.\*\* \*This exhibit:\* (.*) \*The right program:\* (.*)")
SAID_ALIKE = re.compile(r"\$[^$]*\$|`[^`]*`")  # formulas and code, the same in both languages
LINK = re.compile(r"\[[^\]]*\]\(docs/([^)]*)\)")  # a link to a page that has a Chinese version


def with_options(text):
    """Translates the parts after the name of a model, such as ", teacher's translations, int8"."""
    return "".join("，" + phrase(part) for part in text.split(", ")[1:])


def phrase(text):
    if text in WORDS:
        return WORDS[text]
    for english, chinese in SENTENCES:
        if re.fullmatch(english, text):
            return re.sub(english, chinese, text)
    if probe := PROBE.fullmatch(text):
        return f"**探测**：*这件展品*：{phrase(probe[1])}*正确的程序*：{phrase(probe[2])}"
    if link := LINK.fullmatch(text):
        page = f"docs/zh/{link[1]}"
        return f"[{(ROOT / page).read_text().split(chr(10), 1)[0].removeprefix('# ')}]({page})"
    unknown = set(re.findall(r"[A-Za-z]{2,}", SAID_ALIKE.sub("", text))) - NAMES
    if unknown:
        sys.exit(f"results.py: {text!r} has no Chinese; add it to docs/results_chinese.py")
    return text


def row(line):
    if tags := re.fullmatch(r"(</?[\w ]+>|### \d+\. |- )(.*?)((?:</\w+>)?)", line):
        return tags[1] + phrase(tags[2]) + tags[3]
    return "| " + " | ".join(map(phrase, line[2:-2].split(" | "))) + " |" if line.startswith("| ") else phrase(line)


def in_chinese(text):
    """Translates a Markdown table with the text below it, or sentences. Leaves code blocks unchanged."""
    return "".join(part if part.startswith("```") else "\n".join(map(row, part.split("\n"))) for part in CODE.split(text))
