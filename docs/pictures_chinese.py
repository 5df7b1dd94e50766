#!/usr/bin/env python3
"""Translates the words in pictures for the Chinese book. The Chinese pages link to the English pictures in docs/pictures.
In the book, docs/site/hooks.py replaces each of these pictures with its translation.

docs/pictures_chinese.py check    fails if a picture on a Chinese page has a word without a translation here
"""

import functools
import re
import sys

from diagrams_kit import ROOT

PICTURES = ROOT / "docs" / "pictures"
WORDS = {
    # diagrams
    "forward": "前向", "backward": "反向", "saves ": "保存 ", "broadcast": "广播", "saves the shape of ": "保存形状：", "repeat": "重复",
    "tangent": "切线", "forward difference": "前向差分", "central difference": "中心差分", "node": "节点", "value": "值", "index": "下标", "gradient": "梯度",
    "reduce": "归约", "decoder": "解码器", "encoder": "编码器", "context": "上下文", "attention": "注意力",
    "true ": "真实的 ", "wrong: not b": "写错：不是 b", " the most likely token": "概率最大的词元", " once": "只传一次", ", once": "，只传一次", ", at every step": "，传给每一步", "has": "已经", "read": "读到", "query": "查询", "keys": "键",
    "values": "值", "mask, softmax": "掩码，softmax", "kept": "保留", "ended": "已结束", "kept and set aside": "保留，另外存放", "cut": "剪掉",
    "additive": "加性", "dot": "点积", "scaled dot": "缩放点积", "any ": "任意 ",
    "handles": "句柄", "one block of memory": "同一块内存", "place": "位置", "broadcasting": "广播", "row: (3)": "行：(3)", "a + row: (2, 3)": "a + 行：(2, 3)",
    "repeated, not copied": "重复使用，不复制",
    "start": "开始",
    "right": "正确", "mistaken": "错误", "has read padding": "读过填充", "reverse": "反转", "reverse again": "再反转", "exactly 0": "正好是 0",  # tutorial 08
    "round 0": "第 0 轮", "round 1": "第 1 轮", "round 2": "第 2 轮", "round 3": "第 3 轮", "round 4": "第 4 轮", "round 5": "第 5 轮",
    "with ": "参数：", "no parameters": "没有参数", "padding": "填充",
    "embedding": "嵌入", "ids": "编号", "tokens": "词元", "text": "文本",
    "broad row": "分散的行", "wrong position": "位置错误", "repeated row": "重复的行", "no weight in any row": "任何一行都没有权重",
    "keeps h": "保持 h", "takes n": "取 n",
    "reset gate": "重置门", "update ": "更新", "gate": "门", "new value": "新值", "forget gate": "遗忘门", "input gate": "输入门", "output gate": "输出门",
    "gate starts near 1": "门从接近 1 开始", "GRU and LSTM": "GRU 和 LSTM",
    "old step": "上一步", "new step": "这一步",
    "directly: 0.8808": "直接：0.8808", "through z: −0.0851": "经过 z：−0.0851", "through n: 0.0108": "经过 n：0.0108",
    "keep": "保留", "in between": "中间", "overwrite": "改写",  # tutorial 05
    "distance d = T − t": "距离 d = T − t",
    "models that learn, of 24": "24 个中学会的个数", "usual weights": "通常的权重", "orthogonal": "正交的权重",
    "one model": "一个模型", "the state": "状态", "the next state": "下一个状态", "0.9575, slope 0.17": "0.9575，斜率 0.17",
    "−0.9575, slope 0.17": "−0.9575，斜率 0.17", "0, slope 2": "0，斜率 2", "start: 0.1": "起点：0.1",  # tutorial 04
    # tutorials 14 to 16
    "slope 1": "斜率 1", "× slopes": "× 斜率", "token 1": "词元 1", "token 2": "词元 2", "without T²": "不乘 T²",
    "arrows: training moves each logit this way": "箭头是训练移动各个 logit 的方向",
    "times as fast as f32, logarithmic scale": "速度是 f32 的多少倍，对数刻度", "2,000 words, int8": "2,000 个词，int8",
    "if only the rounded weight is kept": "只保留取整后的权重时", "stop?": "停止？", "from ": "来自 ", "0.09 passes the end": "0.09 走过末尾", "the walk begins here": "从这里出发",
    "fewer bits": "更少的位", "fewer weights": "更少的权重", "fewer units": "更少的单元", "a student": "学生", "coarser values": "更粗的值",
    "most are 0": "大部分为 0", "a smaller matrix": "更小的矩阵", "another model": "另一个模型", "teacher": "教师", "student": "学生",
    "frames": "帧", "frame": "帧", "written": "写出的", "level 1": "第 1 层", "level 2": "第 2 层", "original frame": "原来的帧", "heard frame": "听到的帧",
    "wrong in strings of 12 symbols, %": "12 个符号时写错的，%", "wrong at speed 2, %": "语速 2 时写错的，%", "filters of 3 positions": "滤波器宽 3 个位置",
    "another speed for": "每个符号", "each symbol": "各有语速", "twice the updates": "两倍的更新次数", "frames left out": "略去一些帧",
    "frames left out, filters of 7 positions": "略去一些帧，滤波器宽 7 个位置", "frames left out, content": "略去一些帧，按内容", "content": "按内容",
    "power": "功率", "length 3": "长度 3", "as padding": "当作填充", "updates": "更新次数", "magnitudes ": "幅度 ", "sounds": "声音",
    "MB after gzip, logarithmic scale": "gzip 之后的 MB，对数刻度", "2,000 words": "2,000 个词", "translations": "教师的译文", "probabilities": "概率",
    "true targets": "真实目标句", "smallest student": "最小的学生", "student of 16 units": "16 个单元的学生",
    "student of 96 units": "96 个单元的学生",
    "kB after gzip, logarithmic scale": "gzip 之后的 kB，对数刻度", "exact match, %": "完全匹配率，%", "80 % zeros, int8": "80 % 的零，int8",
    "90 % zeros, longer": "90 % 的零，更久", "8 target symbols": "8 个目标符号", "student of 31 units": "31 个单元的学生",
    "600 updates": "更新 600 次", "1,200 updates": "更新 1,200 次", "1 sentence at a time": "每次一句", "64 at a time": "每次 64 句",
    "64 units": "64 个单元", "31 units": "31 个单元", "16 units": "16 个单元", "sentences per second": "每秒句数",
    "with the outlier 1.27": "有离群值 1.27", "without it": "没有离群值", "step 0.01": "步长 0.01", "step 0.00013": "步长 0.00013", "rounded": "取整后",
    "kB, logarithmic scale": "kB，对数刻度", "half of the units": "一半的单元", "not trained further": "没有继续训练", "unit 1": "单元 1", "unit 2": "单元 2", "output 1": "输出 1", "output 2": "输出 2",
    "a line joins the same model": "一条线连接同一个模型", "removed": "去掉", "mask of A": "A 的掩码", "mask of B": "B 的掩码", "50 % zeros": "50 % 的零", "80 % zeros": "80 % 的零", "90 % zeros": "90 % 的零",
    "step of the decoder": "解码步", "token, read": "词元，读到", "distance of the magnitudes": "幅度的距离", "iteration": "迭代",
    "mean squared error of a number": "每个数的均方误差", "location, 1 frame a step": "位置特征，每步 1 帧", "of the voice": "原声的", "said": "说出的",
    # architecture
    "batch": "批次", "the pairs": "句对", "state, keys": "状态、键", "all its steps": "所有的步",
    "cross-entropy": "交叉熵", "the tape": "梯度带", "clip": "裁剪", "the gradients": "梯度", "the weights": "权重",
    "calls the backward functions": "调用阶段 5、4、3、2", "of stages 5, 4, 3 and 2": "的反向函数",
    "calls stages 6, 7 and 8": "调用阶段 6、7、8", "calls stages 2 to 5": "调用阶段 2 到 5", "(again)": "（再次）", "storage": "存储", "version": "版本",
    "shape, dtype": "形状、数据类型", "operation": "运算", "inputs": "输入", "saved values": "保存的值", "Tensor c": "Tensor c",
    "Storage of a": "a 的 Storage", "Storage of b": "b 的 Storage", "Storage of c": "c 的 Storage", "Node of a": "a 的 Node",
    "Node of b": "b 的 Node", "Node of c": "c 的 Node",
    # more ways to save
    "pairs of annotations": "注解向量两两合并", "half of the energies": "一半的能量", "one matrix": "一个矩阵", "a third of these weights": "三分之一的权重",
    "tied embeddings": "共用嵌入", "no separate output matrix": "没有单独的输出矩阵", "a cache": "缓存", "no encoder for known sources": "已有的源句不用编码器",
    "the same": "同一个", "matrix": "矩阵", "row of ": "一行：", "reading": "读", "writing": "写", "found?": "找到？",
    "one position each": "逐个位置", "in pairs": "两两合并", "weight 1": "权重 1", "weight 0.5": "权重 0.5", "sum 1": "和为 1", "two matrices": "两个矩阵", "key": "键",
    # speed
    "time": "时间", "size": "大小", "step, H": "一步训练，H", "step, T": "一步训练，T", "step, B": "一步训练，B", "step, V": "一步训练，V", "encoder, T": "编码器，T",
    "attention, Tx Ty": "注意力，Tx Ty",
    # tutorial 04
    "ρ = 1.5, without tanh": "ρ = 1.5，没有 tanh", "ρ = 1, without tanh": "ρ = 1，没有 tanh", "ρ = 0.5, without tanh": "ρ = 0.5，没有 tanh",
    "ρ = 1.5, measured": "ρ = 1.5，实测", "ρ = 1, measured": "ρ = 1，实测", "ρ = 0.5, measured": "ρ = 0.5，实测",
    "guessing:": "猜测：", "lowest to highest of three seeds": "三个种子的最低值到最高值",
    "delay = 5, no information": "延迟 = 5，没有信息", "cliff": "悬崖", "peak": "尖峰",
    "then tanh": "再取 tanh", "sum over steps": "对各步求和", "at 0: 1024": "0 处：1024",
    "at 0.0001: 0.10": "0.0001 处：0.10", "at 0.5: 0.96": "0.5 处：0.96",
    "at 0.5: 2 · 10": "0.5 处：2 · 10",
    # tutorial 03
    "clipping": "裁剪", "momentum 0.9": "动量 0.9", "steps": "步数",
    # the run folder
    "translate, align,": "翻译、对齐、", "evaluate, score": "评测、评分", "train --resume": "train --resume",
    "train --config": "train --config", "a run folder": "运行文件夹", "with --average": "有 --average 时", "--model FILE": "--model 文件",
    # looking inside
    "1 thread": "1 个线程", "2 threads": "2 个线程", "thread 1": "线程 1", "thread 2": "线程 2", "exact sum: 1.012": "准确的和：1.012",
    "rounded:": "舍入后：", "one tape": "一条梯度带", "tape 1": "梯度带 1", "tape 2": "梯度带 2",
    "the caller's tape": "调用者的梯度带",
    # pages of explanations
    "input feeding": "输入馈送", "on the state": "作用于状态", "on the product": "作用于乘积", "gradient of w": "w 的梯度", "of w x": "w x 的梯度", "of L": "L 的梯度",
    "cells": "格子", "weight exactly 0": "权重正好是 0", "weight 0.001": "权重 0.001", "weight 0.1": "权重 0.1", "weight 1": "权重 1",
    "columns: source tokens": "列：源词元", "rows: target tokens": "行：目标词元",
    "no baseline": "没有基线", "baseline 2": "基线 2", "draw 1": "抽到 1", "draw 2": "抽到 2", "mean −0.33": "平均 −0.33", "right −0.5": "正确 −0.5",
    "% of held-out sources reversed without a mistake": "留出的源序列中，反转完全正确的百分比",
    "energies": "能量", "edge": "边界", "sum 1.00": "和 1.00", "sum 0.34": "和 0.34", "sum 0.83": "和 0.83", "sum 1": "和 1", "hard": "硬注意力",
    "no mask": "没有掩码", "set to 0 after": "之后设为 0", "−∞ before": "之前设为 −∞", "weights on pads": "填充有权重",
    "browser": "浏览器", "once a batch": "每批一次", "each step": "每步一次",
    "annotations h: (T, B, D)": "注解向量 h：(T, B, D)", "mask": "掩码",
    # machines and the server
    "network": "网络", "output": "输出层", "seconds": "秒", "waits w = 0.4 s": "等待 w = 0.4 秒",
    "shards": "分片", "2 processes": "2 个进程", "4 processes": "4 个进程", "gradient of the batch": "批次的梯度",
    "with 4 processes:": "4 个进程时：", "between processes": "进程之间", "in a process": "进程之内",
    "64 processes, medium: % of the time spent computing": "64 个进程，medium：计算占时间的百分比",
    "network at its full rate": "网络达到全速率", "as slow as the simulated link": "网络和模拟的链路一样慢",
    "fixed batches": "固定批次", "a running batch": "运行中的批次", "place 1": "位置 1", "place 2": "位置 2", "13 steps": "13 步", "9 steps": "9 步",
    # how-to pages
    "Is the score lower than": "得分比 f32 模型", "that of the f32 model?": "低吗？", "yes": "是", "no": "否", "Train further": "继续训练",
    "or, without training, --bf16": "不能训练就用 --bf16",
    "Is it small and": "文件够小、", "fast enough?": "速度够快吗？", "Use it": "就用它", "Can you train a model": "能从头训练", "from the start?": "一个模型吗？",
    "A small model": "小模型", "then int8 if bytes matter": "在意字节数，再用 int8", "Do rare words of the": "目标语言的少见词", "target matter?": "要紧吗？",
    "Fewer words, and int8": "更少的词，再用 int8", "Does only gzip size count,": "只看 gzip 之后的大小，", "and can you train further?": "并且能继续训练吗？",
    "Zeros, int8, then gzip": "零，再用 int8 和 gzip", "Stay with int8": "就用 int8",
    "numeric: slope −0.57": "numeric：斜率 −0.57", "slope 0": "斜率 0", "slope −1.13": "斜率 −1.13",
    "numeric: slope 2": "numeric：斜率 2", "analytic: slope 1, wrong": "analytic：斜率 1，错", "16 bytes": "16 字节", "2 + 4 bytes": "2 + 4 字节", "÷ ": "÷ ", ", round": "，舍入", "used as": "实际使用", "error": "误差",
    "update gate": "更新门",
    "1. put r before z": "1. 把 r 移到 z 之前", "2. transpose": "2. 转置",
    "same numbers, another order: a wrong order has the right shape": "数相同，次序不同：次序错了，形状仍然正确",
    "gets a": "得到", "no path to the loss:": "没有通向损失的路径：", "b never changes": "b 永远不变", "loss": "损失",
    "node on the tape": "梯度带上的节点", "keeps x and your function": "保存 x 和你的函数",
    "the ": "", " = 2 largest ln ": " = 2 个最大的 ln ", " of all ": "，选自全部 ",
    "weights": "权重", "context: weighted mean": "上下文：加权平均", "new state, next token": "新状态，下一个词元",
    "annotations": "注解向量",
    "softmax of each row": "每行的 softmax", "results": "结果", "times ": "乘以 ",  # why-attention.md
    "gradients": "梯度", "sequences": "序列", "encoder, decoder": "编码器与解码器", "real use": "实际应用",  # the staircase
    "noise": "噪声", "many in one": "多个合成一个", "operations, gradients": "运算、梯度", "matrix products": "矩阵乘积", "a value": "一个值", "its history": "它的来历",
    "loops over rows": "按行的循环", "a team of threads": "线程组", "a pool of buffers": "缓冲区的池", "thread settings": "线程的设置", "gradient check": "梯度检验", "lambda of mul": "mul 的 lambda",  # architecture.md
    # check.md
    "your browser": "你的浏览器", "your C++": "你的 C++", "compiler": "编译器", "program": "程序", "in a worker": "在 worker 里",
    "headers, libraries": "头文件和库", "downloaded once": "只下载一次", "shape": "形状", "message": "消息",
    "nothing is sent to a server": "不向服务器发送任何内容",
    # plots: titles
    "A neuron: values, slopes, gradients": "一个神经元：值、斜率、梯度",
    "Error of a difference against its step": "差分的误差与步长", "Loss": "损失", "Loss, in trouble": "出问题时的损失", "Training loss": "训练损失",
    "Two spirals, and the boundary learnt": "两条螺旋线，以及学到的边界",
    "How much of the gradient arrives": "有多少梯度传得到", "How much of the gradient arrives, before training": "训练前，有多少梯度传得到",
    "Exact match by length, on held-out sources": "各长度的完全匹配率，测试集", "before training": "训练前",
    "Weights over 4 keys and 2 of padding": "4 个键和 2 个填充上的权重", "Alignment: where the decoder looked": "对齐：解码器看了哪里",
    # plots: series
    "2-point forward": "两点前向", "2-point central": "两点中心", "4-point central": "四点中心", "momentum": "动量", "clipped": "裁剪",
    "no zero_grad": "没有 zero_grad", "mean": "平均", "masked by −∞": "−∞ 掩码", "energy · 0": "能量乘以 0",
    "guessing": "随机猜测", "fixed context": "固定上下文", "dropped": "舍去", "best": "最佳",
    "global": "全局", "per matrix": "逐矩阵", "global, then trained": "全局，继续训练",
    # plots: axes
    "fraction of zeros": "零的比例", "exact match, length 12": "完全匹配率，长度 12", "exact match": "完全匹配率", "length of the source": "源序列长度",
    "largest error, relative": "最大相对误差", "log10 of the step h": "步长 h 的 log10", "cross-entropy, nats": "交叉熵，奈特",
    "cross-entropy, nats per token": "交叉熵，每个词元的奈特数", "step": "步", "update": "更新次数", "first coordinate": "第一坐标",
    "second coordinate": "第二坐标", "accuracy": "准确率", "delay: tokens after the first": "延迟：第一个之后的词元数", "delay: tokens after the first; each is twice the one before": "延迟：第一个之后的词元数，每个是前一个的两倍",
    "gradient's norm, relative to that at T": "梯度的范数，相对于 T 处",
    "distance T − t": "距离 T − t", "token read": "读到的词元", "unit": "单元", "fraction reversed without a mistake": "完全反转正确的比例",
    "source length": "源序列长度", "k: token": "k：词元", "j: annotation": "j：注解向量", "key": "键", "key asked for": "要找的键", "weight": "权重",
    "source, read": "源，读到的", "output, written": "输出，写出的", "source": "源", "target": "目标", "probability": "概率", "next token": "下一个词元",
    "smoothed": "平滑", "example −0.46": "例子 −0.46", "all draws": "所有的抽取", "sums": "和", "pad": "填充", "position": "位置", "weight, the largest first": "权重，从大到小", "greedy": "贪心",
    # listening
    "band": "频带", "token, where its weight is largest": "词元，标在权重最大处",
    "number": "分量", "symbol 3": "符号 3", "symbol 1": "符号 1", "symbol 4": "符号 4", "location": "位置特征", "speed": "语速", "percent": "百分比",
    "location,": "位置特征，", "speeds to 2": "语速到 2", "wrong symbols, %": "写错的符号，%", "heard by all": "所有模型", "in training": "训练时都听过",
    "annotation; the symbol where it begins": "注解向量；符号标在开始处", "first half": "前半", "second half": "后半",
    # speed
    "time of libtorch ÷ time of gradus": "libtorch 的时间 ÷ gradus 的时间", "1: as fast as gradus": "1：与 gradus 一样快", "training": "训练", "held out": "留出", "decoding": "解码", "How the cost grows": "代价怎样增长",
    "doublings of the size": "大小加倍的次数", "ms": "毫秒", "training step": "一步训练",
    # the command
    "BLEU by source length": "各源序列长度的 BLEU", "source tokens": "源词元数",
    # the museum
    "the right program": "正确的程序", "ends at position 6": "到位置 6 为止", "reads the target": "读取目标", "target's length": "目标的长度",
    "starts again": "重新开始", "loss ends at EOS": "损失到结束符为止", "source not read": "不读源序列", "encoder reads pads": "编码器读填充",
    "forward twice": "两份正向", "wrong end": "错误的一端", "reads its answer": "读到答案", "begins with zeros": "以零开头",
    "mask's wrong axis": "掩码的轴错了", "state not kept": "状态没有保留", "no tanh": "没有 tanh",
}


