#!/usr/bin/env node
// library.mjs FILE: writes the archive with which learners' files are compiled and linked. The archive holds headers, a
// precompiled header and libraries. FILE is kept if its contents have not changed.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import * as clang from "@yowasp/clang";

import { split } from "./bitstream.js";
import { flags, run } from "./compiler.js";
import { pack, unpack } from "./tar.js";

const layers = ["files", "autograd", "nn", "data", "plot", "graph", "models", "compress"];
const onlyHeaders = ["speech", "distributed"];  // libraries that no exercise links; gradus.hpp includes their headers
// Instantiates the headers' templates once, in the precompiled header, instead of in each compilation.
const headerFlags = [...flags, "-fpch-instantiate-templates"];

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(file);
    else yield file;
  }
}

/** @returns {[string, string][]} [path in the archive, source file] for every entry except the precompiled header */
function library(root) {
  const files = [];
  const add = (name, file) => files.push([name, path.join(root, file)]);
  for (const include of [...[...layers, ...onlyHeaders].map((layer) => `${layer}/include`), "include"]) {
    for (const file of filesIn(path.join(root, include))) {
      if (!file.endsWith("xtensor.hpp")) files.push([`include/${path.relative(path.join(root, include), file)}`, file]);
    }
  }
  for (const folder of readdirSync(path.join(root, "exercises"))) {
    if (!/^\d\d_|^kit$|^museum$/.test(folder)) continue;
    for (const name of readdirSync(path.join(root, "exercises", folder))) {
      if ((name.endsWith(".hpp") && !["stub.hpp", "solution.hpp"].includes(name)) || name === "learner.cpp")
        add(`exercises/${folder}/${name}`, `exercises/${folder}/${name}`);
    }
  }
  add("precompiled.hpp", "web/check/precompiled.hpp");
  for (const layer of layers) add(`lib/all/libgradus_${layer}.a`, `build/wasm/${layer}/libgradus_${layer}.a`);
  for (const name of readdirSync(path.join(root, "build/wasm/web/check"))) {
    if (name === "libkit.a") add(`lib/all/${name}`, `build/wasm/web/check/${name}`);
    else if (name.endsWith(".a")) add(`lib/${name}`, `build/wasm/web/check/${name}`);
  }
  for (const name of ["libgradus_web.a", "libmodule.a"]) add(`lib/play/${name}`, `build/wasm/web/${name}`);
  add("engine/own_attention.hpp", "web/engine/own_attention.hpp");
  return files.sort();
}

/** Makes the archive. clang compiles the precompiled header from the archive's own files. @returns {Promise<Uint8Array>} */
async function archive(contents) {
  const { files: made, printed } =
    await run(clang, "clang++", [...headerFlags, "-x", "c++-header", "/precompiled.hpp", "-o", "precompiled.pch"], unpack(pack(contents)));
  if (!made) throw new Error(`web/check/precompiled.hpp does not compile:\n${printed}`);
  return pack([...contents, ["precompiled.split", split(made["precompiled.pch"])]]);
}

const [file] = process.argv.slice(2), root = fileURLToPath(new URL("../..", import.meta.url));
const contents = library(root).map(([name, from]) => [name, readFileSync(from)]);
const key = [clang.version, ...headerFlags, ...contents.flat()].reduce((sum, part) => sum.update(part), createHash("sha256")).digest("hex");
if (!existsSync(file) || !existsSync(`${file}.key`) || readFileSync(`${file}.key`, "utf8") !== key) {
  writeFileSync(file, await archive(contents));
  writeFileSync(`${file}.key`, key);
}
