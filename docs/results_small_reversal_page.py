"""Checks the sentences of explained/small-devices-reversal.md. results_small_reversal.py has its tables."""

import math

import results_small_french as french
from results_kit import check_sentences, load
from results_small_reversal import PARAMETERS, STUDY, between, bytes_of, exact, kilobytes, mean_exact, noise

ZEROS, LONGER, SMALLEST = "80 % zeros, then trained", "student, 1,200 updates", "smallest student"
FRENCH_SPEEDS = ("small_speed_amd", "small_speed")


def of_seeds(row):
    """The exact match with each seed, in percent."""
    return [f"{100 * value:.1f}" for value in STUDY.over_runs(row, "exact_match")]


def slower_in_int8(row):
    return f"{STUDY.faster(row, 1) / STUDY.faster(f'{row}, int8', 1):.1f}"


def in_french():
    """French beside reversal: the guess, and the table of section "Reversal and French"."""
    def lost(row):
        return f"{french.mean_of(row, 'bleu') - french.mean_of('f32', 'bleu'):.1f}".replace("-", "−")
    times = [f"{value:.1f}" for value in sorted(french.STUDY.faster("int8", 1, name) for name in FRENCH_SPEEDS)]
    taught = "smallest student, teacher's translations, int8"
    small, words = bytes_of(f"{SMALLEST}, int8"), exact("8 target symbols", "{:.1f}")
    left, large = f"{100 * french.STUDY.against_f32(taught, 'bytes'):.1f}", f"{french.mean_of('f32', 'bleu'):.1f}"
    top = exact("top-1", "{:.1f}")[1]
    return [
        (f"makes the large model {times[0]} to {times[1]} times as fast", f"int8 使大模型的速度成为 {times[0]} 到 {times[1]} 倍"),
        (f"the large model has {large} BLEU", f"大模型的 BLEU 是 {large}"),
        (f"| int8, one sentence at a time | no error, hardly faster | no loss, {times[0]} to {times[1]} times as fast |",
         f"| int8，每次一句 | 没有错误，几乎没有变快 | 没有损失，速度是 {times[0]} 到 {times[1]} 倍 |"),
        (f"no error, {small} % of the bytes | {lost(taught)} BLEU, {left} % of the bytes |",
         f"没有错误，字节数是 {small} % | BLEU {lost(taught)}，字节数是 {left} % |"),
        (f"| 80 % zeros | {mean_exact(ZEROS)} % right | {lost(ZEROS)} BLEU |",
         f"| 80 % 的零 | {mean_exact(ZEROS)} % 正确 | BLEU {lost(ZEROS)} |"),
        (f"(top-1) | at most {top} % right | {lost('top-1')} BLEU |", f"（top-1） | 最多 {top} % 正确 | BLEU {lost('top-1')} |"),
        (f"| no error | {lost('attention to one position')} BLEU |", f"| 没有错误 | BLEU {lost('attention to one position')} |"),
        (f"| {words[0]} to {words[1]} % right | {lost('2,000 target words')} BLEU |",
         f"| {words[0]} 到 {words[1]} % 正确 | BLEU {lost('2,000 target words')} |")]


def guesses():
    """The folded answers before the short table."""
    assert all(95 < float(kilobytes(row, "gzip_bytes")) < 105 for row in ("int8", ZEROS))  # about 100 kB
    first, second, third = of_seeds("student")
    trained = exact(LONGER, "{:.1f}")[0]
    return [
        (f"With 80 % zeros, {mean_exact(ZEROS)} % of the outputs are right.", f"有 80 % 的零时，{mean_exact(ZEROS)} % 的输出正确。"),
        (f"They are right for {first}, {second} and {third} % of the sources. After 1,200 updates, all three have at least "
         f"{trained} %.",
         f"正确的输出分别是 {first} %、{second} % 和 {third} %。更新 1,200 次之后，三个都至少有 {trained} %。")]