def title(page):
    return page.read_text().split("\n", 1)[0].split(" · ", 1)[1]


WORDS |= {title(page): title(ROOT / "docs/zh/tutorials" / page.name) for page in ROOT.glob("docs/tutorials/[0-9]*.md")}
PATTERNS = {
    r"(\d+) updates": r"\1 次更新", r"after (\d+) updates": r"\1 次更新之后", r"grad (.+)": r"梯度 \1", r"step (\d+)": r"第 \1 步",
    r"step (\d+): writes (.+)": r"第 \1 步：写出 \2", r"source (.+), written (.+)": r"源：\1；已经写出：\2", r"key (\d)": r"键 \1", r"key (\d: .+)": r"键 \1",
    r"A beam of (\d+) on the source (.+)": r"束宽 \1，源：\2", r"temperature (.+)": r"温度 \1",
    r"(\w+), batch (\d+)": r"\1，批次 \2",
    r"z, before training": "z，训练前", r"z, after training": "z，训练后",
}
SAME = {"Gbit", "ahead", "flip", "bf", "logit", "RUN", "Intel", "AMD", "linear", "gzip", "flat", "dropout", "nn", "ScoredAttention", "prepare", "energies", "operator", "binary", "Tensor", "BackwardPass", "run", "step", "train", "compress", "translate", "GRU", "LSTM", "RNN", "zip", "matmul", "tanh", "softmax", "general", "exp", "Bahdanau", "Luong", "Cho", "bos", "eos", "SGD", "Adam", "BLEU",
        "tiny", "small", "medium", "paper", "exact", "top", "log", "cosh", "soft", "sparsemax", "local", "hard", "Gumbel", "REINFORCE",
        "clang", "lld", "worker", "mul", "relu", "sum", "add", "sigmoid", "detach", "record", "append", "weight", "kernel", "int", "backward", "numeric", "analytic", "Keras", "PyTorch", "libtorch", "gradus", "Griffin", "Lim",
        "models", "autograd", "lambda", "inspect", "fused", "ops", "products", "tensor", "tape", "kernels", "threads", "memory", "runtime", "Gradients", "accumulate", "Node", "Storage", "TensorImpl"}
