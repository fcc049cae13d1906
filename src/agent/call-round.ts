import { TeamError } from "../errors.ts";
import { isLeaving } from "../lib/leaving.ts";
import type { Verdict } from "../permissions/verdict.ts";
import { maxOutputCharacters } from "../processes/output-capture.ts";
import type { StopReason, ToolCall } from "../protocol/transcript.ts";
import {
  failure,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "../tools/tool.ts";
import type { Agent, EventDraft } from "./agent.ts";
import type { OpenCall } from "./conversation.ts";
import { type HookedCall, type Hooks, noHooks } from "./hooks.ts";
import type { Repetition } from "./repetition.ts";

interface RoundOptions {
  agent: Agent;
  repetition: Repetition;
  signal: AbortSignal;
  emit(event: EventDraft): void;
}

/** The plan for a call: it has its answer already, or it may be run. */
type CallPlan =
  | { type: "answered"; output: ToolOutput }
  /** The same call was made before, and is not run again. */
  | { type: "repeated"; output: ToolOutput }
  | JudgedPlan;

interface JudgedPlan {
  type: "judged";
  /** The call with the input that is run, which a hook may have changed. */
  call: ToolCall;
  prepared: PreparedCall;
  verdict: JudgedVerdict;
}

/** `isHeldForPerson`: a hook wants the person to be asked, so that no hook answers for them. */
type JudgedVerdict = Verdict & { readonly isHeldForPerson?: boolean };

/**
 * Answers the open calls of a member's last reply. Calls that change nothing run beside each
 * other; any other waits for those before it, and those behind it wait for it.
 *
 * A call is begun on disk before it runs and has its result there afterwards. One that was begun
 * by a process that is gone is not run again: nobody knows what it did.
 */
export class CallRound {
  readonly #options: RoundOptions;

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const reads: Promise<void>[] = [];
    try {
      for (const open of this.#options.agent.conversation.openCalls) {
        const plan = await this.#plan(open);
        const isRead = plan.type === "judged" && isPlainRead(plan);
        if (!isRead || reads.length === maxReads) await allOf(reads.splice(0));
        const answer = this.#carryOut(open, plan);
        if (isRead) reads.push(handled(answer));
        else await answer;
      }
    } finally {
      await allOf(reads);
    }
  }

  async #plan({ call, isStarted, stop }: OpenCall): Promise<CallPlan> {
    const { agent, repetition } = this.#options;
    if (isStarted) return answered(outcomeUnknown);
    if (cutShort.has(stop)) return answered(cutOff);
    if (agent.haltReason !== undefined) return answered(haltedBy(agent.haltReason));
    const refusal = repetition.refuse(call);
    if (refusal) return { type: "repeated", output: failure(refusal) };
    const tool = agent.tools.get(call.name);
    if (!tool) {
      const names = [...agent.tools.keys()].join(", ");
      return answered(`Error: No tool is named ${JSON.stringify(call.name)}. Tools: ${names}.`);
    }
    if (call.input_error !== undefined) {
      return answered(
        `Error: Invalid input for ${call.name}: it ${call.input_error}. Nothing was done; call it again with a flatter input.`,
      );
    }
    const prepared = tool.prepare(call.input);
    if (prepared.type === "invalid") return { type: "answered", output: prepared.output };
    try {
      return await this.#judge(call, tool, prepared);
    } catch (error) {
      return { type: "answered", output: refusalOf(error) };
    }
  }

  /** Judges a call as the program's hook leaves it. */
  async #judge(written: ToolCall, tool: Tool, accepted: PreparedCall): Promise<CallPlan> {
    const { permissions, secrets } = this.#options.agent.options;
    const answer = await this.#hooks.beforeCall(this.#hooked(written, accepted));
    if ("output" in answer) return { type: "answered", output: answer.output };
    const { decision, reason, input, stop } = answer;
    if (stop !== undefined) {
      this.#options.agent.halt(stop);
      return answered(haltedBy(stop));
    }
    const call = input === undefined ? written : { ...written, input: secrets.maskJson(input) };
    const prepared = call === written ? accepted : tool.prepare(call.input);
    if (prepared.type === "invalid") return { type: "answered", output: prepared.output };
    const { name } = call;
    const isAllowed = decision === "allow";
    const verdict = await permissions.judge({ tool: name, action: prepared.action, isAllowed });
    return { type: "judged", call, prepared, verdict: narrowed(verdict, decision, reason) };
  }

  get #hooks(): Hooks {
    return this.#options.agent.options.hooks ?? noHooks;
  }

  #hooked({ call_id: callId, name: tool, input }: ToolCall, { action }: PreparedCall): HookedCall {
    const { agent, signal } = this.#options;
    const { name: member, cwd } = agent.options;
    return { member, tool, input, action, callId, cwd, signal };
  }

  async #carryOut(open: OpenCall, plan: CallPlan): Promise<void> {
    const { signal, emit } = this.#options;
    const { call } = plan.type === "judged" ? plan : open;
    // A process that leaves starts the calls that were not begun at its next start.
    if (signal.aborted && isLeaving(signal)) return;
    emit({ type: "tool-call", call_id: call.call_id, name: call.name, input: call.input });
    const output = signal.aborted ? failure(notRun) : await this.#outputOf(open, plan);
    if (output === "stopped") return;
    const shown = await this.#answer(call, output);
    if (plan.type !== "repeated") this.#options.repetition.note(open.call, shown);
  }

  /** The output of the call; `stopped` when the call stays open for the next start. */
  async #outputOf(open: OpenCall, plan: CallPlan): Promise<ToolOutput | "stopped"> {
    if (plan.type !== "judged") return plan.output;
    const { haltReason } = this.#options.agent;
    // A call before it may have ended meanwhile.
    if (haltReason !== undefined) return failure(haltedBy(haltReason));
    return (await this.#try(open, plan)) ?? (await this.#permit(plan)) ?? this.#start(open, plan);
  }

  /**
   * The output of a trial that needed nothing more. A process that dies during it has begun nothing, so that the next one tries
   * again.
   */
  async #try(open: OpenCall, plan: JudgedPlan): Promise<ToolOutput | "stopped" | undefined> {
    const { call, prepared, verdict } = plan;
    if (verdict.decision === "allow" || verdict.confinement !== "trial") return undefined;
    const context = this.#context(open, plan);
    const silent = { ...context, confinement: "trial", onOutput: () => undefined } as const;
    const output = await outputOf(() => prepared.run(silent));
    if (this.#options.signal.aborted && isLeaving(this.#options.signal)) return "stopped";
    if (output.isHindered) return undefined;
    return this.#checked(call, prepared, output);
  }

  /** Undefined when the call may run. */
  async #permit(plan: JudgedPlan): Promise<ToolOutput | "stopped" | undefined> {
    const { agent, signal } = this.#options;
    const { call } = plan;
    const { decision, reason, suggestedRule, summary } = plan.verdict;
    if (decision === "allow") return undefined;
    if (decision === "deny") return failure(`Error: Not permitted: ${reason}`);
    const decided = await this.#decideByHook(plan);
    if (decided) return decided === "allowed" ? undefined : decided;
    const answer = await agent.options.approvals.ask(
      {
        member: agent.options.name,
        callId: call.call_id,
        tool: call.name,
        input: call.input,
        reason,
        suggestedRule,
        summary,
        mayBeOpen: agent.inherited.has(call.call_id),
      },
      signal,
    );
    switch (answer.type) {
      case "allowed":
        return undefined;
      case "denied":
        return failure(`Error: Denied: ${answer.reason}`);
      case "stopped":
        return isLeaving(signal) ? "stopped" : failure(notRun);
    }
  }

  /** What a hook decides of a call that the person would be asked about; undefined where they are to be asked. */
  async #decideByHook({
    call,
    prepared,
    verdict,
  }: JudgedPlan): Promise<ToolOutput | "allowed" | undefined> {
    const { reason, isHeldForPerson } = verdict;
    const answer = await this.#hooks.beforeAsk({ ...this.#hooked(call, prepared), reason });
    if (!answer) return undefined;
    if (answer.decision === "deny") {
      return failure(`Error: Not permitted: ${answer.reason ?? refusedByHook}`);
    }
    if (isHeldForPerson) return undefined;
    const { permissions } = this.#options.agent.options;
    const given = { tool: call.name, action: prepared.action, isAllowed: true };
    return (await permissions.judge(given)).decision === "allow" ? "allowed" : undefined;
  }

  async #start(open: OpenCall, plan: JudgedPlan): Promise<ToolOutput> {
    const { call: written } = open;
    const { call, prepared, verdict } = plan;
    const { agent, signal } = this.#options;
    const changed = call === written ? undefined : { input: call.input };
    await agent.record({ type: "tool-start", call_id: call.call_id, ...changed });
    // An interruption also stops a call that is about to begin.
    if (signal.aborted && !isLeaving(signal)) return failure(notRun);
    const context = this.#context(open, plan);
    const isConfined = verdict.decision === "allow" && verdict.confinement === "read-only";
    const output = await outputOf(() =>
      prepared.run(isConfined ? { ...context, confinement: "read-only" } : context),
    );
    return this.#checked(call, prepared, output);
  }

  /** The output as hooks leave it. */
  async #checked(call: ToolCall, prepared: PreparedCall, output: ToolOutput): Promise<ToolOutput> {
    const checked = await this.#hooks.afterCall(this.#hooked(call, prepared), output);
    if (checked.stop !== undefined) this.#options.agent.halt(checked.stop);
    return checked.output;
  }

  #context({ madeAt }: OpenCall, { call }: JudgedPlan): ToolContext {
    const { agent, signal, emit } = this.#options;
    const { name: member, cwd, model, secrets } = agent.options;
    return {
      ...{ callId: call.call_id, member, cwd, model: model.id, madeAt, signal },
      onOutput: (text) =>
        emit({ type: "tool-output", call_id: call.call_id, text: secrets.mask(text) }),
    };
  }

  /** Writes the result down, and returns what the model is shown of it. */
  async #answer(call: ToolCall, { text, isError, images, mail }: ToolOutput): Promise<string> {
    const { agent, emit } = this.#options;
    const { secrets, outputFiles, name } = agent.options;
    const output =
      text.length > maxOutputCharacters
        ? await outputFiles.capOutput(text, `${name}-${call.call_id}`)
        : secrets.mask(text);
    const result = { call_id: call.call_id, output, is_error: isError };
    await agent.takeIn(mail ?? [], () =>
      agent.record({
        type: "tool-result",
        ...result,
        ...(images && { images: [...images] }),
        // None of it was withdrawn since: it is held.
        ...(mail && { mail: [...mail] }),
      }),
    );
    for (const { message } of mail ?? []) emit({ type: "message-delivered", id: message.id });
    emit({ type: "tool-result", ...result });
    return output;
  }
}