def pictures():
    """The descriptions of the two pictures."""
    speeds = {found["row"]: found for found in load("small_reversal_speed")["rows"]}
    sizes = (("f32", "int8"), (LONGER, f"{LONGER}, int8"), (SMALLEST, f"{SMALLEST}, int8"))
    one, many = ([[f"{speeds[row][f'batch_{batch}']:,.0f}" for row in rows] for rows in sizes] for batch in (1, 64))
    round_kb = {row: f"{float(kilobytes(row, 'gzip_bytes')):.0f} kB" for row in ("int8", SMALLEST, f"{SMALLEST}, int8")}
    zeros, long = mean_exact(ZEROS), mean_exact(LONGER)
    longer, short = (f"{float(mean_exact(row)):.0f}" for row in ("90 % zeros, then trained longer", "student"))
    assert zeros == mean_exact(f"{ZEROS}, int8") and long == mean_exact(f"{LONGER}, int8")
    assert max(float(exact(row)[1]) for row in ("top-1", "8 target symbols")) < 10
    return [
        (f"down to {round_kb['int8']}.", f"直到 {round_kb['int8']}。"),
        (f"{zeros} % at 80 %, with or without int8, 0 at 90 %, and {longer} % after a longer training.",
         f"80 % 的零是 {zeros} %，存成 int8 也一样；90 % 的零是 0，训练更久之后是 {longer} %。"),
        (f"rises from {short} % after 600 updates to {long} % after 1,200", f"更新 600 次时是 {short} %，1,200 次时是 {long} %"),
        (f"has 100 % at {round_kb[SMALLEST]}, and at {round_kb[f'{SMALLEST}, int8']} in int8",
         f"是 100 %，{round_kb[SMALLEST]}，用 int8 时是 {round_kb[f'{SMALLEST}, int8']}"),
        (f"One sentence at a time: {' and '.join(one[0])} with 64 units, {' and '.join(one[1])} with 31 units, "
         f"{' and '.join(one[2])} with 16 units. "
         f"64 at a time: {', '.join(' and '.join(pair) for pair in many)}.",
         f"每次一句时：64 个单元是 {' 和 '.join(one[0])}，31 个单元是 {' 和 '.join(one[1])}，16 个单元是 {' 和 '.join(one[2])}。"
         f"每次 64 句时：{'，'.join(' 和 '.join(pair) for pair in many)}。")]


def findings():
    """The findings, the answer to the task, and the summary."""
    top, trained, of_int8 = exact("top-1", "{:.1f}")[1], exact(LONGER, "{:.1f}")[0], exact(f"{LONGER}, int8", "{:.1f}")[0]
    small, left = f"{SMALLEST}, int8", bytes_of(f"{SMALLEST}, int8")
    memory = {found["row"]: found["memory_1"] / 1e6 for found in load("small_reversal_speed")["rows"]}
    whole = f"{min(memory.values()):.0f}", f"{max(memory.values()):.0f}"
    assert all(1.8 < memory[row] - memory[wide] < 3.2 for row, wide in (("int8", "f32"), (small, SMALLEST), (f"{LONGER}, int8", LONGER)))
    student, model = kilobytes(f"{LONGER}, int8", "gzip_bytes"), kilobytes(f"{ZEROS}, int8", "gzip_bytes")
    return [
        (f"has {left} % of the bytes in int8, and makes no error", f"字节数是大模型的 {left} %，没有错误"),
        (f"The command takes {' to '.join(whole)} MB with every model", f"命令都占 {' 到 '.join(whole)} MB"),
        (f"has only {student} kB in int8 and compressed. Stored in the same way, the model with 80 % zeros has {model} kB",
         f"用 int8 和压缩也只有 {student} kB。同样存储，有 80 % 的零的模型还有 {model} kB"),
        (f"int8 has {bytes_of('int8')} % of the bytes", f"int8 的字节数是 {bytes_of('int8')} %"),
        (f"the student of 31 units takes {slower_in_int8(LONGER)} times as long in int8",
         f"int8 用的时间是 f32 的 {slower_in_int8(LONGER)} 倍"),
        between("With 80 % zeros, {} of the outputs are right", ZEROS, chinese="有 80 % 的零时，{} 的输出正确"),
        between("After 1,200, {} are right", "90 % zeros, then trained longer", chinese="更新 1,200 次之后，{} 正确"),
        between("After 600 updates, the student of 31 units is right for {}", "student", chinese="没有教师时，{} 的输出正确"),
        (f"After 1,200, it has at least {trained} %", f"1,200 次之后，至少 {trained} % 正确"),
        (f"It is then right for at most {top} %", f"这时最多 {top} % 正确"),
        between("Without two of the ten symbols, {} of the outputs of f32 are right", "8 target symbols", "{:.1f}",
                "十个符号去掉两个，只有 {} 的输出正确"),
        (f"The student of 31 units and 1,200 updates has {kilobytes(f'{LONGER}, int8')} kB and at least {of_int8} %. "
         f"The student of 16 units has {kilobytes(small)} kB",
         f"更新 1,200 次的 31 个单元的学生有 {kilobytes(f'{LONGER}, int8')} kB，至少 {of_int8} % 正确；16 个单元的学生有 {kilobytes(small)} kB"),
        (f"In f32, it has {kilobytes(SMALLEST)} kB, a little too much. "
         f"After gzip it has {kilobytes(SMALLEST, 'gzip_bytes')} kB.",
         f"它用 f32 时有 {kilobytes(SMALLEST)} kB，稍微超出。用 gzip 压缩之后是 {kilobytes(SMALLEST, 'gzip_bytes')} kB"),
        (f"would need memory for all {kilobytes(SMALLEST)} kB", f"还要有内存放下全部 {kilobytes(SMALLEST)} kB"),
        (f"It has {kilobytes(small)} kB in place of {kilobytes('f32')} kB",
         f"只有 {kilobytes(small)} kB（大模型有 {kilobytes('f32')} kB）")]


