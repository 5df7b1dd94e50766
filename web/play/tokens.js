// Tokens as the page shows them.

const signs = { "<pad>": "∅", "<bos>": "⊢", "<eos>": "⏎", "<unk>": "?", "▁": "␣" };
export const shown = (token) => signs[token] ?? token;
