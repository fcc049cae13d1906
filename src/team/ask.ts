import { TeamError } from "../errors.ts";
import type { ImageReference } from "../protocol/message.ts";
import type { TeamRequest } from "../protocol/request.ts";
import type { ResultCheck, ResultSchema } from "./protocols/result-schema.ts";
import { untilQuiet } from "./quiescence.ts";
import type { Supervisor } from "./supervisor.ts";

/** How the lead is asked for a result. */
export interface AskOptions<T> {
  /** What the result must be: a schema of Zod 4.2 or newer, or a JSON Schema. */
  schema: ResultSchema<T>;
  /**
   * Names the question, over restarts: an `ask` with the same `id` continues one that was interrupted, and returns the
   * result of one that was answered. Without it, every `ask` is a new question.
   */
  id?: string | undefined;
  /** Stops the waiting. A question with an `id` stays open. */
  signal?: AbortSignal | undefined;
}

/** A prompt as a message has it. */
export interface WrittenPrompt {
  readonly content: string;
  readonly images?: ImageReference[];
}

/** Asks the lead, and resolves to the value that it hands in. */
export async function askLead(
  supervisor: Supervisor,
  { content: prompt, images }: WrittenPrompt,
  { schema, id: key, signal }: AskOptions<unknown>,
): Promise<unknown> {
  const { readSchema } = await import("./protocols/result-schema.ts");
  const { check, json } = readSchema(schema);
  const { results } = supervisor.protocols;
  const asked = await results.ask({ prompt, images, schema: json, key, check });
  const request = await decided(supervisor, asked, signal);
  if (request.state === "approved") return resultOf(request, check);
  if (signal?.aborted) {
    if (key === undefined) await results.cancel(request.id, "the program no longer waits for it");
    throw signal.reason;
  }
  if (supervisor.isClosing) {
    const hint =
      key === undefined
        ? "Ask again when the team is open; with an id, a question would stay."
        : "Ask again under the same id when the team is open: the question stays.";
    throw new TeamError("team-closed", "The team was closed before it had a result", { hint });
  }
  await results.cancel(request.id, "the lead ended without a result");
  throw missing(supervisor, request);
}

/** The request once it is decided, or the team is quiet, or the waiting is stopped. */
async function decided(
  supervisor: Supervisor,
  { id }: TeamRequest,
  signal: AbortSignal | undefined,
): Promise<TeamRequest> {
  const { requests } = supervisor.options.store;
  const stop = new AbortController();
  const stopListening = requests.onChange((request) => {
    if (request.id === id && request.state !== "pending") stop.abort();
  });
  try {
    const current = await requests.get(id);
    if (current.state !== "pending") return current;
    const stops = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal;
    await untilQuiet(supervisor, { signal: stops, backgroundWaitMs: 60_000 });
    return await requests.get(id);
  } finally {
    stopListening();
  }
}

async function resultOf({ decision }: TeamRequest, check: ResultCheck): Promise<unknown> {
  const checked = await check(decision?.value);
  if (checked.type === "right") return checked.value;
  throw new TeamError("result-missing", `The result does not match: ${checked.problem}`);
}

function missing({ members }: Supervisor, { decision }: TeamRequest): TeamError {
  const { lastEnd } = members.lead.state;
  const reason = decision?.reason ?? lastEnd?.reason ?? "it ended without one";
  return new TeamError("result-missing", `The lead has given no result: ${reason}`, {
    hint: "See what it said in the summary; ask again, or with another model.",
  });
}