def differences():
    def of_program(table, row, column):
        """One value per seed, from a table of the program."""
        return [found["values"][column] for run in load("tutorial_14")["runs"] for found in run["tables"][table]["rows"]
                if found["name"] == row]
    whole = mean_exact("80 % zeros, global, then trained")
    pruned, student = (of_program("methods", row, 1) for row in (ZEROS, "student"))
    program, least, most = f"{100 * sum(pruned) / len(pruned):.1f}", 100 * min(student), 100 * max(student)
    times = [sum(of_program("time", f"student, teacher's probabilities{form}", 0)) for form in ("", ", int8")]
    assert 4.8 < times[1] / times[0] < 5.3  # five times as long
    return [
        (f"and {program} % with the program", f"用程序是 {program} %"),
        (f"The program's student of 16 units is right for {least:.0f} to {most:.0f} %",
         f"程序的 16 个单元的学生是 {least:.0f} 到 {most:.0f} %"),
        (f"the student of 16 units takes {slower_in_int8(SMALLEST)} times as long in int8 as in f32",
         f"16 个单元的学生用 int8 的时间是 f32 的 {slower_in_int8(SMALLEST)} 倍"),
        (f"After global pruning, {whole} % of the outputs are right with the command", f"全局剪枝之后，用命令有 {whole} % 的输出正确"),
        (f"Then {mean_exact(ZEROS)} % are right with the command", f"这样用命令有 {mean_exact(ZEROS)} % 正确"),
        between("A student of 31 units with 600 updates is right for {}", "student", chinese="不同的种子有 {} 的输出正确")]


def questions():
    (one, two, three), (one_taught, two_taught, three_taught) = of_seeds("student"), of_seeds("student, teacher's attention")
    whole, zeros = (float(kilobytes(row, "gzip_bytes")) for row in ("f32", ZEROS))
    bits, weights = -0.8 * math.log2(0.8) - 0.2 * math.log2(0.2), PARAMETERS["f32"]
    speed = {found["row"]: found for found in load("small_reversal_speed")["rows"]}[SMALLEST]["batch_1"]
    shares = [f"{100 * STUDY.mean_of(row, 'bytes') / STUDY.mean_of(wide, 'bytes'):.1f}"
              for row, wide in (("int8", "f32"), (f"{SMALLEST}, int8", SMALLEST))]
    large, small = kilobytes("int8"), kilobytes(f"{SMALLEST}, int8")
    return [
        (f"is right for {two} % of the sources, and for {two_taught} % with the teacher's attention",
         f"的学生有 {two} % 的输出正确，加上教师的注意力有 {two_taught} %"),
        (f"lowers the exact match from {one} to {one_taught} %, and with seed 3 from {three} to {three_taught} %",
         f"使完全匹配率从 {one} % 降到 {one_taught} %；用种子 3，从 {three} % 降到 {three_taught} %"),
        (f"A fifth of the {whole} kB of f32 is {whole / 5:.1f} kB. But with 80 % zeros, the compressed file has {zeros} kB. "
         f"What are the other {zeros - whole / 5:.1f} kB for?",
         f"f32 的 {whole} kB 的五分之一是 {whole / 5:.1f} kB。但有 80 % 的零时，压缩后的文件有 {zeros} kB。另外的 {zeros - whole / 5:.1f} kB"),
        (f"{bits:.2f}$ bits. For {weights:,} weights, these are {weights * bits / 8e3:.1f} kB",
         f"{bits:.2f}$ 位。{weights:,} 个权重就是 {weights * bits / 8e3:.1f} kB"),
        (f"{90 ** 12 / 1e22:.1f}$ %", f"{90 ** 12 / 1e22:.1f}$ %"),
        (f"Its file has {kilobytes(SMALLEST)} kB, and it decodes {speed:,.0f} sentences per second, "
         f"{STUDY.faster(SMALLEST, 1):.1f} times as many",
         f"它的文件有 {kilobytes(SMALLEST)} kB，每秒解码 {speed:,.0f} 句，是大模型的 {STUDY.faster(SMALLEST, 1):.1f} 倍"),
        (f"has {shares[0]} % of its bytes, and that of the student of 16 units {shares[1]} %",
         f"是原来的 {shares[0]} %，16 个单元的学生是 {shares[1]} %"),
        (f"a small part of {large} kB, but nearly a third of {small} kB", f"在 {large} kB 中只占一小部分，在 {small} kB 中却占将近三分之一")]


def check_text():
    """Checks that the page and its translation give the numbers of the tables."""
    check_sentences("explained/small-devices-reversal.md", [
        *guesses(), *pictures(), noise(), *findings(), *in_french(), *differences(), *questions()])
