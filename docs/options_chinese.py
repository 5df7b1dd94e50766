"""The Chinese of each command's --help: its groups, defaults and effects, for docs/options.py."""

WORDS = {
    # groups of train
    "Option sources": "选项的来源", "Training data": "训练数据", "Tasks": "任务", "Tokens": "词元", "Model": "模型", "Training": "训练",
    "Run": "运行", "Small models": "小模型",
    # defaults
    "on": "开", "off": "关", "a fraction of the training text": "训练文本的一部分", "0: all": "0：全部", "0: none": "0：无",
    "0: as in training": "0：与训练相同", "0: keep whole words": "0：不切分单词", "0: leave out nothing": "0：什么也不排除",
    "0: train for --steps": "0：由 --steps 决定", "0: no limit": "0：不限", "500; 0: none": "500；0：不评测", "0: never": "0：从不",
    "0: adam 0.001, adamw 0.001, sgd 0.1, adadelta 1, rmsprop 0.001, adagrad 0.01":
        "0：adam 0.001，adamw 0.001，sgd 0.1，adadelta 1，rmsprop 0.001，adagrad 0.01",
    "0: one per core, at most 16; of several processes, one": "0：每个核一个，最多 16 个；有多个进程时，一个", "0: half of all steps": "0：总步数的一半",
    # option sources
    "configuration file": "配置文件",
    "a paper's model, with its training settings where published": "一篇论文的模型；论文公布了训练设置时，也用这些设置",
    "resume this run with its options": "用原来的选项继续这次训练",
    # training data
    "a task with generated examples": "样本由程序生成的任务",
    "a phrase set shipped with gradus": "gradus 自带的短句",
    "training text: source TAB target lines": "训练文本：每行是“源句 TAB 目标句”",
    "training text: sources, one per line": "训练文本：源句，每行一个",
    "training text: their targets, one per line": "训练文本：对应的目标句，每行一个",
    "dev text: source TAB target lines": "开发集文本：每行是“源句 TAB 目标句”",
    "dev text: sources, one per line": "开发集文本：源句，每行一个",
    "dev text: their targets, one per line": "开发集文本：对应的目标句，每行一个",
    "test text: source TAB target lines": "测试集文本：每行是“源句 TAB 目标句”",
    "test text: sources, one per line": "测试集文本：源句，每行一个",
    "test text: their targets, one per line": "测试集文本：对应的目标句，每行一个",
    "percentage held out for dev, by a hash of the source": "划分给开发集的百分比，按源句的散列值划分",
    "percentage held out for test, likewise": "划分给测试集的百分比，划分方法相同",
    "translate from the second language to the first": "从第二种语言译成第一种语言",
    "the sources are paths of WAV files, or of .npy files of gradus features, relative to the list; --source may be a folder":
        "源句是 WAV 文件的路径，或 gradus features 写出的 .npy 文件的路径，相对于列表所在的位置；--source 可以是文件夹",
    "bands of the features of WAV files": "WAV 文件的特征的频带数",
    "lowest speed: training plays each recording at a random speed, by leaving out or repeating frames":
        "最低的速度：训练时以随机的速度播放每段录音，办法是省略或重复一些帧",
    "highest speed": "最高的速度",
    "maximum number of text pairs, selected by a hash": "最多使用多少个句对，按散列值挑选",
    # tasks
    "number of symbols": "符号的个数", "shortest source": "最短的源序列", "longest source": "最长的源序列",
    "longest held-out source": "留出的样本中最长的源序列", "training examples": "训练样本的个数",
    "examples in dev, and in test": "开发集和测试集各有多少个样本", "earliest year of a date": "日期中最早的年份",
    "latest year of a date": "日期中最晚的年份",
    # tokens
    "unit of a source token": "源词元的单位", "unit of a target token": "目标词元的单位", "lower-case the text": "把文本转成小写",
    "normalise Unicode to NFKC": "做 Unicode NFKC 规范化", "write « oui ! », not «oui!»": "写成 « oui ! »，而不是 «oui!»",
    "number of byte-pair merges": "字节对编码的合并次数",
    "SentencePiece model that splits the sources; it replaces the options above": "切分源句的 SentencePiece 模型；它代替以上各选项",
    "the same for the targets": "切分目标句的 SentencePiece 模型", "one vocabulary for both languages": "两种语言共用一个词表",
    "minimum count of a vocabulary token": "词元至少出现几次才收入词表",
    "number of most frequent tokens in a vocabulary": "词表只收最常见的多少个词元",
    "drop text pairs with a shorter source": "舍去源句的词元更少的句对", "drop text pairs with a longer source": "舍去源句的词元更多的句对",
    "drop text pairs with a longer target": "舍去目标句的词元更多的句对",
    # model
    "decoder: with attention (bahdanau) or without (fixed, cho)": "解码器：有注意力（bahdanau），或没有（fixed、cho）",
    "attention: a score function with a softmax (additive, dot, scaled_dot), or the additive score with "
    "one matrix for states and annotations (shared_additive), sparse weights (sparsemax, top_k), a window (local_p), one drawn position (hard, gumbel), the last weights as features (location), or a walk from left to right (monotonic)":
        "注意力：一种打分函数加 softmax（additive、dot、scaled_dot）；或加性打分，配以状态和注解向量共用的一个矩阵（shared_additive）、"
        "稀疏的权重（sparsemax、top_k）、一个窗口（local_p）、"
        "抽取的一个位置（hard、gumbel）、以上一步的权重为特征（location）、从左向右走（monotonic）",
    "recurrent cell of encoder and decoder": "编码器和解码器的循环单元", "embedding size, E": "嵌入的维数 E", "state size, H": "状态的维数 H",
    "hidden size of additive attention, A": "加性注意力的隐藏层的维数 A", "layers of encoder and decoder": "编码器和解码器的层数",
    "levels of the encoder that each halve the length of the source, for --frames": "编码器中使源序列的长度减半的层数，用于 --frames",
    "a convolution over pairs of annotations halves their number": "对每两个相邻的注解向量做卷积，使注解向量的个数减半",
    "attention leaves out silence: annotations this many decibels below the loudest one, for --frames":
        "注意力排除静音，即比最响的注解向量低这么多分贝的注解向量，用于 --frames",
    "the encoder reads in both directions": "编码器从两个方向读",
    "initial decoder state: from the encoder's backward state, from a summary of the source, a copy of its last state, or zeros; "
    "own: the decoder's default":
        "解码器的初始状态：由编码器的后向状态计算，由源句的概括计算，复制编码器的最后状态，或零；own：解码器的默认做法",
    "output layer: over the state; over state, context and last token, linear or with a maxout; maxout-earlier: with the previous state; "
    "own: the decoder's default":
        "输出层：读取状态；读取状态、上下文和上一个词元，线性或带 maxout；maxout-earlier：用上一步的状态；own：解码器的默认做法",
    "size of the maxout readout": "maxout 输出层的维数", "dropout of inputs and outputs": "输入和输出的随机失活",
    "dropout of attention weights": "注意力权重的随机失活",
    "positions that get weight in top_k attention, k": "top_k 注意力中得到权重的位置个数 k",
    "half the window of local_p attention": "local_p 注意力的窗口宽度的一半",
    "temperature of gumbel attention's gradient": "gumbel 注意力的梯度的温度",
    "filters of location attention, K": "location 注意力的滤波器个数 K",
    "positions that a filter of location attention sees, R": "location 注意力的滤波器覆盖的位置个数 R",
    "location attention normalises σ(e) instead of exp(e), so that the weights spread":
        "location 注意力对 σ(e) 而不是 exp(e) 做归一化，使权重分散",
    "in decoding, location attention reads at most N positions to each side of the last largest weight; 0: all":
        "解码时，location 注意力只读上一步最大权重两侧各 N 个位置；0：全部",
    "weights shared: target embedding and output layer (output), the source embedding too (all)":
        "共享的权重：目标嵌入与输出层（output），再加上源嵌入（all）",
    "initial parameters: as PyTorch's layers, as Bahdanau et al., Xavier, or all near 0":
        "参数的初始值：与 PyTorch 的各层相同，与 Bahdanau 等人相同，Xavier，或都接近 0",
    # training
    "number of updates, including those before a --resume": "更新的次数，包括 --resume 之前的",
    "number of passes over the training pairs; replaces --steps": "训练数据过几遍；代替 --steps",
    "initial source embeddings: word vectors in the text format of word2vec, fastText or GloVe":
        "源嵌入的初始值：词向量，格式是 word2vec、fastText 或 GloVe 的文本格式",
    "initial target embeddings, likewise": "目标嵌入的初始值，格式相同",
    "keep the embeddings of --source-embeddings and --target-embeddings as they are; those of tokens without a vector stay random":
        "不改变 --source-embeddings 和 --target-embeddings 给出的嵌入；没有词向量的词元保持随机的初始值",
    "initial weights: those of this trained model, with its data and model options": "权重的初始值：取自这个训练好的模型，数据和模型的选项也取自它",
    "pairs per batch": "每批的句对数",
    "maximum tokens per batch, both sides with padding; replaces --batch": "每批最多有多少个词元，两种语言都计入，填充也计入；代替 --batch",
    "update rule": "优化器", "learning rate": "学习率",
    "weight decay of the update rule; own: adamw 0.01, others 0": "优化器的权重衰减；own：adamw 是 0.01，其他是 0",
    "learning rate after the warm-up: constant; falling to --final-factor at the last step (linear, cosine, exponential); or falling when "
    "--metric stops improving (plateau)":
        "预热之后的学习率：不变（constant）；逐渐下降，最后一步降到 --final-factor（linear、cosine、exponential）；--metric 不再提高时下降（plateau）",
    "final/initial learning-rate ratio; of the plateau schedule, the least": "学习率的最后值与初始值之比；用 plateau 时，是最低值与初始值之比",
    "--schedule plateau multiplies the learning rate by this when --metric stops improving":
        "--metric 不再提高时，--schedule plateau 把学习率乘以这个数",
    "evaluations in a row without an improvement that --schedule plateau allows; the next one lowers the learning rate":
        "--schedule plateau 允许连续几次评测没有提高；再有一次，就降低学习率",
    "learning-rate warm-up steps": "学习率预热的步数",
    "batches per update, whose gradients are averaged over all tokens": "每次更新用几批数据；梯度对所有词元求平均",
    "parts of a batch, a power of two; their gradients are added up in a fixed order, so that the weights are the same for any number of "
    "processes that divides N":
        "一批分成几份，必须是 2 的幂；各份的梯度按固定的次序相加，所以只要进程数能整除 N，权重就相同",
    "round the gradients of --shards to bf16, which halves the bytes between processes": "把 --shards 的梯度舍入到 bf16，进程之间的字节减半",
    "maximum gradient norm; larger gradients are scaled down": "梯度范数的上限；更大的梯度按比例缩小",
    "precision of matrix-product inputs; all else is f32. bf16 is faster on processors that support it":
        "矩阵乘积的输入的精度；其余都是 f32。在支持 bf16 的处理器上，bf16 更快",
    "probability spread uniformly over all tokens": "标签平滑：均匀分给所有词元的概率",
    "weight of the attention entropy in the loss; positive values sharpen attention": "注意力的熵在损失里的权重；正值使注意力更集中",
    "weight of the coverage loss, which penalises attending to a position twice": "覆盖损失的权重；这种损失惩罚两次关注同一个位置",
    "scheduled sampling: fraction of the model's own tokens fed back at the end of training":
        "计划采样：训练结束时，输入中有多大比例是模型自己写出的词元",
    "steps between evaluations on the dev text; another follows the last step": "在开发集上两次评测之间的步数；最后一步之后还有一次评测",
    "dev metric that selects the best checkpoint, and that --patience and --schedule plateau watch; bleu and exact decode greedily":
        "用来选出最佳检查点的开发集得分，--patience 和 --schedule plateau 也根据它；bleu 和 exact 用贪心解码",
    "early stopping: end after this many evaluations in a row without a new best": "提前结束：连续这么多次评测都没有新的最佳得分时，结束训练",
    # run
    "folder of the run": "运行文件夹", "steps between checkpoints": "两个检查点之间的步数",
    "also write average.safetensors: the mean of the weights of the newest N checkpoints, one every --save-every steps and one at the end, "
    "which are kept as step-STEP.safetensors":
        "另外写出 average.safetensors：最近 N 个检查点的权重的平均值。每 --save-every 步写一个检查点，结束时再写一个，保存为 step-STEP.safetensors",
    "seed of generated examples, initial values, dropout and the order of pairs": "随机种子：用于生成的样本、初始值、随机失活和句对的次序",
    "number of threads of each process": "每个进程的线程数", "replace the run in the folder": "取代文件夹中原有的运行",
    # small models
    "fraction of the weights in matrices that are 0 at the end, the smallest ones": "结束时，矩阵中的权重有多大比例是 0；绝对值最小的变为 0",
    "round the weight matrices to int8 after each step, and add the updates to exact copies of them": "每一步之后把权重矩阵舍入为 int8，更新则加到精确的副本上",
    "the last step without pruned weights": "还没有剪去权重的最后一步",
    "the first step with all pruned weights; the best checkpoint is chosen from here on": "剪枝完成的第一步；从这一步起才选最佳检查点",
    "prune the same fraction of each matrix": "每个矩阵剪去同样的比例",
    "a trained model that knows all tokens of this run, whose predictions are learned too": "教师：认识本次训练的全部词元的训练好的模型，训练时也学习它的预测",
    "weight of the distance to the teacher's predictions; the data have the rest": "与教师的预测之间的距离的权重；其余的权重归数据",
    "temperature of both models' predictions; above 1, unlikely tokens count more": "两个模型的预测的温度；大于 1 时，概率小的词元分量更重",
    "weight of the distance to the teacher's attention weights": "与教师的注意力权重之间的距离的权重",
    "train on the teacher's translations, found by beam search of this width": "用教师的译文训练，译文由这个宽度的束搜索找到",
    "0: on the targets": "0：用目标句",
    # groups and defaults of other commands
    "Search": "搜索", "Outputs": "输出", "Evaluation pairs": "评测的句对", "Metrics": "得分", "Output": "输出到文件", "Pairs": "句对",
    "Computing": "计算", "Sentences": "句子", "Attention": "注意力",
    "Output files (instead of a picture in the terminal)": "输出文件（代替终端上的图）",
    "- for standard input": "- 表示标准输入", "- for standard output": "- 表示标准输出", "1: greedy": "1：贪心",
    "0: twice the source length plus 10": "0：源句长度的两倍加 10", "0: off": "0：关", "0: one per core, at most 16": "0：每个核一个，最多 16 个",
    "zh if --target-unit was chinese, else 13a": "--target-unit 是 chinese 时为 zh，否则为 13a", "the model's own": "模型自己的译文",
    "8000; 0: any free one": "8000；0：任何空闲的端口",
    # models, in several commands
    "the folder of a run of gradus train, or a checkpoint": "gradus train 的运行文件夹，或检查点",
    "the folder of a run of gradus train, or a checkpoint; repeat for an ensemble: each token is chosen by the mean of the models' "
    "probabilities":
        "gradus train 的运行文件夹，或检查点；给出几个就是集成：按各模型的平均概率选择每个词元",
    "the folder of a run of gradus train, or a checkpoint; repeat to compare models": "gradus train 的运行文件夹，或检查点；给出几个，就比较各模型",
    "the folder of a run of gradus train, or a checkpoint; repeat for an ensemble: the mean of the models' probabilities":
        "gradus train 的运行文件夹，或检查点；给出几个就是集成：使用各模型的平均概率",
    "the folder of a run of gradus train, or a checkpoint; repeat for the mean weights of an ensemble":
        "gradus train 的运行文件夹，或检查点；给出几个就是集成：显示平均的权重",
    "the folder of a run of gradus train, or a checkpoint; NAME=RUN gives it a name, such as eng-fra; repeat for several models":
        "gradus train 的运行文件夹，或检查点；NAME=RUN 给它一个名字，例如 eng-fra；可以给出几个",
    "the folder of a run of gradus train, a checkpoint, or another safetensors file":
        "gradus train 的运行文件夹、检查点，或其他 safetensors 文件",
    "a folder or file of gradus compress": "gradus compress 写出的文件夹或文件",
    # translate
    "sentences, one per line": "句子，每行一个", "output file, written after the last sentence": "输出文件，译完最后一句后写出",
    "file, or - with --output FILE. One line per output: for each target token, the source token with the largest weight, as source-target, "
    "counted from 0, for example 0-0 1-2":
        "文件；有 --output FILE 时，也可以是 -。每个输出一行，对每个目标词元给出权重最大的源词元，写成“源-目标”，从 0 计数，例如 0-0 1-2",
    "prefix each translation with log-probability TAB score TAB": "在每个译文前写出：对数概率 TAB 得分 TAB",
    "beam search: number of hypotheses kept per step": "束搜索：每一步保留的候选个数",
    "beam search: 0 favours short outputs, 1 ranks roughly by mean token log-probability":
        "束搜索：0 偏向短的输出，1 大致按词元的平均对数概率排序",
    "beam search: penalty for unattended source tokens": "束搜索：对没有得到注意的源词元的惩罚",
    "sample each token from the model's distribution": "按模型的分布抽取每个词元",
    "sampling: values below 1 favour likely tokens": "采样：小于 1 时偏向概率大的词元",
    "sampling: restrict to the K likeliest tokens": "采样：只从概率最大的 K 个词元中抽取",
    "sampling: restrict to the likeliest tokens that together reach probability P": "采样：只从概率最大、合计达到 P 的词元中抽取",
    "sampling: the same seed and input give the same output": "采样：种子和输入相同，输出就相同",
    "beam search: write the best N outputs, one per line: sentence number (from 0) TAB score TAB translation":
        "束搜索：写出最好的 N 个输出，每行一个：句子的编号（从 0 开始）TAB 得分 TAB 译文",
    "maximum tokens of an output": "一个输出最多有多少个词元",
    "minimum tokens of an output, without the end of the sentence": "一个输出最少有多少个词元，句子结束的标记不计入",
    "never write the same N successive tokens twice in an output": "一个输出中，任何相连的 N 个词元都不出现两次",
    "replace <unk> in the output by the source word with the largest attention weight": "把输出中的 <unk> 换成注意力权重最大的源词",
    "attend only to the K source tokens with the largest weights at each step": "每一步只关注权重最大的 K 个源词元",
    "precision of matrix-product inputs; all else is f32": "矩阵乘积的输入的精度；其余都是 f32", "number of threads": "线程数",
    # evaluate
    "evaluate the given models together: the mean of their probabilities at each token": "把给出的模型当作一个来评测：在每个词元处用它们的平均概率",
    "part of the model's corpus": "模型的语料的哪一部分",
    "a file of source TAB target lines; swapped if the model was trained with --swap":
        "文件，每行是“源句 TAB 目标句”；如果模型是用 --swap 训练的，就对调两列",
    "a file of sources, one per line": "源句的文件，每行一个", "the file of their targets, one per line": "对应的目标句的文件，每行一个",
    "score this file, one translation per line, instead of translating: BLEU and chrF against the targets of the pairs; without --model, "
    "--target is enough":
        "不翻译，而给这个文件评分，每行一个译文：对照句对的目标句计算 BLEU 和 chrF；没有 --model 时，给出 --target 就够了",
    "with --hypotheses and without --model: ignore case": "有 --hypotheses 而没有 --model 时：不分大小写", "BLEU's tokeniser": "BLEU 的切分方式",
    "fraction of distinct sources whose output equals any of their targets": "在不同的源句中，输出与任何一个目标句相同的比例",
    "alignment error rate: a file with one line per pair of sure 0-0 and possible 1?2 links between source and target tokens, from 0":
        "对齐错误率：文件，每个句对一行，列出源词元与目标词元之间确定的连线 0-0 和可能的连线 1?2，从 0 计数",
    "BLEU and exact match by source length": "各种源序列长度的 BLEU 和完全匹配率", "number of source lengths per row": "每行包含几种源序列长度",
    "print one JSON object instead of tables": "打印一个 JSON 对象，代替表格", "a chart of BLEU by source length": "各种源序列长度的 BLEU 的曲线图",
    "the translations, one per line": "译文，每行一个",
    # score and align
    "SOURCE TAB TARGET lines": "每行是“源句 TAB 目标句”", "sources, one per line": "源句，每行一个",
    "their targets, one per line": "对应的目标句，每行一个",
    "--pairs and standard input hold TARGET TAB SOURCE lines": "--pairs 和标准输入的每行是“目标句 TAB 源句”",
    "one line per target token instead: number of the pair's line and of the token (from 0), token, log-probability, separated by tabs":
        "改为每个目标词元一行：句对的行号和词元的编号（从 0 开始）、词元、对数概率，用 TAB 隔开",
    "only the totals: pairs, tokens, log-probability, cross-entropy per token, perplexity":
        "只打印总计：句对数、词元数、对数概率、每个词元的交叉熵、困惑度",
    "output file, written after the last pair": "输出文件，算完最后一对后写出", "a source sentence; repeatable": "一个源句；可以给出几个",
    "the translation of each --text, in order; with --source, the file of the targets":
        "依次是每个 --text 的译文；有 --source 时，是目标句的文件",
    "a file of source TAB target lines": "文件，每行是“源句 TAB 目标句”", "a picture": "一张图", "a page with all pictures": "含有全部图的网页",
    "the weights, one per line": "权重，每行一个", "tokens, weights and log-probabilities": "词元、权重和对数概率",
    "the matrix (target tokens, source tokens) for NumPy": "供 NumPy 使用的矩阵（目标词元，源词元）",
    # serve
    "file whose first line clients must send as their token": "文件，第一行是客户端必须发送的访问令牌",
    "origin whose pages may call the server (CORS)": "来自这个源的网页可以访问服务器（CORS）",
    "address to listen on; others than this machine's own need a token": "监听的地址；除了只在本机有效的地址，都需要访问令牌",
    "port to listen on": "监听的端口", "threads that decode": "解码的线程数",
    "memory per model for the annotations of texts seen before, MB": "每个模型用多少内存保留已见文本的注解向量，MB",
    # gradcheck, info and convert
    "a paper's model, with small sizes": "一篇论文的模型，但用小的维数", "seed of parameters, sentences and drawn elements": "随机种子：用于参数、句子和抽取的元素",
    "check only N elements of each parameter, drawn at random": "每个参数只检验随机抽取的 N 个元素", "print only its settings, as TOML": "只打印设置，格式是 TOML",
    "print only names, dtypes and shapes of its tensors": "只打印张量的名称、数据类型和形状", "print everything as JSON": "以 JSON 打印全部内容",
    "print the pairs of one part of its corpus: SOURCE TAB TARGET lines, or TARGET TAB SOURCE lines if it was trained with --swap":
        "打印语料的一部分的句对，每行是“源句 TAB 目标句”；如果模型是用 --swap 训练的，就是“目标句 TAB 源句”",
     "weights file to write": "要写出的权重文件",
    "weights file to read; must hold exactly the model's weights": "要读入的权重文件；其中的权重必须恰好是这个模型的",
    "checkpoint to write": "要写出的检查点", "folder for vocabularies, as text": "写出词表的文件夹，格式是文本",
    # compress, export and features
    "round every weight matrix to 8 bits, and vectors to 16": "把每个权重矩阵舍入到 8 位，向量舍入到 16 位",
    "round every weight to 16 bits, which halves the file; products stay f32": "把每个权重舍入到 16 位，文件减半；乘积仍用 f32",
    "keep this many hidden units of the decoder and of each encoder direction, those with the largest weights; the products get smaller":
        "解码器和编码器的每个方向只保留这么多隐藏单元，即权重最大的那些；乘积变小",
    "keep only the N most frequent words of the target vocabulary; the others cannot be written":
        "目标词表只保留最常见的 N 个词；其他的词不能写出",
    "fraction of the weights in matrices to set to 0, the smallest first; before --int8":
        "把矩阵中多大比例的权重设为 0，从绝对值最小的开始；在 --int8 之前",
    "folder to write": "要写出的文件夹", "file to write": "要写出的文件", "WAV file to read": "要读入的 WAV 文件", ".npy file to write": "要写出的 .npy 文件",
    "number of bands": "频带数",
}
