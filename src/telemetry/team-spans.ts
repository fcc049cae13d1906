import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { firstCharacters } from "../lib/cut-text.ts";
import type { AgentEvent, ModelCallEvent } from "../protocol/events.ts";
import { lead, type MemberName } from "../protocol/ids.ts";
import type { RemoteSpan } from "./otlp-settings.ts";
import { modelAttributes } from "./semantic-names.ts";

/** Of contents, so much is sent of one text. */
const maxContentCharacters = 16_000;

export interface TeamSpansOptions {
  tracer: Tracer;
  parent: RemoteSpan | undefined;
  hasContents: boolean;
}

/** What a member does now. */
interface OpenRun {
  span: Span;
  turn: Span | undefined;
  calls: Map<string, Span>;
  /** What the model has written in this turn so far. */
  text: string;
  /** The mail that came in since the last call of the model. */
  mail: string[];
}

/**
 * Makes spans of the events of a team: a run of a member, below it its turns, below these the calls of its model
 * and of tools. A run of the lead begins a trace; that of a teammate is below the latest run of the lead.
 */
export class TeamSpans {
  readonly #options: TeamSpansOptions;
  readonly #outside: Context;
  readonly #runs = new Map<MemberName, OpenRun>();
  #leadRun: Span | undefined;

  constructor(options: TeamSpansOptions) {
    this.#options = options;
    const { parent } = options;
    this.#outside = parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
      : ROOT_CONTEXT;
  }

  take(event: AgentEvent): void {
    const { member } = event;
    if (member === undefined) return;
    const at = new Date(event.at);
    if (event.type === "run-start") this.#beginRun(member, at);
    const run = this.#runs.get(member);
    if (!run) {
      // A conversation is also summarized while its member rests.
      if (event.type === "model-call") this.#addModelCall(event, { member, at, run });
      return;
    }
    switch (event.type) {
      case "turn-start":
        run.turn?.end(at);
        run.turn = this.#start(`turn ${event.turn}`, run.span, at, { "troupe.turn": event.turn });
        run.text = "";
        break;
      case "text-delta":
        if (this.#options.hasContents) run.text = content(run.text + event.text);
        break;
      case "reply-restart":
        run.text = "";
        break;
      case "model-call":
        this.#addModelCall(event, { member, at, run });
        break;
      case "tool-call":
        this.#beginCall(event, { run, at });
        break;
      case "tool-result":
        this.#endCall(event, { run, at });
        break;
      case "turn-end":
        run.turn?.end(at);
        run.turn = undefined;
        break;
      case "run-end":
        run.span.setAttribute("troupe.run.outcome", event.outcome);
        if (event.outcome === "failed") fail(run.span, "run_failed");
        this.#endRun(member, run, at);
        break;
    }
  }

  /** A message that a member has taken in: with contents, the next call of its model has it. */
  addMail(member: MemberName, text: string): void {
    const run = this.#runs.get(member);
    if (run && run.mail.length < 20) run.mail.push(content(text));
  }

  /** Ends all spans, where the team is closed in the middle of its work. */
  end(at: Date): void {
    for (const [member, run] of this.#runs) this.#endRun(member, run, at);
  }

  #beginRun(member: MemberName, at: Date): void {
    const open = this.#runs.get(member);
    if (open) this.#endRun(member, open, at);
    const before = this.#leadRun;
    const isLead = member === lead;
    const parent = before && !isLead ? trace.setSpan(this.#outside, before) : this.#outside;
    const span = this.#options.tracer.startSpan(
      `invoke_agent ${member}`,
      {
        kind: SpanKind.INTERNAL,
        startTime: at,
        attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": member },
        // So that the runs of one talk can be followed from one to the next.
        links: before && isLead ? [{ context: before.spanContext() }] : [],
      },
      parent,
    );
    if (isLead) this.#leadRun = span;
    this.#runs.set(member, { span, turn: undefined, calls: new Map(), text: "", mail: [] });
  }

  #endRun(member: MemberName, { span, turn, calls }: OpenRun, at: Date): void {
    for (const call of calls.values()) call.end(at);
    turn?.end(at);
    span.end(at);
    this.#runs.delete(member);
  }

  #addModelCall(
    { model, duration_ms: durationMs, usage, failure }: ModelCallEvent,
    { member, at, run }: { member: MemberName; at: Date; run: OpenRun | undefined },
  ): void {
    const names = modelAttributes(model);
    const attributes = {
      "gen_ai.operation.name": "chat",
      ...names,
      "gen_ai.agent.name": member,
      ...(usage && usageAttributes(usage)),
      ...(run && this.#options.hasContents && messagesOf(run)),
    };
    const start = new Date(at.getTime() - durationMs);
    const above = run?.turn ?? run?.span;
    const name = `chat ${names["gen_ai.request.model"]}`;
    const span = this.#start(name, above, start, attributes, SpanKind.CLIENT);
    if (failure) fail(span, failure);
    span.end(at);
    if (run) run.mail = [];
  }

  #beginCall(
    { call_id: id, name, input }: Extract<AgentEvent, { type: "tool-call" }>,
    { run, at }: { run: OpenRun; at: Date },
  ): void {
    const span = this.#start(`execute_tool ${name}`, run.turn ?? run.span, at, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": id,
      ...(this.#options.hasContents && {
        "gen_ai.tool.call.arguments": content(JSON.stringify(input) ?? ""),
      }),
    });
    run.calls.set(id, span);
  }

  #endCall(
    { call_id: id, output, is_error: isError }: Extract<AgentEvent, { type: "tool-result" }>,
    { run, at }: { run: OpenRun; at: Date },
  ): void {
    const span = run.calls.get(id);
    if (this.#options.hasContents) span?.setAttribute("gen_ai.tool.call.result", content(output));
    if (span && isError) fail(span, "tool_error");
    span?.end(at);
    run.calls.delete(id);
  }

  #start(
    name: string,
    above: Span | undefined,
    startTime: Date,
    attributes: Attributes,
    kind = SpanKind.INTERNAL,
  ): Span {
    const context = above ? trace.setSpan(this.#outside, above) : this.#outside;
    return this.#options.tracer.startSpan(name, { kind, startTime, attributes }, context);
  }
}

function usageAttributes(usage: NonNullable<ModelCallEvent["usage"]>): Attributes {
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd } = usage;
  return {
    // By the conventions, those of the cache are among them.
    "gen_ai.usage.input_tokens": input_tokens + cache_read_tokens + cache_write_tokens,
    "gen_ai.usage.output_tokens": output_tokens,
    "gen_ai.usage.cache_read.input_tokens": cache_read_tokens,
    "gen_ai.usage.cache_creation.input_tokens": cache_write_tokens,
    ...(cost_usd !== undefined && { "troupe.cost_usd": cost_usd }),
  };
}

function messagesOf({ mail, text }: OpenRun): Attributes {
  const messages = (role: string, texts: readonly string[]) =>
    JSON.stringify(texts.map((it) => ({ role, parts: [{ type: "text", content: it }] })));
  return {
    ...(mail.length > 0 && { "gen_ai.input.messages": messages("user", mail) }),
    ...(text !== "" && { "gen_ai.output.messages": messages("assistant", [text]) }),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function content(text: string): string {
  return firstCharacters(text, maxContentCharacters);
}
