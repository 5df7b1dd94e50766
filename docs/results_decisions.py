"""The tables of docs/decisions. The alternatives were built by hand, as each page describes, so `measure` does not repeat them."""

from results_kit import load, markdown_table
from results_speed import ms


def where(results):
    return f"{results['machine']}; revision {results['revision']}; {results['date']}"


def footer(results):
    return f"\n\n{results['note']} `{results['command']}`; {where(results)}."


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def times(name):
    """A table of times. It gives the number of runs and gradus's fastest run in ms. For each alternative, it gives the ratio of
    its fastest run to gradus's and, in brackets, the ratio of the medians."""
    results = load(name)
    alternatives = results["alternatives"]

    def relative(row, alternative):
        if alternative not in row["ms"]:
            return ""
        theirs, ours = row["ms"][alternative], row["ms"]["gradus"]
        return f"**{min(theirs) / min(ours):.2f}** ({median(theirs) / median(ours):.2f})"

    rows = [[row["case"], str(len(row["ms"]["gradus"])), ms(min(row["ms"]["gradus"])),
             *[relative(row, alternative) for alternative in alternatives]] for row in results["rows"]]
    return markdown_table(["", "runs", "gradus, ms", *alternatives], rows) + footer(results)


def decision_memory_time():
    return times("decisions_memory")


def decision_threads_time():
    return times("decisions_threads")


def decision_memory_use():
    results = load("decisions_memory")
    names = ["gradus", *results["alternatives"]]

    def cell(row, name):
        return f"{median(row['mb'][name]):.0f} / {median(row['page_faults'][name]) / 1000:.1f}" if name in row["mb"] else ""
    rows = [[row["case"], *[cell(row, name) for name in names]] for row in results["rows"] if "train" in row["case"]]
    return markdown_table(["MB / thousand page faults", *names], rows)


def decision_memory_release():
    results = load("decisions_memory")["release"]
    rows = [[row["after"], *[f"{row[name]:.0f}" for name in results["allocators"]]] for row in results["rows"]]
    return markdown_table(["resident memory, MB", *results["allocators"]], rows)


def decision_libraries():
    """Products by oneDNN, in µs, and the times of OpenBLAS with two sets of kernels, relative to oneDNN. Each time is that of
    the fastest call."""
    results = load("decisions_products")["libraries"]

    def cells(row):
        ours = min(row["onednn_us"])
        b = f"{row['n']} × {row['k']}, transposed" if row["transposed"] else f"{row['k']} × {row['n']}"
        ratios = [f"{min(row['openblas_us'][kernels]) / ours:.2f}" for kernels in results["kernels"]]
        return [f"{row['m']} × {row['k']}", b, f"{ours:.2f}" if ours < 10 else f"{ours:.0f}", *ratios]

    header = ["A", "B", "oneDNN, µs", *(f"OpenBLAS, {kernels} kernels" for kernels in results["kernels"])]
    return markdown_table(header, map(cells, results["rows"]), texts=2) + f"\n\n{results['note']}; {where(results)}."


def decision_strassen():
    results = load("decisions_products")
    rows = [[row["algorithm"], f"{row['largest_error']:.2g}",
             f"{row['nonzero_in_zero_rows']:,} of {row['in_zero_rows']:,}", f"{row['nan_in_other_rows']:,}"]
            for row in results["strassen"]]
    return (markdown_table(["algorithm", "largest error", "non-zero in zero rows", "NaN in other rows"], rows)
            + f"\n\nSeed {results['seed']}; {where(results)}.")


def decision_pictures():
    results = load("decisions_pictures")
    rows = [[f"`{row['package']}`", str(row["packages"]), f"{row['kib'] * 1024 / 1e6:.0f}"] for row in results["rows"]]
    return markdown_table(["package", "new packages", "MB installed"], rows) + footer(results)
