import { reasonOf, TeamError } from "../errors.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { failure, type ToolContext, type ToolOutput } from "../tools/tool.ts";
import { CallTimeout } from "./connection.ts";
import { type KeepBytes, shownResult } from "./shown-content.ts";
import type { MemberServer } from "./team-servers.ts";

const defaultTotalMs = 600_000;
const defaultIdleMs = 120_000;

/** Calls a tool of a server. Whatever the server does, this resolves to an output for the model. */
export async function callServer(
  { name: server, entry, link }: MemberServer,
  call: { name: string; arguments: Record<string, unknown> },
  { context, keepBytes }: { context: ToolContext; keepBytes: KeepBytes },
): Promise<ToolOutput> {
  const { signal, callId, member, onOutput } = context;
  return answered(server, signal, async (begin) => {
    const connection = await link.connection(signal);
    const totalMs = entry.timeout_s === undefined ? defaultTotalMs : entry.timeout_s * 1000;
    const limits = { totalMs, idleMs: Math.min(defaultIdleMs, totalMs) };
    begin(() => connection.isOpen);
    const onProgress = (text: string) => onOutput(`${firstCharacters(text, 1_000)}\n`);
    const result = await connection.call(call, limits, { signal, onProgress });
    return shownResult(result, { name: `${member}-${callId}`, keepBytes });
  });
}

/** Does something with a server, and turns what goes wrong into an output. `begin` is called right before it could have an effect. */
export async function answered(
  server: string,
  signal: AbortSignal,
  work: (begin: (isOpen: () => boolean) => void) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  let isOpen: (() => boolean) | undefined;
  try {
    return await work((given) => {
      isOpen = given;
    });
  } catch (error) {
    // Deliberate, and about this server: nothing was done.
    if (error instanceof TeamError) throw error;
    const begun = isOpen !== undefined;
    if (signal.aborted) return failure(begun ? stopped(server) : notBegun(server));
    if (error instanceof CallTimeout) return failure(late(server, error.message));
    if (begun && isOpen?.() === false) return failure(ended(server));
    const reason = escapeWrapper(firstCharacters(reasonOf(error), 2_000));
    return failure(`Error: The MCP server ${server} answered with an error: ${reason}`);
  }
}

const stopped = (server: string) =>
  `Error: The call was stopped before the MCP server ${server} had answered, and the server was told so. Check what it has done before you call it again.`;
const notBegun = (server: string) =>
  `Error: Not run: the call was stopped before the MCP server ${server} was ready.`;
const late = (server: string, reason: string) =>
  `Error: Outcome unknown: the MCP server ${server} was given up, because ${reason}. It may still do what was asked. Check what it has done before you call it again.`;
const ended = (server: string) =>
  `Outcome unknown: the MCP server ${server} ended while this call was running, and the call is not repeated. Check what it has done before you call it again.`;
