import { firstCharacters } from "../lib/cut-text.ts";
import type { CommandRunner } from "../processes/command-runner.ts";
import type { HookAnswer } from "../protocol/hook-answer.ts";
import type { CommandHook, HookConfiguration, HookEvent } from "../protocol/hook-configuration.ts";
import type { HookInput } from "../protocol/hook-input.ts";
import type { MemberName } from "../protocol/ids.ts";
import { Matcher } from "./matcher.ts";
import { type EndedHook, type EventAnswer, mergeAnswers } from "./merge-answers.ts";
import { type HookOutcome, runHook } from "./run-hook.ts";
import { Slots } from "./slots.ts";

/** Hooks of one file, or of one option of a program. */
export interface HookSource {
  /** Where they are from, for people, such as the path of a file. */
  readonly origin: string;
  /** The hooks by event. */
  readonly hooks: HookConfiguration;
  /** True for the file of a repository: its hooks run in the sandbox, where there is one (default: false). */
  readonly isRepository?: boolean | undefined;
}

/** How a hook ended, for people. */
export interface HookReport {
  readonly event: HookEvent;
  readonly member: MemberName;
  /** The command, shortened. */
  readonly command: string;
  readonly outcome: "passed" | "blocked" | "failed";
  /** Why, or what the hook says to the person. */
  readonly message?: string;
  /** The call that it was about. */
  readonly callId?: string;
}

/** One event, for the hooks that are for it. */
export interface HookOccasion {
  readonly input: HookInput;
  /** What matchers are compared with: the names of a tool, a role, a reason. */
  readonly names: readonly string[];
  /** Hooks that only its member has, such as those of its role. */
  readonly own: readonly HookSource[];
  readonly runner: Pick<CommandRunner, "start" | "runProgram">;
  readonly signal: AbortSignal;
  readonly callId?: string;
}

interface ChosenHook {
  readonly hook: CommandHook;
  readonly isRepository: boolean;
}

/** So many hooks run at once, of all members together. */
const maxAtOnce = 8;
const shownCharacters = 120;

/** The commands that are configured as hooks: finds those of an event, and runs them side by side. */
export class CommandHooks {
  readonly #sources: readonly HookSource[];
  readonly #report: (report: HookReport) => void;
  readonly #matcher = new Matcher();
  readonly #slots = new Slots(maxAtOnce);

  constructor(options: {
    sources: readonly HookSource[];
    /** Called when a hook has ended. */
    report(report: HookReport): void;
  }) {
    this.#sources = options.sources;
    this.#report = options.report;
  }

  /** False if there is no hook of an event: then nothing needs to be made ready for it. */
  hasAny(event: HookEvent, own: readonly HookSource[]): boolean {
    return [...this.#sources, ...own].some(({ hooks }) => hooks[event] !== undefined);
  }

  /** Runs the hooks that are for an event, and merges what they answer. */
  async run(occasion: HookOccasion): Promise<EventAnswer> {
    const chosen = this.#choose(occasion);
    if (chosen.length === 0) return {};
    const input = JSON.stringify(occasion.input);
    const ended = await Promise.all(
      chosen.map((each) => this.#slots.use(() => this.#runOne(each, occasion, input))),
    );
    return mergeAnswers(ended);
  }

  async #runOne(
    { hook, isRepository }: ChosenHook,
    { input: { hook_event_name: event, agent_id: member }, runner, signal, callId }: HookOccasion,
    input: string,
  ): Promise<EndedHook> {
    const isUnconfined = !isRepository;
    const outcome = await runHook({ event, hook, input, runner, isUnconfined, signal });
    const command = shortened(hook.command);
    const about = { event, member, command, ...(callId !== undefined && { callId }) };
    if (outcome.type !== "stopped") this.#report({ ...about, ...described(outcome) });
    return { name: `"${command}"`, isRequired: hook.required ?? false, outcome };
  }

  /** The same command of two files of the person, or of two of the repository, runs once. */
  #choose({ input: { hook_event_name: event }, names, own }: HookOccasion): ChosenHook[] {
    const chosen = new Map<string, ChosenHook>();
    for (const { hooks, isRepository = false } of [...this.#sources, ...own]) {
      for (const { matcher, hooks: commands } of hooks[event] ?? []) {
        if (!this.#matcher.isFor(matcher, names)) continue;
        for (const hook of commands) {
          const key = `${isRepository} ${hook.command}`;
          const known = chosen.get(key)?.hook;
          const required = hook.required || known?.required;
          chosen.set(key, { hook: { ...hook, ...(required && { required }) }, isRepository });
        }
      }
    }
    return [...chosen.values()];
  }
}

function described(
  outcome: Exclude<HookOutcome, { type: "stopped" }>,
): Pick<HookReport, "outcome" | "message"> {
  if (outcome.type === "failed") return { outcome: "failed", message: outcome.reason };
  const said = toPerson(outcome.answer);
  if (outcome.type === "passed") return { outcome: "passed", ...(said && { message: said }) };
  return { outcome: "blocked", message: [outcome.reason, said].filter(Boolean).join("\n") };
}

function toPerson({ systemMessage, continue: goesOn, stopReason }: HookAnswer): string {
  const stop = goesOn === false ? (stopReason ?? "it ends the run") : undefined;
  return [systemMessage, stop].filter(Boolean).join("\n");
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  const shown = firstCharacters(line, shownCharacters);
  return shown.length < line.length ? `${shown}…` : shown;
}
