import type { CommandEnd } from "./command-runner.ts";

/** The result of a command for its model: its output, and how it ended. */
export function describeEnd(end: CommandEnd): string {
  if (end.ending === "unconfined") return unconfined(end);
  const outcome = outcomeOf(end);
  // An error message is enough; an exit code alone would leave open whether something was printed.
  const hasOutput = end.output.trim() !== "";
  const output = hasOutput ? end.output.replace(/\n$/, "") : "(no output)";
  const lines = outcome?.startsWith("Error") && !hasOutput ? [outcome] : [output, outcome];
  return [...lines, leftoversOf(end), appearedOf(end), refusedOf(end)]
    .filter((line) => line !== undefined)
    .join("\n");
}

/** True if the command succeeded, as far as a shell can report it. */
export function hasSucceeded({ ending, exitCode }: CommandEnd): boolean {
  return ending === "exited" && exitCode === 0;
}

/** What it printed is the sandbox's own error. */
function unconfined({ output }: CommandEnd): string {
  const why = output.trim() || "it ended without a word";
  return `Error: The sandbox could not be started: ${why}\nNothing of the command ran. troupe doctor says what is missing.`;
}

function outcomeOf(end: CommandEnd): string | undefined {
  const { ending, exitCode, signal, timeoutMs } = end;
  switch (ending) {
    case "timeout":
      return `Error: Timeout (${(timeoutMs ?? 0) / 1000}s)`;
    case "aborted":
      return "Error: Interrupted; the command and all it had started are ended.";
    case "crowded":
      return "Error: It started too many processes; the command and all it had started are ended.";
    case "unconfined":
      return unconfined(end);
    case "exited":
      if (signal) return `(killed by ${signal})`;
      return exitCode === 0 ? undefined : `(exit ${exitCode})`;
  }
}

function leftoversOf({ leftovers }: CommandEnd): string | undefined {
  if (leftovers === 0) return undefined;
  const were = leftovers === 1 ? "1 process was" : `${leftovers} processes were`;
  return `(${were} still running and were ended with the command; start what must continue with background_run, without &)`;
}

function appearedOf({ appeared }: CommandEnd): string | undefined {
  if (appeared.length === 0) return undefined;
  return `(New, and able to make other programs run code: ${appeared.join(", ")}. The person is told.)`;
}

function refusedOf({ refusedHosts }: CommandEnd): string | undefined {
  if (refusedHosts.length === 0) return undefined;
  return `(The sandbox refused to connect to ${refusedHosts.join(", ")}: the person lists the hosts that commands may reach, in sandbox.network.)`;
}
