import { resolve } from "node:path";
import type { HookedCall } from "../../agent/hooks.ts";
import { foreignNamesOf } from "../../protocol/tool-names.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** Fields of Claude Code's tools, and Troupe's names for them. */
const ownFields = new Map([
  ["file_path", "path"],
  ["old_string", "old_text"],
  ["new_string", "new_text"],
]);

/** All names of the tool of a call: hooks may be written for any of them. */
export function namesOf({ tool, action }: Pick<HookedCall, "tool" | "action">): string[] {
  // Who looks at a command that runs starts none.
  const isFor = (name: string) => action.type === "command" || !startsCommands.has(name);
  return [tool, ...foreignNamesOf(tool).filter(isFor)];
}

const startsCommands: ReadonlySet<string> = new Set(["Bash", "shell"]);

/** A call as a hook reads it: the tool's name and fields for Claude Code are beside Troupe's own. */
export function callJson(call: HookedCall) {
  const [own = call.tool, foreign = own] = namesOf(call);
  return {
    tool_name: foreign,
    troupe_tool_name: own,
    tool_use_id: call.callId,
    tool_input: withForeignFields(call),
  };
}

/** What a call has returned, as a hook reads it. */
export function responseJson(call: HookedCall, { text, isError }: ToolOutput) {
  const isCommand = call.action.type === "command";
  return {
    output: text,
    is_error: isError,
    success: !isError,
    ...(isCommand && { stdout: text, stderr: "", interrupted: false }),
    ...("path" in call.action && { filePath: resolve(call.cwd, call.action.path) }),
  };
}

function withForeignFields({ input, cwd }: HookedCall): unknown {
  if (!isObject(input)) return input;
  const added = [...ownFields].flatMap(([foreign, own]) => {
    const value = input[own];
    if (typeof value !== "string" || Object.hasOwn(input, foreign)) return [];
    return [[foreign, own === "path" ? resolve(cwd, value) : value]];
  });
  return { ...input, ...Object.fromEntries(added) };
}

/** The input that replaces one: a hook may have written it for Claude Code's tool or for Troupe's. */
export function ownInput(
  call: HookedCall,
  updated: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { input } = call;
  const shown = withForeignFields(call);
  if (!isObject(input) || !isObject(shown)) return updated;
  const own = { ...updated };
  for (const [foreign, name] of ownFields) {
    if (Object.hasOwn(input, foreign) || !Object.hasOwn(updated, foreign)) continue;
    const isNew = updated[foreign] !== shown[foreign];
    const isKept = !isNew && !Object.hasOwn(updated, name);
    if (isNew) own[name] = updated[foreign];
    if (isKept) own[name] = input[name];
    delete own[foreign];
  }
  return own;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
