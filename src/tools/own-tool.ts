import { z } from "zod";
import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { isLeaving } from "../lib/leaving.ts";
import { ModelImage } from "../protocol/transcript.ts";
import {
  failure,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "./tool.ts";

/**
 * A tool of the library's user as the agent loop calls it. Whatever goes wrong in it is an error
 * result for the model, since a rejected `fetch` must not end the run; a throw of a built-in tool
 * is a bug of troupe and does.
 */
export function ownTool(tool: Tool, clock: Pick<Clock, "schedule">): Tool {
  const { name } = tool.spec;
  return {
    spec: tool.spec,
    prepare(input) {
      try {
        const call = tool.prepare(input);
        if (call.type === "invalid") return call;
        const { data: action, error } = OwnAction.safeParse(call.action);
        if (error) return { type: "invalid", output: wrong(name, "action", error) };
        return {
          type: "prepared",
          action,
          run: (context) => outputOf(name, call, { context, clock }),
        };
      } catch (error) {
        return { type: "invalid", output: failed(name, error) };
      }
    },
  };
}

// Checked, because a tool may be written in JavaScript: permissions judge by the action, and a
// transcript must be readable.
const flag = z.boolean().exactOptional();
const OwnAction = z.discriminatedUnion("type", [
  z.object({ type: z.literal("coordinate"), isIndependent: flag }),
  z.object({ type: z.literal("read"), path: z.string(), isTree: flag }),
  z.object({ type: z.literal("write"), path: z.string() }),
  z.object({
    type: z.literal("command"),
    command: z.string(),
    isGated: z.literal(true).exactOptional(),
  }),
  z.object({ type: z.literal("effect"), summary: z.string().min(1), isReadOnly: flag }),
]);

const OwnOutput = z.object({
  text: z.string(),
  isError: z.boolean().default(false),
  images: z.array(ModelImage).optional(),
});

async function outputOf(
  name: string,
  call: PreparedCall,
  { context, clock }: { context: ToolContext; clock: Pick<Clock, "schedule"> },
): Promise<ToolOutput> {
  const patience = new Patience(context.signal, clock);
  try {
    const returned = await Promise.race([call.run(context), patience.isOver]);
    if (returned === "still running") return failure(runsOn(name));
    const { data, error } = OwnOutput.safeParse(returned);
    return error ? wrong(name, "output", error) : data;
  } catch (error) {
    if (error instanceof TeamError) throw error;
    // What it threw may be the reason of the abort, which says nothing to the model.
    if (context.signal.aborted) return failure(stopped(name));
    return failed(name, error);
  } finally {
    patience.end();
  }
}

/** How long a tool has to stop when its run is interrupted: less than a member has that is ended. */
const stopMs = 500;

/**
 * The time that a tool has after an interruption. A process that leaves waits for no tool either, but
 * writes nothing of the call, whose outcome is unknown then.
 */
class Patience {
  readonly isOver: Promise<"still running">;
  readonly end: () => void;

  constructor(signal: AbortSignal, clock: Pick<Clock, "schedule">) {
    let cancel = () => {};
    let giveUp = () => {};
    this.isOver = new Promise((resolve) => {
      giveUp = () => resolve("still running");
    });
    const onAbort = () => {
      if (!isLeaving(signal)) cancel = clock.schedule(stopMs, giveUp);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    this.end = () => {
      signal.removeEventListener("abort", onAbort);
      cancel();
    };
  }
}

const runsOn = (name: string) =>
  `Error: ${name} did not stop when the run was interrupted, and may still be running. Check what it has done before you call it again.`;
const stopped = (name: string) =>
  `Error: ${name} was stopped before it had finished. Check what it has done before you call it again.`;

function wrong(name: string, what: "action" | "output", error: z.ZodError): ToolOutput {
  return failure(`Error: ${name} has no valid ${what}: ${z.prettifyError(error)}`);
}

function failed(name: string, error: unknown): ToolOutput {
  return failure(`Error: ${name} failed: ${messagesOf(error).join(": ")}`);
}

/** The message of an error and those of its causes: `fetch failed` alone helps nobody. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { name, message, cause } = error;
  return [message || name, ...(cause instanceof Error ? messagesOf(cause) : [])];
}
