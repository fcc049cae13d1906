import { TeamError } from "../errors.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { parseJson } from "../lib/json.ts";
import { type CommandEnd, type CommandRunner, runCommand } from "../processes/command-runner.ts";
import { HookAnswer } from "../protocol/hook-answer.ts";
import type { CommandHook, HookEvent } from "../protocol/hook-configuration.ts";

/** Of its output and of its errors, each. */
const maxCharacters = 10_000;
/** More than the tests of a project start; far less than a machine has room for. */
const maxProcesses = 512;
const defaultTimeoutSeconds = 60;

/** How one hook has ended. */
export type HookOutcome =
  | { readonly type: "passed"; readonly answer: HookAnswer }
  /** It has refused what it was asked about. */
  | { readonly type: "blocked"; readonly reason: string; readonly answer: HookAnswer }
  /** It could not do what it is for. The reason completes the sentence "The hook …". */
  | { readonly type: "failed"; readonly reason: string }
  /** Its run was stopped. */
  | { readonly type: "stopped" };

export interface HookStart {
  readonly event: HookEvent;
  readonly hook: CommandHook;
  /** The text on its standard input. */
  readonly input: string;
  readonly runner: Pick<CommandRunner, "start" | "runProgram">;
  /** Runs it outside the sandbox, if there is one. */
  readonly isUnconfined: boolean;
  readonly signal: AbortSignal;
}

/** Runs one hook to its end. Nothing that it does throws. */
export async function runHook(start: HookStart): Promise<HookOutcome> {
  const { hook, event, runner, input, isUnconfined, signal } = start;
  if (signal.aborted) return { type: "stopped" };
  const end = await runCommand(runner, {
    ...{ command: hook.command, name: `hook-${event}`, signal, isUnconfined },
    ...{ io: { input, maxCharacters }, maxProcesses, onOutput: () => undefined },
    timeoutMs: (hook.timeout ?? defaultTimeoutSeconds) * 1_000,
  });
  if (end.type === "not-started") {
    return signal.aborted ? { type: "stopped" } : failed(`could not be started: ${end.problem}`);
  }
  return outcomeOf(event, end);
}

function outcomeOf(event: HookEvent, end: CommandEnd): HookOutcome {
  const { ending, exitCode, signal, timeoutMs, output, errors = "" } = end;
  switch (ending) {
    case "aborted":
      return { type: "stopped" };
    case "timeout":
      return failed(`took longer than ${(timeoutMs ?? 0) / 1_000} s and was ended`);
    case "crowded":
      return failed(`started more than ${maxProcesses} processes and was ended`);
    case "unconfined":
      return failed(`could not be started in the sandbox: ${shown(output || errors)}`);
    case "exited":
      break;
  }
  if (signal) return failed(`was ended by ${signal}${said(errors)}`);
  if (exitCode === 2) {
    const reason = errors.trim() || output.trim() || "it gave no reason";
    return { type: "blocked", reason, answer: {} };
  }
  if (exitCode !== 0) return failed(`ended with exit code ${exitCode}${said(errors)}`);
  return answerOf(event, output);
}

/** What it printed is JSON, or a text, which the model is shown where there is a beginning to tell it. */
function answerOf(event: HookEvent, output: string): HookOutcome {
  const text = output.trim();
  if (!text.startsWith("{")) {
    const isContext = text !== "" && takesText.has(event);
    return { type: "passed", answer: isContext ? { additionalContext: text } : {} };
  }
  try {
    const answer = parseJson(text, HookAnswer, "its output");
    const refusal = refusalIn(answer);
    return refusal === undefined
      ? { type: "passed", answer }
      : { type: "blocked", reason: refusal, answer };
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const isCut = output.length >= maxCharacters;
    const why = isCut ? `is longer than ${maxCharacters} characters` : "is not a valid answer";
    return failed(`printed JSON that ${why}: ${error.message}`);
  }
}

/** Events whose hooks may simply print what the model is to know, as in Claude Code. */
const takesText: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "SessionStart",
  "UserPromptSubmit",
  "SubagentStart",
]);

function refusalIn({ decision, reason, hookSpecificOutput: own }: HookAnswer): string | undefined {
  if (own?.permissionDecision === "deny") {
    return own.permissionDecisionReason ?? reason ?? noReason;
  }
  if (own?.decision?.behavior === "deny") return own.decision.message ?? reason ?? noReason;
  if (decision === "block" || decision === "deny") return reason ?? noReason;
  return undefined;
}

const noReason = "it gave no reason";

function failed(reason: string): HookOutcome {
  return { type: "failed", reason };
}

function said(errors: string): string {
  return errors.trim() === "" ? "" : `: ${shown(errors)}`;
}

function shown(text: string): string {
  return firstCharacters(text.trim(), 1_000);
}
