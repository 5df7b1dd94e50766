"""Converts Markdown with formulas to text for a terminal."""

import re

SYMBOLS = {
    "alpha": "α", "beta": "β", "delta": "δ", "epsilon": "ε", "ell": "ℓ", "lambda": "λ", "mu": "μ", "sigma": "σ", "theta": "θ", "partial": "∂", "sum": "Σ",
    "prod": "∏", "infty": "∞", "cdot": "·", "times": "×", "odot": "⊙", "circ": "∘", "top": "ᵀ", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "ne": "≠", "in": "∈", "to": "→", "ldots": "…", "dots": "…", "cdots": "…", "approx": "≈", "pm": "±", "mid": "|", "sqrt": "√", "quad": "  ", "qquad": "    ",
    "mapsto": "↦", "rightarrow": "→", "leftarrow": "←", "lfloor": "⌊", "rfloor": "⌋", "left": "", "right": "",
}
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "overrightarrow": "\u20d7", "overleftarrow": "\u20d6"}
SUPERSCRIPTS = str.maketrans("0123456789+-=()nT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀ")
GROUP = r"\{([^{}]*)\}"


def in_parentheses(text):
    return text if re.fullmatch(r"[\w∂]*|[(|].*[)|]", text) else f"({text})"


def superscript(match):
    text = match[1] or match[2]
    raised = text.translate(SUPERSCRIPTS)
    return raised if not set(text) & set(raised) - {"ᵀ"} else f"\0{in_parentheses(text)}"  # \0 stands for an already handled ^


def formula(tex):
    tex = tex.replace("\\\\", "\n").replace("\\,", " ").replace("\\;", " ").replace("\\!", "").replace("&", "")
    tex = re.sub(r"\\[{}|%_#]", lambda match: {"\\{": "❴", "\\}": "❵", "\\|": "‖"}.get(match[0], match[0][1]), tex)
    tex = re.sub(r"\\([a-zA-Z]+)", lambda match: SYMBOLS.get(match[1], match[0]), tex)
    tex = re.sub(" +", " ", tex).replace("∂ ", "∂")
    before = None
    while tex != before:  # from the innermost group outwards
        before = tex
        tex = re.sub(rf"\\frac{GROUP}{GROUP}", lambda match: f"{in_parentheses(match[1])} / {in_parentheses(match[2])}", tex)
        tex = re.sub(rf"\\(?:text|mathrm|operatorname|mathbf|mathit){GROUP}", r"\1", tex)
        tex = re.sub(rf"\\(hat|tilde|bar|dot|overrightarrow|overleftarrow)(?:{GROUP}| ?(\w))",
                     lambda match: (match[2] or match[3] or "") + ACCENTS[match[1]], tex)
        tex = re.sub(rf"√{GROUP}", r"√(\1)", tex)
        tex = re.sub(rf"_{GROUP}", r"_\1", tex)
        tex = re.sub(rf"\^(?:{GROUP}|(\S))", superscript, tex)
    tex = re.sub(r"\\([a-zA-Z]+)", r"\1", tex)  # \tanh, \exp
    return re.sub(r"[{}]", "", tex).replace("\0", "^").replace("❴", "{").replace("❵", "}").strip()


def plain(markdown):
    text = re.sub(r"\$\$(.+?)\$\$", lambda match: "\n    " + formula(match[1]).replace("\n", "\n    ") + "\n", markdown, flags=re.DOTALL)
    text = re.sub(r"\$(.+?)\$", lambda match: formula(match[1]), text, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)  # links, but not lambdas such as [=](double g)
    return re.sub(r"\*\*?(?=\S)([^*\n]+?)(?<=\S)\*\*?", r"\1", text)
