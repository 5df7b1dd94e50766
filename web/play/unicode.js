// Unicode's tables for the trainer with phrases. A native build uses utf8proc. See web/wasi/utf8proc.cpp.

// In the order of utf8proc_category_t.
const categories = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co".split(" ")
  .map((name) => new RegExp(`^\\p{${name}}$`, "u"));
const known = new Map();
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** @param memory returns the trainer's memory */
export function unicode(memory) {
  let text;
  return {
    category(c) {
      if (!known.has(c)) known.set(c, categories.findIndex((category) => category.test(String.fromCodePoint(c))));
      return known.get(c);
    },
    lower(c) {
      const lower = [...String.fromCodePoint(c).toLowerCase()];
      return lower.length === 1 ? lower[0].codePointAt(0) : c;
    },
    normalise(at, length) {
      text = encoder.encode(decoder.decode(new Uint8Array(memory().buffer, at, length)).normalize("NFKC"));
      return text.length;
    },
    normalised(to) { new Uint8Array(memory().buffer, to, text.length).set(text); },
  };
}
