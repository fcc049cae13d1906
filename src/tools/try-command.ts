import { type CommandEnd, type CommandRunner, runCommand } from "../processes/command-runner.ts";
import { describeEnd, hasSucceeded } from "../processes/describe-end.ts";
import { failure, type ToolOutput } from "./tool.ts";

interface TriedCommand {
  command: string;
  name: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The person who is asked in the end should not wait long for that. */
const maxTrialMs = 10_000;

const note =
  "(It ran unasked where it can change nothing, reach no network, and read only the workspace and programs.)";

/** Runs a command where it has no effect. `isHindered` if it may have failed because of that. */
export async function tryCommand(
  runner: CommandRunner,
  { command, name, timeoutMs, signal }: TriedCommand,
): Promise<ToolOutput> {
  const end = await runCommand(runner, {
    ...{ command, name, signal, timeoutMs: Math.min(timeoutMs, maxTrialMs), isTrial: true },
    onOutput: () => undefined,
  });
  if (end.type === "not-started") {
    return { ...failure(`Error: ${end.problem}`), isHindered: true };
  }
  const text = `${describeEnd(end)}\n${note}`;
  return { text, isError: !hasSucceeded(end), isHindered: isHindered(end) };
}

/** What programs say where they cannot write, read or reach something. */
const hindrances = [
  /read-only file ?system|\bEROFS\b|read-?only database/i,
  /permission denied|operation not permitted|\b(EACCES|EPERM)\b/i,
  /\b(ECONNREFUSED|ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|connection refused|network is unreachable/i,
  /could not resolve|name resolution|name or service not known|temporary failure/i,
];

/** Not found, or not to be run: a program may be where the trial does not look. */
const withoutProgram = [126, 127];

function isHindered({ ending, exitCode, output }: CommandEnd): boolean {
  if (ending === "aborted") return false;
  if (ending !== "exited" || exitCode === null || withoutProgram.includes(exitCode)) return true;
  return hindrances.some((pattern) => pattern.test(output));
}
