import { createServer, type Server, type ServerResponse } from "node:http";

interface EndlessAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly beginning?: string;
  /** What is sent again and again. */
  readonly piece: string | ((index: number) => string);
}

/** Far above every limit, and little enough that a client without limits is done soon. */
export const mostBytes = 80 * 1024 * 1024;

/** A provider that answers every request without end: until the client leaves, or at `mostBytes`. */
export class EndlessServer implements AsyncDisposable {
  requests = 0;
  /** What the operating system took of the last answer; some of it may never have been received. */
  sentBytes = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(answer: EndlessAnswer): Promise<EndlessServer> {
    const http = createServer();
    const server = new EndlessServer(http);
    http.on("request", (request, response) => {
      request.resume().on("end", () => void server.#send(response, answer));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("The server is closed");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #send(response: ServerResponse, answer: EndlessAnswer): Promise<void> {
    const { status = 200, type = "text/event-stream", beginning = "", piece } = answer;
    this.requests++;
    this.sentBytes = 0;
    response.writeHead(status, { "content-type": type });
    await this.#write(response, beginning);
    for (let index = 0; this.sentBytes < mostBytes && !response.destroyed; index++) {
      await this.#write(response, typeof piece === "string" ? piece : piece(index));
    }
    response.end();
  }

  /** Resolves once the operating system has it, or the client is gone. */
  #write(response: ServerResponse, text: string): Promise<void> {
    return new Promise((resolve) => {
      response.once("close", resolve);
      response.write(text, (error) => {
        response.off("close", resolve);
        if (!error) this.sentBytes += Buffer.byteLength(text);
        resolve();
      });
    });
  }
}
