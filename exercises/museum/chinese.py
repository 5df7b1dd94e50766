"""The museum's command in Chinese, if the reader's locale is Chinese."""

import pathlib
import re
import sys

from course import is_chinese

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
from results_chinese_museum import SENTENCES  # observations
from results_chinese_museum import WORDS as OF_THE_PAGE  # checks, causes and explanations

WORDS = OF_THE_PAGE | {
    # the symptoms
    "loss": "损失", "from {} to {} in {} updates": "从 {} 到 {}，共 {} 次更新",
    "exact match": "完全匹配", "untrained": "未训练长度", "source": "源序列", "output": "输出", "checks": "检验", "weights": "权重",
    "rows: true output; columns: source, · pads": "行：正确的输出；列：源序列，· 是填充",
    # the quiz
    "not yet named": "尚未认出",
    "Next: {}.": "下一件：{}",
    "You have named all. Their changes are shown in {}.": "全部认出。每件改动的代码见 {}。",
    "Exhibit {}": "展品 {}",
    "For comparison, the right program:": "作为对照，正确的程序：",
    "What is the cause?": "原因是什么？",
    "Right. {}": "对。{}",
    "No. Observed here: {}": "不对。这里观察到：{}",
    "With that mistake: {}": "若是那个错误：{}",
    "your answer ({}): ": "你的答案（{}）：",
    "To answer later: {}.": "以后再答：{}",
    """\
Fifteen mistakes that learners make. Each changes one line of a program that translates by attention and learns to
reverse sequences of 3 to 8 symbols. You see what the program then does; you say what the line was.
In brackets: exact match without targets and one by one, if it differs from what the program itself reports.
""": """\
学习者会犯的十五个错误。每个错误只改动程序的一行；这个程序用注意力翻译，学习反转 3 到 8 个符号的序列。
你看到程序的表现，说出改的是哪一行。
括号里是没有目标、逐个输入时的完全匹配率；只在它与程序自己报告的不同时才列出。
""",
}


def translated(text):
    """The Chinese version of a museum text. @throws KeyError if there is none."""
    if text in WORDS:
        return WORDS[text]
    for english, chinese in SENTENCES:
        if found := re.fullmatch(english, text):
            return found.expand(chinese)
    raise KeyError(text)


def say(text):
    """The text in the reader's language: Chinese or English."""
    return translated(text) if is_chinese() else text
