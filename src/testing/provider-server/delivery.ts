import type { ServerResponse } from "node:http";
import type { AnswerDelivery } from "./answers.ts";

/** The stalled answers, and the clients that disconnected before their end. */
export class Stalls {
  abandoned = 0;
  readonly #waiting = new Set<() => void>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#waiting.size;
  }

  release(): void {
    for (const goOn of this.#waiting) goOn();
  }

  /** Resolves when the answer is released, or when the client of `response` has disconnected. */
  stall(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        response.off("close", leave);
        this.#waiting.delete(end);
        resolve();
        this.#onChange();
      };
      const leave = () => {
        this.abandoned++;
        end();
      };
      response.on("close", leave);
      this.#waiting.add(end);
      this.#onChange();
    });
  }
}

/** Answers with the event stream `bytes`; resolves once everything is sent. */
export async function send(
  response: ServerResponse,
  bytes: Buffer,
  { delivery, stalls }: { delivery: AnswerDelivery; stalls: Stalls },
): Promise<void> {
  if (delivery.type === "stall" && delivery.after === "nothing") await stalls.stall(response);
  if (response.destroyed) return;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  switch (delivery.type) {
    case "whole":
      return end(response, bytes);
    case "cut":
      return cutOff(response, bytes.subarray(0, delivery.afterBytes), delivery.ending);
    case "stall": {
      const { after } = delivery;
      if (after === "nothing") return end(response, bytes);
      await write(response, bytes.subarray(0, after));
      await stalls.stall(response);
      return end(response, bytes.subarray(after));
    }
    case "pieces":
      for (let start = 0; start < bytes.length; start += delivery.bytes) {
        await write(response, bytes.subarray(start, start + delivery.bytes));
      }
      return end(response, Buffer.alloc(0));
  }
}

async function cutOff(
  response: ServerResponse,
  bytes: Buffer,
  ending: "clean" | "broken",
): Promise<void> {
  if (ending === "clean") return end(response, bytes);
  await write(response, bytes);
  response.destroy();
}

/** Resolves once the bytes are handed to the operating system. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  if (bytes.length === 0) response.flushHeaders();
  // If the client has disconnected, the write fails; the caller checks `destroyed`.
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function end(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once("close", resolve).end(bytes, () => resolve());
  });
}
