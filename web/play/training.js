// Controls the worker that trains. Ends it if it crashes, or if the reader's code stops answering.

import { take, trainer } from "./early.js";

const seconds = 20;  // limit for an answer, as for a stage in Check

export class Training {
  #worker = take();
  #loaded;
  #pending = 0;
  #running = false;
  #timer;
  #limited;
  #ended;

  /**
   * @param {ArrayBuffer | string} program the trainer with the reader's code, or the name of the page's own
   * @param receive gets the worker's messages, except "done" and "crashed"
   * @param ended is called once if the worker had to be ended: { late } or { trap, code }
   */
  constructor(program, receive, ended) {
    this.#limited = typeof program === "object";
    this.#ended = ended;
    this.#worker.onerror = (event) => this.#end({ trap: event.message ?? "the worker did not start" });
    this.#worker.onmessage = ({ data }) => {
      if (data.do === "crashed") return this.#end(data);
      if (data.do === "done") --this.#pending;
      if (["updated", "stopped", "error", "created"].includes(data.do)) this.#running = data.running ?? false;
      this.#wait();
      if (data.do !== "done") receive(data);
    };
    ++this.#pending;
    this.#loaded = Promise.resolve(this.#limited ? program : trainer(program)).then((program) => this.#worker.postMessage({ do: "load", program }));
  }

  send(message, transfer = []) {
    ++this.#pending;
    this.#running ||= message.do === "run";
    this.#loaded.then(() => this.#worker.postMessage(message, transfer));
    this.#wait();
  }

  end() {
    clearTimeout(this.#timer);
    this.#worker.terminate();
  }

  #wait() {
    clearTimeout(this.#timer);
    if (this.#limited && (this.#pending > 0 || this.#running))
      this.#timer = setTimeout(() => this.#end({ late: seconds }), 1000 * seconds);
  }

  #end(how) {
    this.end();
    this.#ended(how);
  }
}
