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
 * - `output`: the result. The call is not run, and nobody is asked.
 */
export type CallAnswer =
  | {
      readonly decision?: "allow" | "ask" | "deny" | undefined;
      readonly reason?: string | undefined;
      readonly input?: unknown;
    }
  | { readonly output: HookOutput };

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
  ): HookOutput | undefined | Promise<HookOutput | undefined>;
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

// Checked, because a hook may be written in JavaScript: permissions depend on it.
const Output = z.strictObject({ text: z.string(), isError: z.boolean().default(false) });
const Answer = z.union([
  z.strictObject({ output: Output }),
  z.strictObject({
    decision: z.enum(["allow", "ask", "deny"]).optional(),
    reason: z.string().optional(),
    input: z.unknown().optional(),
  }),
]);
type Answer = z.infer<typeof Answer>;
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
  async afterCall(call: HookedCall, output: ToolOutput): Promise<ToolOutput> {
    if (!this.#hooks.afterCall) return output;
    try {
      const given = { ...call, output };
      const changed = await unlessStopped(call.signal, () => this.#hooks.afterCall?.(given));
      if (changed === stopped) return failure(unchecked);
      return changed === undefined ? output : Output.parse(changed);
    } catch (error) {
      this.#warn("afterCall", call.member, error);
      return failure(withheld);
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
