import type { ReplyBlock } from "../../protocol/transcript.ts";
import { reply, type ScriptedReply } from "../scripted-model.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { googleWire } from "./google-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import type { ProviderApi, ProviderRequest, RequestBody } from "./provider-api.ts";
import { responsesWire } from "./responses-wire.ts";

/**
 * The answer of a `ProviderServer` to one request. A single block stands for a reply with only that
 * block.
 */
export type ScriptedAnswer = StreamAnswer | StatusAnswer | DeliveredAnswer;

/** A streamed answer, sent whole and at once unless wrapped in `cut`, `stall` or `inPieces`. */
export type StreamAnswer = ReplyBlock | ScriptedReply | BrokenReply | RawAnswer;

/** The first half of a reply, then an error event instead of the rest. */
export interface BrokenReply {
  readonly type: "broken-reply";
  readonly reply: ScriptedReply;
  readonly message: string;
}

/** Raw bytes of an event stream, for input that no reply would produce. */
export interface RawAnswer {
  readonly type: "raw";
  readonly text: string;
}

export interface StatusAnswer {
  readonly type: "status";
  readonly status: number;
  /** Default: the API's own message for that status. */
  readonly body: string | object | undefined;
  readonly headers: Record<string, string>;
}

export interface DeliveredAnswer {
  readonly type: "delivered";
  readonly answer: StreamAnswer;
  readonly delivery: AnswerDelivery;
}

export type AnswerDelivery =
  | { type: "whole" }
  /** `clean` ends the response normally; `broken` breaks the connection. */
  | { type: "cut"; afterBytes: number; ending: "clean" | "broken" }
  | { type: "stall"; after: number | "nothing" }
  | { type: "pieces"; bytes: number };

export function status(
  code: number,
  body?: string | object,
  headers: Record<string, string> = {},
): StatusAnswer {
  return { type: "status", status: code, body, headers };
}

export function raw(text: string): RawAnswer {
  return { type: "raw", text };
}

/**
 * An error event in the stream, such as when the provider is overloaded in the middle of a reply.
 */
export function breaksOff(answer: ReplyBlock | ScriptedReply, message = "Overloaded"): BrokenReply {
  return { type: "broken-reply", reply: toReply(answer), message };
}

/** The default delivery: everything at once. */
export function whole(answer: StreamAnswer): DeliveredAnswer {
  return { type: "delivered", answer, delivery: { type: "whole" } };
}

export function cut(
  answer: StreamAnswer,
  afterBytes: number,
  ending: "clean" | "broken" = "clean",
): DeliveredAnswer {
  return { type: "delivered", answer, delivery: { type: "cut", afterBytes, ending } };
}

/**
 * Stalls before the headers (`"nothing"`) or after the given number of bytes of the body, until the
 * server's `release` or until the client disconnects.
 */
export function stall(answer: StreamAnswer, after: number | "nothing"): DeliveredAnswer {
  return { type: "delivered", answer, delivery: { type: "stall", after } };
}

/** Writes the given number of bytes at a time, even if that splits an event or a character. */
export function inPieces(answer: StreamAnswer, bytes: number): DeliveredAnswer {
  return { type: "delivered", answer, delivery: { type: "pieces", bytes } };
}

export const wires: Record<ProviderRequest["api"], ProviderApi> = {
  anthropic: anthropicWire,
  openai: openAiWire,
  "openai-responses": responsesWire,
  google: googleWire,
};

/** The event stream of `answer`, as a server writes it. */
export function streamText(
  api: ProviderRequest["api"],
  answer: StreamAnswer,
  body: RequestBody = { model: "scripted", messages: [] },
): string {
  if (answer.type === "raw") return answer.text;
  const wire = wires[api];
  if (answer.type !== "broken-reply") return wire.frames(toReply(answer), body).join("");
  const frames = wire.frames(answer.reply, body);
  const half = frames.slice(0, Math.ceil(frames.length / 2));
  return half.join("") + wire.errorFrame(answer.message);
}

/** The blocks that a client has received at the end of `answer`. */
export function blocksOf(answer: StreamAnswer): readonly ReplyBlock[] {
  if (answer.type === "raw" || answer.type === "broken-reply") return [];
  return toReply(answer).blocks;
}

function toReply(answer: ReplyBlock | ScriptedReply): ScriptedReply {
  return answer.type === "reply" ? answer : reply([answer]);
}
