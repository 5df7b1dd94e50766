// A worker that loads clang and compiles. It receives { do: "load", downloads }, { do: "compile", id, folder, source },
// { do: "trainer", id, files, offers }.

import { Compiler } from "./compiler.js";
import { load } from "./store.js";

let compiler;

async function start(downloads) {
  const files = await load(downloads, (bytes) => postMessage({ do: "progress", bytes }));
  // clang's module fetches its files by URL. This function answers with the downloaded files instead.
  globalThis.fetch = async (address) => files.get(new URL(address).pathname.split("/").pop());
  const clang = await import("./clang/bundle.js"), library = new Uint8Array(await files.get("library.tar").arrayBuffer());
  compiler = await new Compiler(clang, library).load();
  postMessage({ do: "ready" });
}

const handlers = {
  load: ({ downloads }) => start(downloads),
  async compile({ id, folder, source }) { postMessage({ do: "compiled", id, ...await compiler.compile(folder, source) }); },
  async trainer({ id, files, offers }) { postMessage({ do: "compiled", id, ...await compiler.trainer(files, offers) }); },
};

onmessage = ({ data }) => handlers[data.do](data).catch((error) => postMessage({ do: "error", message: error.message ?? String(error) }));