/**
 * True for what only looks at files, or spawns. Other calls to the team run in their order, though
 * they change no file: who waits for teammates in the same reply waits for those it has spawned.
 */
function isPlainRead({ prepared, verdict }: Extract<CallPlan, { type: "judged" }>): boolean {
  const { action } = prepared;
  return verdict.isReadOnly && (action.type !== "coordinate" || action.isIndependent === true);
}

/** So many calls run beside each other at most: each may hold a large file or a process. */
const maxReads = 8;

/** Replies with these stop reasons may have lost the end of a call. */
const cutShort: ReadonlySet<StopReason> = new Set<StopReason>(["length", "overflow"]);

const outcomeUnknown =
  "Outcome unknown: troupe stopped while this call was running, and did not run it again. Whatever of it still ran was ended. Check what it did before you repeat it.";
const cutOff =
  "Error: Your reply met the limit of its length before it was complete, so none of its calls was run. Make the calls again in smaller pieces.";

function haltedBy(reason: string): string {
  return `Error: Not run: a hook ends the run: ${reason}`;
}

const notRun = "Error: Not run: the person interrupted before it began.";

function answered(text: string): CallPlan {
  return { type: "answered", output: failure(text) };
}

/** The stricter of what permissions and the program's hook decide. */
export function narrowed(
  verdict: Verdict,
  decision: Verdict["decision"] | undefined,
  reason = decision === "deny" ? refusedByHook : "the program has it asked",
): JudgedVerdict {
  if (decision !== "deny" && decision !== "ask") return verdict;
  // No rule would keep the hook from asking again, and nothing is tried of what it asks about.
  const { suggestedRule: _, confinement: __, ...rest } = verdict;
  if (verdict.decision === "deny") return rest;
  return { ...rest, decision, reason, isHeldForPerson: decision === "ask" };
}

const refusedByHook = "the program refuses it";

async function outputOf(run: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await run();
  } catch (error) {
    return refusalOf(error);
  }
}

/** A deliberate refusal is an answer; any other error is a bug. */
function refusalOf(error: unknown): ToolOutput {
  if (!(error instanceof TeamError)) throw error;
  return failure(["Error:", `${error.message}.`, error.hint].filter(Boolean).join(" "));
}

/** The same promise, whose failure is not unhandled before somebody awaits it. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

/** Waits for all of them, also where one fails, so that nothing runs on unseen; then fails too. */
async function allOf(promises: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
