import { z } from "zod";
import { reasonOf } from "../errors.ts";
import { stopped, unlessStopped } from "../lib/unless-stopped.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { ToolAction } from "../protocol/tools.ts";
import { failure, type ToolOutput } from "../tools/tool.ts";

/** A call of a tool, as a hook is shown it. */
export interface HookedCall {
  /** The member whose model makes the call. */
  readonly member: MemberName;
  /** The name of the tool. */
  readonly tool: string;
  /** Checked by the tool, and as the model wrote it, or as `beforeCall` changed it. */
  readonly input: unknown;
  /** What the call would do, as permissions judge it. */
  readonly action: ToolAction;
  /** The id of the call, which is also in events and in the transcript. */
  readonly callId: string;
  /** The absolute path of the directory that the member works in. */
  readonly cwd: string;
  /** Aborted when the run is stopped. A later answer has no effect. */
  readonly signal: AbortSignal;
}

/** What the model is shown as the result of a call. */
export interface HookOutput {
  /** The text of the result. */
  readonly text: string;
  /** Default: false. */
  readonly isError?: boolean | undefined;
}

/**
 * The answer of `beforeCall`; `undefined` leaves the call to permissions.
 * - `decision`: counts together with the rules; deny beats ask beats allow. `allow` is an allow rule for
 *   this tool and this call alone: it permits nothing that a rule, the mode, a plan gate or the protection of the team's records denies or
 *   has asked. `ask` asks the person in every mode.
 * - `reason`: for the model that is refused, or the person who is asked.
 * - `input`: replaces the input. It is checked by the tool and judged by permissions like the model's own, and is
 *   what the person is asked about, what runs, and what is recorded and shown.
 * - `stop`: why the member's run ends. The call is not run, nor are those behind it.
 * - `output`: the result. The call is not run, and nobody is asked.
 */
export type CallAnswer =
  | {
      readonly decision?: "allow" | "ask" | "deny" | undefined;
      readonly reason?: string | undefined;
      readonly input?: unknown;
      readonly stop?: string | undefined;
    }
  | { readonly output: HookOutput };

/** The answer of `beforeAsk`: `allow` is as in `CallAnswer`, and permits only what an allow rule for the tool would. */
export interface AskAnswer {
  /** Whether the call runs, instead of being asked about. */
  readonly decision: "allow" | "deny";
  /** For the model that is refused. */
  readonly reason?: string | undefined;
}

/** What the model is shown as the result of a call, or why the member's run ends after it. */
export type AfterCallAnswer = HookOutput | { readonly stop: string };

/** Functions of a program that see what members do, and may prevent or change it. */
export interface MemberHooks {
  /**
   * Called before every call whose input the tool accepts, one after the other for one member. If it throws, or answers
   * something else, the call is refused and `onWarning` is called. After a crash it is called again for calls that had not
   * started, such as one that waits for approval; an answer that differs from the last one is asked about again.
   */
  beforeCall?(call: HookedCall): CallAnswer | undefined | Promise<CallAnswer | undefined>;
  /**
   * Called with the output of every call that was run, also of one that failed, before the model is shown it: `undefined`
   * leaves it as it is. If it throws, the model is told that the call ran, without its output, and `onWarning` is called. After a crash it is
   * not called for calls whose outcome is unknown. Observers have seen output of commands as it came.
   */
  afterCall?(
    call: HookedCall & { output: ToolOutput },
  ): AfterCallAnswer | undefined | Promise<AfterCallAnswer | undefined>;
  /**
   * Called before the person is asked about a call, with why it is to be asked: `undefined` asks them. If it throws, they are asked,
   * and `onWarning` is called.
   */
  beforeAsk?(
    call: HookedCall & { reason: string },
  ): AskAnswer | undefined | Promise<AskAnswer | undefined>;
  /**
   * Called with a prompt of the person before its member can see it. A text refuses the prompt, which is withdrawn; the person is told the text. If it
   * throws, the prompt is refused. It may be called again after a crash.
   */
  beforePrompt?(prompt: {
    readonly member: MemberName;
    readonly text: string;
  }): string | undefined | Promise<string | undefined>;
  /**
   * Called when a run would end because everything is answered, with the last answer and how often in this run a hook had it go on. A
   * text has the member go on with it as input, at most eight times in a run. If it throws, the run ends, and `onWarning` is called.
   */
  beforeEnd?(end: EndingRun): string | undefined | Promise<string | undefined>;
  /**
   * Called before a conversation is summarized: a text says why it is not to be. The run continues while there is room; a
   * conversation that no longer fits is summarized nevertheless. If it throws, it is summarized, and `onWarning` is called.
   */
  beforeCompaction?(compaction: {
    readonly member: MemberName;
    /** Whether the person has asked for it. */
    readonly trigger: "manual" | "auto";
    /** In the person's words, what the summary must keep. */
    readonly keep: string | undefined;
    readonly signal: AbortSignal;
  }): string | undefined | Promise<string | undefined>;
  /**
   * Called before every request to a model; the text that it returns, of at most 32,000 characters, is added to the end of
   * the input, and stays in the conversation, so that a provider's cache still fits. If it throws, or the text is longer, the
   * request is made without, and `onWarning` is called.
   * After a crash it may be called again for the same request.
   */
  beforeRequest?(request: {
    readonly member: MemberName;
    /** Counts the requests of this run, from 1. */
    readonly turn: number;
    readonly signal: AbortSignal;
  }): string | undefined | Promise<string | undefined>;
}

