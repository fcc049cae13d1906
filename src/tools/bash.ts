import { z } from "zod";
import type { BackgroundJobs } from "../processes/background-jobs.ts";
import { type CommandRunner, runCommand } from "../processes/command-runner.ts";
import { describeEnd, hasSucceeded } from "../processes/describe-end.ts";
import { startInBackground } from "./background.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

const defaultTimeoutSeconds = 120;
const maxTimeoutSeconds = 3600;

const BashInput = z.object({
  command: z.string(),
  timeout_s: z.number().positive().max(maxTimeoutSeconds).optional(),
  run_in_background: z.boolean().optional(),
});

const SandboxedBashInput = BashInput.extend({
  unsandboxed: z.boolean().optional(),
  reason: z.string().optional(),
});

export interface BashParts {
  runner: CommandRunner;
  background: BackgroundJobs;
  /** What a model is told about the sandbox of its commands, if there is one. */
  sandboxNote?: string | undefined;
  /** Called before a command. What it returns is called after it, and says what the member is to know of others' files. */
  watchOthers?: (() => Promise<() => Promise<string | undefined>>) | undefined;
}

/** Runs a command and waits for it. */
export function bashTool(parts: BashParts): Tool {
  const { sandboxNote } = parts;
  return defineTool({
    name: "bash",
    description: `Run a command with bash -c in your working directory; no cd or variable carries over. Ended after timeout_s (${defaultTimeoutSeconds}).${sandboxNote ? ` ${sandboxNote}` : ""}`,
    input: sandboxNote ? SandboxedBashInput : BashInput,
    action: (input) => ({
      ...{ type: "command", command: input.command, ...leavingOf(input) },
      ...(!input.run_in_background && { isTriable: true }),
    }),
    async run(input, context) {
      const { command, timeout_s: seconds, run_in_background: isInBackground } = input;
      const isUnconfined = leavingOf(input) !== undefined;
      if (isInBackground) {
        const timeoutMs = seconds === undefined ? undefined : seconds * 1000;
        return startInBackground(parts.background, { command, timeoutMs, isUnconfined });
      }
      const noteOthers = await parts.watchOthers?.();
      const timeoutMs = (seconds ?? defaultTimeoutSeconds) * 1000;
      const { callId: name, signal, confinement } = context;
      if (confinement === "trial") {
        const { tryCommand } = await import("./try-command.ts");
        return await tryCommand(parts.runner, { command, name, timeoutMs, signal });
      }
      const end = await runCommand(parts.runner, {
        ...{ command, name, timeoutMs, signal, isUnconfined },
        isReadOnly: confinement === "read-only",
        onOutput: (text) => context.onOutput(text),
      });
      if (end.type === "not-started") return failure(`Error: ${end.problem}`);
      const note = await noteOthers?.();
      const text = note ? `${describeEnd(end)}\n${note}` : describeEnd(end);
      return { text, isError: !hasSucceeded(end) };
    },
  });
}

/** Why a call asks to run outside the sandbox; undefined if it does not. */
function leavingOf(input: z.infer<typeof BashInput> | z.infer<typeof SandboxedBashInput>) {
  if (!("unsandboxed" in input) || !input.unsandboxed) return undefined;
  return { leaving: input.reason?.trim() || "no reason was given" };
}