SENTENCES = re.compile(r"four-\d|seven_books|diagram_13_text|(cmn_eng|g2p)_alignments")  # pictures of sentences and translations: only their labels are translated
TOKENS = re.compile(r"tutorial_13_(asked|word_order)")  # pictures of sentences without labels: nothing is translated
FONTS = "'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei'"


def is_word(text):
    """True if a piece of text needs a translation. False for formulas, code, words of two letters, words in SAME, and sequences
    of the letters a and b."""
    text = re.sub(r"\w+_\w*|[\w/-]+\.(safetensors|svg|html|jsonl|hpp|cpp|wav|toml)|out/\w+|--[\w-]+", "", text)
    return bool(set(re.findall(r"[A-Za-z]{2,}", text)) - SAME - set(re.findall(r"\b[ab]+\b", text))
                - set(re.findall(r"\b[a-zA-Z]{2}\b", text)))


def translated(text):
    """Translates a label or a tooltip. Splits a tooltip, "SERIES, GROUP: NUMBER", at the first comma or colon, and translates
    both parts."""
    if text in WORDS:
        return WORDS[text]
    for pattern, chinese_pattern in PATTERNS.items():
        if match := re.fullmatch(pattern, text):
            return match.expand(chinese_pattern)
    if match := re.fullmatch(r"(.+?)(, |: )(.+)", text):
        parts = translated(match[1]), translated(match[3])
        return (match[2] if parts == (match[1], match[3]) else {", ": "，", ": ": "："}[match[2]]).join(parts)
    return text


