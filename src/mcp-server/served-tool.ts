import { describeError, TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Tool, ToolOutput } from "../tools/tool.ts";

/** What a client may conclude of a tool without calling it, in the words of the protocol. */
export interface ToolFacts {
  /** What a person sees in a list of tools. */
  title: string;
  /** True where a call changes nothing. */
  isReadOnly: boolean;
  /** True where a call may destroy what cannot be had back (default: false). */
  isDestructive?: boolean;
}

/** A tool that a client of the protocol can call. */
export interface ServedTool extends ToolFacts {
  readonly tool: Tool;
}

/** Who makes the calls of one server, and how long each may take. */
export interface Caller {
  /** Whose calls they are, whatever their arguments say. */
  readonly member: MemberName;
  readonly cwd: string;
  readonly clock: Pick<Clock, "schedule">;
  /** Replaces the secrets that no answer may show. */
  mask(text: string): string;
}

/** What a client is answered. */
export interface ServedOutput {
  text: string;
  isError: boolean;
}

/** Some clients give up after 60 seconds, however long the server would need. */
export const longestCallSeconds = 50;

/** The most characters of a result. */
const longestResult = 50_000;

/** Calls a tool for a client. A refusal is an output, too; only a bug rejects. */
export async function callTool(
  { tool }: ServedTool,
  input: unknown,
  caller: Caller,
  call: { id: string; signal: AbortSignal },
): Promise<ServedOutput> {
  const prepared = tool.prepare(input);
  if (prepared.type === "invalid") return bounded(prepared.output, caller);
  const { member, cwd, clock } = caller;
  const time = new CallTime(clock, call.signal);
  const context = { callId: call.id, member, cwd, model: "", signal: time.signal };
  try {
    const running = prepared.run({ ...context, onOutput: () => undefined });
    const output = await Promise.race([running, time.isOver]);
    return bounded(output ?? tooSlow(tool.spec.name), caller);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return bounded({ text: `Error: ${describeError(error)}`, isError: true }, caller);
  } finally {
    time.end();
  }
}

/** The time of one call. The tool is told first, so that one that waits can still say what it has. */
class CallTime {
  readonly signal: AbortSignal;
  readonly isOver: Promise<undefined>;
  readonly end: () => void;

  constructor(clock: Pick<Clock, "schedule">, client: AbortSignal) {
    const ending = new AbortController();
    this.signal = ending.signal;
    const removeListener = onAbort(client, () => ending.abort());
    const cancelStop = clock.schedule(longestCallSeconds * 1000, () => ending.abort());
    let giveUp = () => {};
    this.isOver = new Promise((resolve) => {
      giveUp = () => resolve(undefined);
    });
    const cancelEnd = clock.schedule((longestCallSeconds + graceSeconds) * 1000, giveUp);
    this.end = () => {
      removeListener();
      cancelStop();
      cancelEnd();
    };
  }
}

const graceSeconds = 2;

function tooSlow(name: string): ServedOutput {
  return {
    text: `Error: ${name} has not answered for ${longestCallSeconds} seconds, and may still be at work. Look whether it was done before you call it again.`,
    isError: true,
  };
}

function bounded(
  { text, isError }: Pick<ToolOutput, "text" | "isError">,
  caller: Caller,
): ServedOutput {
  return { text: boundedText(caller.mask(text)), isError };
}

export function boundedText(text: string): string {
  if (text.length <= longestResult) return text;
  const left = text.length - roomForText;
  return `${firstCharacters(text, roomForText)}\n… (${left} more characters are left out)`;
}

const roomForText = longestResult - 100;