/** A run that would end. */
export interface EndingRun {
  /** Whose run it is. */
  readonly member: MemberName;
  /** The text of its last reply. */
  readonly answer: string;
  /** How often in this run a hook had the member go on. */
  readonly times: number;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

// Checked, because a hook may be written in JavaScript: permissions depend on it.
const Output = z.strictObject({ text: z.string(), isError: z.boolean().default(false) });
const Answer = z.union([
  z.strictObject({ output: Output }),
  z.strictObject({
    decision: z.enum(["allow", "ask", "deny"]).optional(),
    reason: z.string().optional(),
    input: z.unknown().optional(),
    stop: z.string().optional(),
  }),
]);
const AfterAnswer = z.union([Output, z.strictObject({ stop: z.string() })]);
const AskingAnswer = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  reason: z.string().optional(),
});
type Answer = z.infer<typeof Answer>;
/** The output of a call as hooks leave it, and why the run ends after it. */
interface HookedOutput {
  readonly output: ToolOutput;
  readonly stop?: string;
}

/** More would push the work itself out of the model's context. */
const Text = z.string().max(32_000).default("");

/** Calls a program's hooks: whatever they do, a run continues. */
export class Hooks {
  readonly #hooks: MemberHooks;
  readonly #onWarning: (message: string) => void;

  constructor(hooks: MemberHooks, onWarning: (message: string) => void) {
    this.#hooks = hooks;
    this.#onWarning = onWarning;
  }

  async beforeCall(call: HookedCall): Promise<Answer> {
    if (!this.#hooks.beforeCall) return {};
    try {
      const answer = await unlessStopped(call.signal, () => this.#hooks.beforeCall?.(call));
      // A call that has not started is not run after its run was stopped.
      return answer === undefined || answer === stopped ? {} : Answer.parse(answer);
    } catch (error) {
      this.#warn("beforeCall", call.member, error);
      return { decision: "deny", reason: "the program that decides about it failed" };
    }
  }

  /** Mail that an output shows is settled with it, so a changed output has none: it comes again. */
  async afterCall(call: HookedCall, output: ToolOutput): Promise<HookedOutput> {
    if (!this.#hooks.afterCall) return { output };
    try {
      const given = { ...call, output };
      const changed = await unlessStopped(call.signal, () => this.#hooks.afterCall?.(given));
      if (changed === stopped) return { output: failure(unchecked) };
      if (changed === undefined) return { output };
      const answer = AfterAnswer.parse(changed);
      return "stop" in answer ? { output, stop: answer.stop } : { output: answer };
    } catch (error) {
      this.#warn("afterCall", call.member, error);
      return { output: failure(withheld) };
    }
  }

  /** Undefined where the person is to be asked. */
  async beforeAsk(
    call: Parameters<NonNullable<MemberHooks["beforeAsk"]>>[0],
  ): Promise<AskAnswer | undefined> {
    if (!this.#hooks.beforeAsk) return undefined;
    try {
      const answer = await unlessStopped(call.signal, () => this.#hooks.beforeAsk?.(call));
      return answer === undefined || answer === stopped ? undefined : AskingAnswer.parse(answer);
    } catch (error) {
      this.#warn("beforeAsk", call.member, error);
      return undefined;
    }
  }

  /** What the member goes on with; undefined where its run ends. */
  beforeEnd(end: EndingRun): Promise<string | undefined> {
    return this.#textOf("beforeEnd", end, () => this.#hooks.beforeEnd?.(end));
  }

  /** Why the conversation is not to be summarized. */
  beforeCompaction(
    compaction: Parameters<NonNullable<MemberHooks["beforeCompaction"]>>[0],
  ): Promise<string | undefined> {
    const ask = () => this.#hooks.beforeCompaction?.(compaction);
    return this.#textOf("beforeCompaction", compaction, ask);
  }

  async #textOf(
    hook: "beforeEnd" | "beforeCompaction",
    { member, signal }: { member: MemberName; signal: AbortSignal },
    ask: () => string | undefined | Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (!this.#hooks[hook]) return undefined;
    try {
      const text = await unlessStopped(signal, ask);
      return text === stopped ? undefined : Text.parse(text).trim() || undefined;
    } catch (error) {
      this.#warn(hook, member, error);
      return undefined;
    }
  }

  async beforeRequest(
    request: Parameters<NonNullable<MemberHooks["beforeRequest"]>>[0],
  ): Promise<string> {
    if (!this.#hooks.beforeRequest) return "";
    try {
      const { signal } = request;
      const text = await unlessStopped(signal, () => this.#hooks.beforeRequest?.(request));
      return text === stopped ? "" : Text.parse(text);
    } catch (error) {
      this.#warn("beforeRequest", request.member, error);
      return "";
    }
  }

  #warn(hook: keyof MemberHooks, member: MemberName, error: unknown): void {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error);
    this.#onWarning(`The hook ${hook} failed for '${member}': ${problem}`);
  }
}

export const noHooks = new Hooks({}, () => undefined);

const withheld =
  "Error: The call was run, but its output is withheld: the program that checks outputs failed. Check what it did before you repeat it.";
const unchecked =
  "Error: The call was run, but its output is withheld: the run was stopped before the program had checked it.";