def chinese(name):
    """The SVG of the picture, with Chinese labels."""
    untranslated = set()

    def label(match):
        text = match[2] if match[1] and match[2] in SAME else translated(match[2])
        if is_word(text) and not SENTENCES.match(name):
            untranslated.add(text)
        return f"{match[1] or ''}>{text}<"

    head, body = (PICTURES / name).read_text().split("</style>", 1)
    if not TOKENS.match(name):
        body = re.sub(r'(<text class="[^"]*\bcode\b[^>]*)?>([^<>\n]+)<', label, body)  # code in SAME keeps its name
    if untranslated:
        sys.exit(f"pictures_chinese: no translation of {', '.join(map(repr, sorted(untranslated)))} in {name}; add it to WORDS")
    head = re.sub(r"<(title|desc)>.*?</\1>\n", "", head, flags=re.DOTALL)  # the page describes the picture
    if "CJK" not in head:
        head = head.replace("'Noto Sans'", FONTS)
    return head + "</style>" + body


@functools.cache
def shown():
    """The names of the pictures on Chinese pages. Omits pictures by Graphviz, because their words are names from the code."""
    pages = [*ROOT.glob("*.zh-CN.md"), *ROOT.glob("docs/zh/**/*.md"), *ROOT.glob("exercises/*/README.zh-CN.md")]
    names = {name for page in pages for name in re.findall(r"docs/pictures/([\w-]+\.svg)|\.\./pictures/([\w-]+\.svg)", page.read_text()) for name in name}
    return sorted(name for name in names if name and "</style>" in (PICTURES / name).read_text())


if __name__ == "__main__":
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    for name in shown():
        chinese(name)
