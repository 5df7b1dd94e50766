// A worker that runs one program. The page ends the worker if the program takes too long.

import { runProgram } from "./program.js";

onmessage = async ({ data: { program, args } }) => {
  try {
    const print = (line) => postMessage({ do: "print", line }), record = (line) => postMessage({ do: "record", line });
    postMessage({ do: "ended", ...await runProgram(program, args, print, record) });
  } catch (error) {
    postMessage({ do: "ended", trap: error.message ?? String(error) });
  }
};
