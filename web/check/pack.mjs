#!/usr/bin/env node
// pack.mjs OUT CACHE: generates the files that the page Check needs, and writes them into the folder OUT: the editor as one
// module, the texts of the exercises in both languages, and the downloads of a first check. Downloads are stored brotli-compressed, so any
// static server can host them. CACHE keeps the compressed files; a file is compressed again only if its contents change.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import zlib from "node:zlib";

import { build } from "esbuild";

import { exercises } from "./statements.mjs";
import { filter } from "./tar.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [out, cache] = process.argv.slice(2);
const modules = path.join(root, "web/node_modules"), llvm = path.join(modules, "@yowasp/clang/gen");
const hash = (...parts) => parts.reduce((sum, part) => sum.update(part), createHash("sha256")).digest("hex").slice(0, 16);

/** True for the headers and libraries of clang that C++ on WASI needs. */
const isNeeded = (name) => /^include\/(wasm32-wasip1|c\+\+)(\/|$)/.test(name) ? !/__cxx03/.test(name)
  : /^include\//.test(name) ? /^include\/(__(std|float)\w+|std\w+|float|inttypes|iso646|limits|tgmath|wasm_simd128|unwind)\.h$/.test(name)
  : /^(include|lib(\/wasm32-(unknown-)?wasip1)?)$/.test(name) ||
    /^lib\/[\w-]+\/(crt1-(command|reactor)\.o|lib(c|c\+\+|c\+\+abi|m|wasi-emulated-getpid|clang_rt\.builtins)\.a)$/.test(name);

/** Compresses `bytes` into CACHE, and copies the result into OUT. @returns the entry for downloads.json */
async function compress(name, bytes) {
  const key = hash(bytes), file = `${name}.brotli`, kept = path.join(cache, `${file}-${key}`);
  if (!existsSync(kept)) {
    const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
    const params = { [BROTLI_PARAM_LGWIN]: zlib.constants.BROTLI_MAX_WINDOW_BITS, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(kept, await promisify(zlib.brotliCompress)(bytes, { params }));
  }
  copyFileSync(kept, path.join(out, file));
  return { name, key, bytes: readFileSync(kept).length };
}

/** Patches clang's bundle so that its files grow in place. Unpatched, each 4 KB write copies the whole file: 700 MB for one program. */
function growing(bundle) {
  const copies = `    const newData = new Uint8Array(Math.max(this.file.data.length, offset + contents.length));
    newData.set(this.file.data);
    newData.subarray(offset).set(contents);
    this.file.data = newData;
`, grows = `    const { file } = this, size = Math.max(file.data.length, offset + contents.length);
    if (file.room !== file.data.buffer || file.room.byteLength < size) {
      const grown = new Uint8Array(Math.max(size, 2 * file.data.length));
      grown.set(file.data);
      file.room = grown.buffer;
    }
    file.data = new Uint8Array(file.room, 0, size);
    file.data.set(contents, offset);
`;
  if (!bundle.includes(copies)) throw new Error("@yowasp/clang writes files in another way; does web/check/pack.mjs still need to change it?");
  return bundle.replace(copies, grows);
}

for (const folder of [cache, ...["brotli", "clang", "pictures"].map((name) => path.join(out, name))]) mkdirSync(folder, { recursive: true });
for (const name of ["brotli_dec_wasm.js", "brotli_dec_wasm_bg.wasm"])
  copyFileSync(path.join(modules, "brotli-dec-wasm/pkg", name), path.join(out, "brotli", name));
writeFileSync(path.join(out, "clang/bundle.js"), growing(readFileSync(path.join(llvm, "bundle.js"), "utf8")));
await build({ entryPoints: [path.join(root, "web/check/editor.js")], bundle: true, minify: true, format: "esm",
              outfile: path.join(out, "editor.js"), allowOverwrite: true, logLevel: "warning" });
for (const [language, suffix] of [["en", ""], ["zh", ".zh-CN"]]) {
  const { exercises: list, pictures } = exercises(path.join(root, "exercises"), suffix);
  writeFileSync(path.join(out, `exercises.${language}.json`), JSON.stringify(list));
  for (const name of pictures) copyFileSync(path.join(root, "docs/pictures", name), path.join(out, "pictures", name));
}

copyFileSync(path.join(root, "exercises/chinese.json"), path.join(out, "sentences.zh.json"));

const read = (folder, name) => readFileSync(path.join(folder, name));
const inputs = readdirSync(llvm).filter((name) => name.endsWith(".wasm")).map((name) => [name, read(llvm, name)]);
inputs.push(["llvm-resources.tar", filter(read(llvm, "llvm-resources.tar"), isNeeded)], ["library.tar", read(path.join(root, "build/wasm"), "library.tar")]);
const downloads = await Promise.all(inputs.map((input) => compress(...input)));

// The small files. The service worker stores these, and `shared`, for use offline.
const small = readdirSync(out, { recursive: true }).filter((name) => /\.(html|css|js|json|wasm|svg)$/.test(name));
const shared = ["style.css", "dom.js", "language.js", "stored.js", ...readdirSync(path.join(out, "../wasi")).map((name) => `wasi/${name}`)];
writeFileSync(path.join(out, "downloads.json"),
              JSON.stringify({ downloads, shell: [...new Set(["./", "downloads.json", ...small, ...shared.map((name) => `../${name}`)])] }));
