import type { EndingRun, HookedCall } from "../../agent/hooks.ts";
import { CommandHooks, type HookSource } from "../../hooks/command-hooks.ts";
import type { EventAnswer } from "../../hooks/merge-answers.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import type { CommandRunner } from "../../processes/command-runner.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { HookEvent } from "../../protocol/hook-configuration.ts";
import type { HookDetails, HookInput } from "../../protocol/hook-input.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import { callJson, namesOf, ownInput, responseJson } from "./hooked-call-json.ts";
import type { CheckoutReview, LandingReview, TaskReview, TeamHooks } from "./team-hooks.ts";

/** A member, as its hooks are told about it. */
export interface HookedMember {
  readonly name: MemberName;
  readonly role: string;
  readonly cwd: string;
  mode(): PermissionMode;
  /** The hooks that only it has. */
  readonly own: readonly HookSource[];
  /** Starts hooks in its directory. */
  readonly runner: Pick<CommandRunner, "start" | "runProgram">;
}

export interface CommandTeamHooksOptions {
  /** The hooks that all members have. */
  readonly sources: readonly HookSource[];
  team(): Promise<{ id: string; name: string }>;
  transcriptPath(member: MemberName): string;
  /** What would run hooks for a member that is not open yet, in a directory. */
  runnerIn(member: MemberName, cwd: string): HookedMember["runner"];
  onWarning(message: string): void;
}

type HookEventDraft = Omit<Extract<AgentEvent, { type: "hook" }>, "at">;

/** How often in a run the hooks of `TeammateIdle` have a teammate go on. */
const maxIdleRefusals = 3;
/** As much as a request takes from hooks. */
const maxContext = 30_000;
const cut = "\n… (the hooks said more)";

/**
 * Commands as hooks of a team: calls them at its events, and makes what the seam for hooks of programs takes of their answers. What
 * they tell the model comes with its next request, behind all that it was shown before.
 */
export class CommandTeamHooks implements Required<Omit<TeamHooks, "onSpawn">> {
  readonly #options: CommandTeamHooksOptions;
  readonly #commands: CommandHooks;
  readonly #members = new Map<MemberName, HookedMember>();
  readonly #contexts = new Map<MemberName, string[]>();
  readonly #idleRefusals = new Map<MemberName, number>();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #say: (event: HookEventDraft) => void = () => undefined;

