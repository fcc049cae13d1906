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

/** Runs a command and waits for it. */
export function bashTool(parts: { runner: CommandRunner; background: BackgroundJobs }): Tool {
  return defineTool({
    name: "bash",
    description: `Run a command with bash -c in your working directory; no cd or variable carries over. Ended after timeout_s (${defaultTimeoutSeconds}).`,
    input: BashInput,
    action: ({ command }) => ({ type: "command", command }),
    async run({ command, timeout_s: seconds, run_in_background: isInBackground }, context) {
      if (isInBackground) {
        const timeoutMs = seconds === undefined ? undefined : seconds * 1000;
        return startInBackground(parts.background, { command, timeoutMs });
      }
      const end = await runCommand(parts.runner, {
        command,
        name: context.callId,
        timeoutMs: (seconds ?? defaultTimeoutSeconds) * 1000,
        signal: context.signal,
        onOutput: (text) => context.onOutput(text),
      });
      if (end.type === "not-started") return failure(`Error: ${end.problem}`);
      return { text: describeEnd(end), isError: !hasSucceeded(end) };
    },
  });
}
