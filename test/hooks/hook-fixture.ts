import { CommandHooks, type HookReport, type HookSource } from "../../src/hooks/command-hooks.ts";
import type { EventAnswer } from "../../src/hooks/merge-answers.ts";
import type { CommandHook, HookEvent } from "../../src/protocol/hook-configuration.ts";
import { HookInput } from "../../src/protocol/hook-input.ts";
import { lead } from "../../src/protocol/ids.ts";
import { openShell, type ShellFixture } from "../processes/shell-fixture.ts";

export interface HookFixture extends AsyncDisposable {
  readonly shell: ShellFixture;
  readonly reports: HookReport[];
  /** Runs the hooks of an event about a call of bash. */
  run(
    input?: Partial<HookInput>,
    options?: { signal?: AbortSignal; names?: readonly string[] },
  ): Promise<EventAnswer>;
}

const bashNames: readonly string[] = ["bash", "Bash"];

/** Hooks in a new directory, in which they run. */
export async function openHooks(
  sources: readonly HookSource[],
  options: Parameters<typeof openShell>[0] = {},
): Promise<HookFixture> {
  const shell = await openShell(options);
  const reports: HookReport[] = [];
  const hooks = new CommandHooks({ sources, report: (report) => reports.push(report) });
  return {
    shell,
    reports,
    run: (input = {}, { signal = new AbortController().signal, names = bashNames } = {}) =>
      hooks.run({
        input: HookInput.parse({ ...preToolUse, ...input }),
        names,
        own: [],
        runner: shell.runner,
        signal,
        callId: "call-1",
      }),
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}

/** Hooks of one event, from a file of the person. */
export function hooksOf(
  event: HookEvent,
  ...commands: (string | Partial<CommandHook>)[]
): HookSource {
  const hooks = commands.map((given): CommandHook => {
    const stated = typeof given === "string" ? { command: given } : given;
    return { type: "command", command: "true", ...stated };
  });
  return { origin: "the test", hooks: { [event]: [{ hooks }] } };
}

export const preToolUse: HookInput = {
  hook_event_name: "PreToolUse",
  session_id: "team-1",
  transcript_path: "/w/.team/transcripts/lead.jsonl",
  cwd: "/w",
  permission_mode: "default",
  agent_id: lead,
  agent_type: "lead",
  tool_name: "Bash",
  troupe_tool_name: "bash",
  tool_use_id: "call-1",
  tool_input: { command: "npm test" },
};
