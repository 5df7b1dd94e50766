// Loads clang, and compiles: { do: "load", downloads }, { do: "compile", id, folder, source }.

import { Compiler } from "./compiler.js";
import { load } from "./store.js";

let compiler;

async function start(downloads) {
  const files = await load(downloads, (bytes) => postMessage({ do: "progress", bytes }));
  postMessage({ do: "downloaded" });
  // clang's module fetches its files beside it; they are here already.
  globalThis.fetch = async (address) => {
    const name = new URL(address).pathname.split("/").pop();
    return new Response(files.get(name), { headers: { "content-type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
  };
  compiler = await new Compiler(await import("./clang/bundle.js"), files.get("library.tar")).load();
  files.clear();
  postMessage({ do: "ready" });
}

const handlers = {
  load: ({ downloads }) => start(downloads),
  async compile({ id, folder, source }) { postMessage({ do: "compiled", id, ...await compiler.compile(folder, source) }); },
};

onmessage = ({ data }) => handlers[data.do](data).catch((error) => postMessage({ do: "error", message: error.message ?? String(error) }));
