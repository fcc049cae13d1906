import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";

/** Reads the stream of a dashboard like a browser, and counts the events. */
export class Reader implements Disposable {
  readonly #response: IncomingMessage;
  bytes = 0;

  private constructor(response: IncomingMessage) {
    this.#response = response;
  }

  /** Resolves when the whole first state has arrived. With `stalls`, nothing is read after that. */
  static async connect(port: number, { stalls = false } = {}): Promise<Reader> {
    const request = get({ host: "127.0.0.1", port, path: "/api/stream", agent: false });
    const [response] = await once(request, "response");
    const reader = new Reader(response);
    await reader.#firstState();
    if (stalls) response.pause();
    return reader;
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }

  #firstState(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#response.on("error", reject);
      this.#response.on("data", (chunk: Buffer) => {
        this.bytes += chunk.length;
        if (chunk.includes("\n\n")) resolve();
      });
    });
  }
}
