import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { firstCharacters, lastCharacters } from "../lib/cut-text.ts";
import { readJson } from "../lib/read-json.ts";
import type { ServiceProcess } from "../processes/service-process.ts";

/** A longer line is not kept: nobody could read the result in it. */
const maxLineBytes = 16 * 1024 * 1024;
/** So many lines in a row without an answer to a request are a flood. */
const maxUnasked = 20_000;
/** How much of what a server writes to its standard error is told. */
const errorCharacters = 1_000;

interface ProcessTransportOptions {
  start(): Promise<ServiceProcess>;
  /** Turns a parsed line into a message; throws for what is none. */
  parse(line: unknown): JSONRPCMessage;
}

/** Speaks with a server on the standard input and output of its process: one message on each line. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ProcessTransportOptions;
  #service: ServiceProcess | undefined;
  #errors = "";
  #unasked = 0;
  #fault: string | undefined;
  #isClosed = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const service = await this.#options.start();
    this.#service = service;
    service.errors.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = lastCharacters(this.#errors + text, errorCharacters);
    });
    // A server that has exited does not read.
    service.input.on("error", (error) => this.onerror?.(error));
    service.exited.then(() => this.close()).catch((error: unknown) => this.#report(error));
    this.#read(service).catch((error: unknown) => this.#report(error));
    if (this.#isClosed) await service[Symbol.asyncDispose]();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#service || this.#isClosed) throw new Error("the server has ended");
    this.#service.input.write(`${JSON.stringify(message)}\n`);
    if ("id" in message && "method" in message) this.#unasked = 0;
  }

  /** Ends the process and all that it has started. */
  async close(): Promise<void> {
    const isFirst = !this.#isClosed;
    this.#isClosed = true;
    await this.#service?.[Symbol.asyncDispose]();
    if (isFirst) this.onclose?.();
  }

  /** Why it has ended, with the last that it wrote to its standard error. */
  async reason(): Promise<string> {
    const how = this.#fault ?? `it exited ${(await this.#service?.exited) ?? "at once"}`;
    const errors = this.#errors.trim();
    return errors === "" ? how : `${how}, and wrote: ${errors}`;
  }

  /** Reads on only when a piece is handed on, so that a flood fills no memory. */
  async #read({ output }: ServiceProcess): Promise<void> {
    const decoder = new StringDecoder("utf8");
    let parts: string[] = [];
    let bytes = 0;
    for await (const chunk of output) {
      const piece: Buffer = chunk;
      const [first = "", ...others] = decoder.write(piece).split("\n");
      parts.push(first);
      bytes += piece.length;
      if (others.length > 0) {
        this.#take(parts.join(""));
        for (const line of others.slice(0, -1)) this.#take(line);
        parts = [others.at(-1) ?? ""];
        bytes = Buffer.byteLength(parts[0] ?? "");
      }
      const fault = this.#faultAt(bytes);
      if (fault) return this.#endFor(fault);
      // Others have their turn between two pieces.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #faultAt(bytes: number): string | undefined {
    if (bytes > maxLineBytes) return `it sent a line of more than ${maxLineBytes} bytes`;
    if (this.#unasked > maxUnasked)
      return `it sent ${this.#unasked} messages that nobody asked for`;
    return undefined;
  }

  async #endFor(fault: string): Promise<void> {
    this.#fault = fault;
    await this.close();
  }

  /** A line that is no message is left out: programs print to their output what they should not. */
  #take(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    this.#unasked++;
    try {
      const message = this.#options.parse(readJson(line));
      if (!("method" in message)) this.#unasked = 0;
      this.onmessage?.(message);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.onerror?.(new Error(`not a message: ${firstCharacters(line, 200)}`, { cause: error }));
    }
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
