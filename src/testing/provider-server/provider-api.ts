import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { ScriptedReply } from "../scripted-model.ts";

/** The fields that the requests of all APIs have. Each API's strict check reads the rest. */
export interface RequestBody {
  /** The name of the model. */
  model: string;
  /** The conversation; empty for the Responses API, which has `input` instead. */
  messages: { role: string; content: unknown; [field: string]: unknown }[];
  /** The items of the Responses API. */
  input?: { type?: string | undefined; [field: string]: unknown }[] | undefined;
  /** Any further field. */
  [field: string]: unknown;
}
export const RequestBody = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).default([]),
  input: z.array(z.looseObject({ type: z.string().optional() })).optional(),
}) satisfies z.ZodType<RequestBody>;

/** One request as the server received it. */
export interface ProviderRequest {
  readonly api: "anthropic" | "openai" | "openai-responses" | "google";
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
  /** The parsed body, unchanged. */
  readonly text: string;
  /** When the whole request was received, in monotonic milliseconds. */
  readonly at: number;
  /** When the last byte of the answer was handed to the operating system. */
  answeredAt?: number;
}

/** Why a request is refused, in the words of the API. */
export interface ProviderRefusal {
  readonly status: number;
  readonly message: string;
}

/** One provider's API as it looks on the wire. */
export interface ProviderApi {
  readonly api: ProviderRequest["api"];
  /** The path of its requests; a pattern has the name of the model in it. */
  readonly path: string | RegExp;
  /** The events of a streamed reply, in order. */
  frames(reply: ScriptedReply, body: RequestBody): string[];
  /** An event that ends a stream with an error. */
  errorFrame(message: string): string;
  errorBody(refusal: ProviderRefusal): object;
}

/**
 * The input of a tool call as the model writes it; it may be text that `JSON.stringify` never
 * produces.
 */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function inputJson(input: unknown): string {
  return input instanceof RawJson ? input.text : JSON.stringify(input);
}

/** Splits a text into small pieces, as providers do, without splitting a character. */
export function inDeltas(text: string): string[] {
  return text.match(/.{1,40}/gsu) ?? [];
}

/** The error messages that all these APIs use. */
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
