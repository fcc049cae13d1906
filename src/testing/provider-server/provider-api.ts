import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { ScriptedReply } from "../scripted-model.ts";

/** What every request of any API has. Each API's strict check looks at the rest. */
export const RequestBody = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
export type RequestBody = z.infer<typeof RequestBody>;

/** One request as the server received it. */
export interface ProviderRequest {
  readonly api: "anthropic" | "openai";
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
  /** The body as it came. */
  readonly text: string;
  /** When it was received whole, in monotonic milliseconds. */
  readonly at: number;
  /** When the last byte of the answer was handed to the operating system. */
  answeredAt?: number;
}

/** Why a request is not answered, in the words of the API. */
export interface ProviderRefusal {
  readonly status: number;
  readonly message: string;
}

/** One provider's API as it looks on the wire. */
export interface ProviderApi {
  readonly api: ProviderRequest["api"];
  readonly path: string;
  /** The events of a streamed reply, in order. */
  frames(reply: ScriptedReply, body: RequestBody): string[];
  /** An event that ends a stream with an error. */
  errorFrame(message: string): string;
  errorBody(refusal: ProviderRefusal): object;
}

/** The input of a tool call as the model spells it, for what `JSON.stringify` would never write. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function inputJson(input: unknown): string {
  return input instanceof RawJson ? input.text : JSON.stringify(input);
}

/** As providers stream it: a little at a time, and no character is ever split. */
export function inDeltas(text: string): string[] {
  return text.match(/.{1,40}/gsu) ?? [];
}

/** A handful of statuses in the words that both providers share. */
export function defaultMessage(status: number): string {
  return messages[status] ?? `Status ${status}`;
}

const messages: Record<number, string> = {
  400: "Bad request",
  401: "Invalid API key",
  403: "Your API key does not have permission to use the specified resource",
  404: "Not found",
  429: "This request would exceed your rate limit",
  500: "Internal server error",
  529: "Overloaded",
};