  constructor(options: CommandTeamHooksOptions) {
    this.#options = options;
    this.#commands = new CommandHooks({
      sources: options.sources,
      report: ({ callId, ...report }) =>
        this.#say({ type: "hook", ...report, ...(callId !== undefined && { call_id: callId }) }),
    });
  }

  /** Says from now on what hooks have done. */
  reportTo(say: (event: HookEventDraft) => void): void {
    this.#say = say;
  }

  /** From now on the events of this member are known. */
  join(member: HookedMember): void {
    this.#members.set(member.name, member);
  }

  /** True if there is anything to do for an event of the whole team. */
  has(event: HookEvent): boolean {
    return this.#commands.hasAny(event, this.#members.get(lead)?.own ?? []);
  }

  async beforeCall(call: HookedCall) {
    const details = { hook_event_name: "PreToolUse", ...callJson(call) } as const;
    const answer = await this.#ofCall(call, details);
    if (answer.stop !== undefined) return { stop: answer.stop };
    this.#tell(call.member, "PreToolUse", answer.context);
    if (answer.refusal !== undefined) return refused(answer.refusal);
    const { decision, reason, input } = answer;
    return { decision, reason, ...(input && { input: ownInput(call, input) }) };
  }

  async afterCall(call: HookedCall & { output: ToolOutput }) {
    const tool_response = responseJson(call, call.output);
    const details = { hook_event_name: "PostToolUse", ...callJson(call), tool_response } as const;
    const { stop, refusal, context } = await this.#ofCall(call, details);
    this.#tell(call.member, "PostToolUse", refusal, context);
    return stop === undefined ? undefined : { stop };
  }

  async beforeAsk({ reason, ...call }: HookedCall & { reason: string }) {
    const details = { hook_event_name: "PermissionRequest", ...callJson(call), reason } as const;
    const { refusal, decision, context } = await this.#ofCall(call, details);
    this.#tell(call.member, "PermissionRequest", context);
    if (refusal !== undefined) return refused(refusal);
    return decision === "allow" ? ({ decision } as const) : undefined;
  }

  async beforePrompt({ member, text }: { member: MemberName; text: string }) {
    const details = { hook_event_name: "UserPromptSubmit", prompt: text } as const;
    const { refusal, stop, context } = await this.#run(member, details);
    if (refusal === undefined && stop === undefined)
      this.#tell(member, "UserPromptSubmit", context);
    return refusal ?? stop;
  }

  /** What the hooks have said since the last request; in the first of a run, also what those of its start say. */
  async beforeRequest({
    member,
    turn,
    signal,
  }: {
    member: MemberName;
    turn: number;
    signal: AbortSignal;
  }): Promise<string | undefined> {
    if (turn === 1 && member !== lead) {
      const details = {
        hook_event_name: "SubagentStart",
        ...(await this.#teammate(member)),
      } as const;
      const { context, refusal } = await this.#run(member, details, { signal });
      this.#tell(member, "SubagentStart", refusal, context);
    }
    if (member === lead) await this.#starting;
    const texts = this.#contexts.get(member) ?? [];
    this.#contexts.delete(member);
    const text = texts.join("\n\n");
    return text.length > maxContext ? firstCharacters(text, maxContext) + cut : text;
  }

  async beforeEnd(end: EndingRun): Promise<string | undefined> {
    const { member, answer, times, signal } = end;
    if (times === 0) this.#idleRefusals.delete(member);
    const stop = { stop_hook_active: times > 0, last_assistant_message: answer };
    if (member === lead) {
      const given = await this.#run(member, { hook_event_name: "Stop", ...stop }, { signal });
      return goOn("Stop", given);
    }
    const teammate = await this.#teammate(member);
    const stopping = { hook_event_name: "SubagentStop", ...teammate, ...stop } as const;
    const given = await this.#run(member, stopping, { signal });
    if (given.stop !== undefined) return undefined;
    return goOn("SubagentStop", given) ?? (await this.#beforeIdle(end, teammate));
  }

  async #beforeIdle(
    { member, signal }: EndingRun,
    teammate: { teammate_name: MemberName; team_name: string },
  ): Promise<string | undefined> {
    const refused = this.#idleRefusals.get(member) ?? 0;
    if (refused >= maxIdleRefusals) {
      this.#options.onWarning(
        `The hooks of TeammateIdle had '${member}' go on ${refused} times in a row. It is idle now.`,
      );
      return undefined;
    }
    const details = { hook_event_name: "TeammateIdle", ...teammate } as const;
    const reason = goOn("TeammateIdle", await this.#run(member, details, { signal }));
    if (reason !== undefined) this.#idleRefusals.set(member, refused + 1);
    return reason;
  }

  async beforeCompaction({
    member,
    trigger,
    keep = "",
    signal,
  }: Parameters<NonNullable<TeamHooks["beforeCompaction"]>>[0]) {
    const details = { hook_event_name: "PreCompact", trigger, custom_instructions: keep } as const;
    const { refusal, context } = await this.#run(member, details, { signal, names: [trigger] });
    this.#tell(member, "PreCompact", context);
    return refusal;
  }

  async beforeTask({ change, by, id, subject, description }: TaskReview) {
    const event = change === "create" ? "TaskCreated" : "TaskCompleted";
    const { refusal, stop, context } = await this.#run(by, {
      ...{ hook_event_name: event, ...(await this.#teammate(by)), ...(id && { task_id: id }) },
      ...{ task_subject: subject, task_description: description },
    });
    this.#tell(by, event, context);
    return refusal ?? stop;
  }

  async beforeLanding({ landing, signal }: LandingReview) {
    const { id, member, merge_commit, commit, target } = landing;
    const { refusal, stop } = await this.#run(
      member,
      {
        ...{ hook_event_name: "LandingReady", ...(await this.#teammate(member)) },
        ...{ landing_id: id, commit: merge_commit ?? commit, target },
      },
      { signal },
    );
    return refusal ?? stop;
  }

  async onCheckout({ member: name, role, path, signal }: CheckoutReview) {
    const runner = this.#options.runnerIn(name, path);
    const mode = () => this.#members.get(lead)?.mode() ?? "default";
    const member = { name, role, cwd: path, mode, own: [], runner };
    const teammate = await this.#teammate(name);
    const details = {
      hook_event_name: "WorktreeCreate",
      ...teammate,
      worktree_path: path,
    } as const;
    const { refusal, stop } = await this.#runFor(member, details, { signal });
    return refusal ?? stop;
  }

  /** A checkout has no member any more. */
  async checkoutRetired(name: MemberName, path: string): Promise<void> {
    if (!this.has("WorktreeRemove")) return;
    const teammate = await this.#teammate(name);
    await this.#run(lead, { hook_event_name: "WorktreeRemove", ...teammate, worktree_path: path });
  }

  /** The team was opened. The lead's first request waits for what the hooks have to say. */
  begin(source: "startup" | "resume"): void {
    if (!this.has("SessionStart")) return;
    const details = { hook_event_name: "SessionStart", source } as const;
    this.#starting = this.#inBackground(async () => {
      const { context, refusal } = await this.#run(lead, details, { names: [source] });
      this.#tell(lead, "SessionStart", refusal, context);
    });
  }
  #starting: Promise<void> | undefined;

  /** The person is needed, or may want to look. */
  notify(type: string, message: string, about: MemberName = lead): void {
    if (!this.has("Notification")) return;
    const details = { hook_event_name: "Notification", notification_type: type, message } as const;
    void this.#inBackground(() => this.#run(about, details, { names: [type] }));
  }

  /** Nobody works any more. */
  becameQuiet(): void {
    if (this.has("Quiet")) {
      void this.#inBackground(() => this.#run(lead, { hook_event_name: "Quiet" }));
    }
    this.notify("idle_prompt", "The team is quiet.");
  }

  /** True while hooks run for which nobody waits. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Runs the last hooks. Those that are under way are awaited before. */
  async end(reason: string): Promise<void> {
    await this.settled();
    if (this.has("SessionEnd")) {
      await this.#run(lead, { hook_event_name: "SessionEnd", reason }, { names: [reason] });
    }
    this.#closing.abort();
  }

  async #inBackground(work: () => Promise<unknown>): Promise<void> {
    const done = work().catch((error: unknown) =>
      this.#options.onWarning(`A hook could not be run: ${String(error)}`),
    );
    this.#underWay.add(done);
    await done;
    this.#underWay.delete(done);
  }

  #tell(member: MemberName, event: HookEvent, ...texts: readonly (string | undefined)[]): void {
    const said = texts.flatMap((text) => (text ? [`(A hook of ${event} says:)\n${text}`] : []));
    if (said.length === 0) return;
    this.#contexts.set(member, [...(this.#contexts.get(member) ?? []), ...said]);
  }

  async #teammate(name: MemberName) {
    return { teammate_name: name, team_name: (await this.#options.team()).name };
  }

  #ofCall(call: HookedCall, details: HookDetails): Promise<EventAnswer> {
    const { member, signal, callId } = call;
    return this.#run(member, details, { signal, callId, names: namesOf(call) });
  }

  async #run(
    name: MemberName,
    details: HookDetails,
    given: { signal?: AbortSignal; names?: readonly string[]; callId?: string } = {},
  ): Promise<EventAnswer> {
    const member = this.#members.get(name) ?? this.#members.get(lead);
    return member ? this.#runFor(member, details, given) : {};
  }

  async #runFor(
    member: HookedMember,
    details: HookDetails,
    { signal, names, callId }: { signal?: AbortSignal; names?: readonly string[]; callId?: string },
  ): Promise<EventAnswer> {
    const { name, role, cwd, own, runner } = member;
    if (!this.#commands.hasAny(details.hook_event_name, own)) return {};
    const input: HookInput = {
      ...details,
      session_id: (await this.#options.team()).id,
      transcript_path: this.#options.transcriptPath(name),
      cwd,
      permission_mode: member.mode(),
      agent_id: name,
      agent_type: role,
    };
    return this.#commands.run({
      ...{ input, own, runner, names: names ?? namesByRole(details, role) },
      signal: signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal,
      ...(callId !== undefined && { callId }),
    });
  }
}

function refused(refusal: string) {
  return { decision: "deny", reason: `a hook refuses it: ${refusal}` } as const;
}

function namesByRole({ hook_event_name: event }: HookDetails, role: string): readonly string[] {
  return event === "SubagentStart" || event === "SubagentStop" ? [role] : [];
}

/** What a member goes on with. A hook that ends the run is stricter than one that has it go on. */
function goOn(event: HookEvent, { refusal, stop }: EventAnswer): string | undefined {
  if (refusal === undefined || stop !== undefined) return undefined;
  return `(A hook of ${event} has you go on:)\n${refusal}`;
}
