// Display forms of special tokens.

const signs = { "<pad>": "∅", "<bos>": "⊢", "<eos>": "⏎", "<unk>": "?", "▁": "␣" };
export const shown = (token) => signs[token] ?? token;
