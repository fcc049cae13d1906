import type { CompactionReport } from "../agent/runner.ts";
import type { KeptState } from "../checkouts/go-back.ts";
import { TeamError } from "../errors.ts";
import { Disposables } from "../lib/disposables.ts";
import { preloadModel } from "../model/models.ts";
import { parseRule, requireKnownTool } from "../permissions/rule.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { lead, type MemberName, type MessageId, parseMemberName, user } from "../protocol/ids.ts";
import type { Message, PermissionMode } from "../protocol/message.ts";
import type { TeamRequest } from "../protocol/request.ts";
import type { Task } from "../protocol/task.ts";
import type { MemberRecord, TeamRecord } from "../protocol/team.ts";
import { reportUsage, type UsageReport } from "../protocol/usage.ts";
import type { RequestFilter } from "../requests/requests.ts";
import type { SpawnRequest } from "../tools/team/team-access.ts";
import { describeRoster } from "../tools/team/teammates.ts";
import { type AskOptions, askLead, type WrittenPrompt } from "./ask.ts";
import { broadcast } from "./broadcast.ts";
import {
  requireAskOptions,
  requireMessageId,
  requireMode,
  requireModelSetting,
  requirePrompt,
  requireRule,
  requireText,
} from "./check-arguments.ts";
import { checkOptions } from "./check-options.ts";
import { checkSpawnRequest } from "./check-spawn-request.ts";
import type { CompactOptions } from "./conversations.ts";
import { Equipment } from "./equipment.ts";
import type { MemberSeat, MemberSeats } from "./member-seats.ts";
import { followsLead } from "./members/inherited-fields.ts";
import { modelAtStart, withKept } from "./model-at-start.ts";
import { openSupervisor, startAnswerer } from "./open-supervisor.ts";
import type { TeamPrompt } from "./prompt-images.ts";
import type { MemberMode } from "./protocols/member-modes.ts";
import type { MemberModel, ModelSetting } from "./protocols/model-choices.ts";
import { answerMessage, findQuestion, type PersonsAnswer } from "./protocols/persons-answer.ts";
import type { RuleDraft, TeamRule, TeamRules } from "./protocols/team-rules.ts";
import { untilQuiet } from "./quiescence.ts";
import type {
  CheckoutRewind,
  CheckoutRewindPreview,
  CheckoutRewindReport,
} from "./rewind/checkout-rewind.ts";
import type { Checkpoint } from "./rewind/checkpoints.ts";
import type {
  RewindOptions,
  RewindPreview,
  RewindReport,
  TeamRewind,
} from "./rewind/team-rewind.ts";
import { withLeadRole } from "./roles/lead-role.ts";
import { summarize, type TeamSummary } from "./summary.ts";
import type { Supervisor } from "./supervisor.ts";
import type { ExpandedCommand, TeamCommand } from "./team-commands.ts";
import { leadSettings, onThisMachine, type TeamOptions } from "./team-options.ts";
import type { TeamView } from "./view/team-view.ts";
import { warmUp } from "./warm-up.ts";

/** A command that runs while its member continues. */
export interface BackgroundCommand {
  /** The member that started it. */
  member: MemberName;
  /** The command line, with its secrets masked. */
  command: string;
}

interface OpenedTeamParts {
  equipment: Equipment;
  supervisor: Supervisor;
  opened: Disposables;
  hasResults: boolean;
}

/**
 * A team at work: one lead that a person talks to, and teammates, each with its own conversation.
 * The team runs in this process, and continues where it was when it is opened again.
 */
export class Team implements AsyncDisposable {
  readonly #equipment: Equipment;
  readonly #supervisor: Supervisor;
  readonly #opened: Disposables;
  readonly #since: { date: Date; ms: number };
  /** Whether the lead has the tool by which it answers `ask`. */
  readonly #hasResults: boolean;
  readonly #closing = new AbortController();
  #seats: MemberSeats | undefined;

  private constructor(parts: OpenedTeamParts) {
    const { equipment, supervisor, opened, hasResults } = parts;
    this.#equipment = equipment;
    this.#supervisor = supervisor;
    this.#opened = opened;
    this.#hasResults = hasResults;
    const { clock } = equipment.place;
    this.#since = { date: clock.now(), ms: clock.monotonicMs() };
  }

  /**
   * Continues the team in the directory, or begins one. Throws `config-invalid` where an option is
   * wrong, and `lead-alive` where another process runs the team. Teammates whose run was cut short
   * continue at once; the lead waits for a prompt, or for the decision on its open call.
   */
  static async open(given: TeamOptions): Promise<Team> {
    await checkOptions(given);
    const { options, leadRole } = await withLeadRole(onThisMachine(given));
    const stated = leadSettings(options);
    const start = await modelAtStart(options);
    const { onRequest, structuredResults: hasResults = false } = options;
    // The model's code loads while the store is opened, most of which is waiting.
    if (!options.openModel && start.model) preloadModel(start.model, options);
    const opened = new Disposables();
    try {
      // What a program answers is asked first, and denied only if the program leaves it open.
      const approvals = onRequest
        ? { ...options.approvals, unattended: undefined }
        : options.approvals;
      const equipment = opened.use(await Equipment.open({ ...options, approvals }));
      if (options.fresh) await equipment.endOrphans();
      equipment.mcp.endOrphans();
      const { store } = equipment;
      const kept = await withKept(stated, { options, start, store });
      const settings = { ...kept, leadRole };
      const supervisor = await openSupervisor(equipment, { ...options, settings, opened });
      const team = new Team({ equipment, supervisor, opened, hasResults });
      warmUp(team.events(), { equipment, lead: settings });
      supervisor.start();
      if (onRequest) await startAnswerer(supervisor, onRequest, { ...options, opened });
      store.lost.addEventListener("abort", () => team.#giveUp(), { once: true });
      return team;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Writes to the lead, as the person. Resolves when the message is durable. */
  prompt(prompt: string | TeamPrompt): Promise<Message> {
    return this.message(lead, prompt);
  }

  /**
   * Writes to the lead, as the person, and resolves to the result that the lead hands in by its tool
   * `submit_result`, which it has with the option `structuredResults`. A wrong result is returned to the lead with what is
   * wrong. Throws `result-missing` where the team is quiet without a result, or has given a wrong one five times.
   */
  async ask<T = unknown>(prompt: string | TeamPrompt, options: AskOptions<T>): Promise<T>;
  async ask(prompt: string | TeamPrompt, options: AskOptions<unknown>): Promise<unknown> {
    this.#requireOpen();
    requireAskOptions(options);
    if (!this.#hasResults) throw noResultTool();
    return askLead(this.#supervisor, await this.#written(lead, prompt), options);
  }

  /** Writes to a member, as the person. Throws `image-refused` where it cannot be shown an image. */
  async message(to: string, prompt: string | TeamPrompt): Promise<Message> {
    this.#requireOpen();
    const written = await this.#written(to, prompt);
    return this.#supervisor.protocols.post.send(to, { type: "message", from: user, ...written });
  }

  /**
   * Takes back a message that was sent by `message`, `prompt` or from another process. Resolves to true if
   * its member has not seen it and never will, also after a crash; to false if it was too late, or if the
   * member has ended and the message was returned. Throws `message-unknown` where there is none.
   */
  async withdraw(id: MessageId): Promise<boolean> {
    this.#requireOpen();
    const { withdraw } = await import("./withdraw.ts");
    return withdraw(this.#supervisor, requireMessageId(id), this.#closing.signal);
  }

  /** True for a message that was sent by `message` or `broadcast`, and not from another process. */
  hasSent(id: MessageId): boolean {
    return this.#supervisor.protocols.post.hasSentForPerson(id);
  }

  /** Writes to all members, as the person. Resolves to their number. */
  async broadcast(content: string): Promise<number> {
    this.#requireOpen();
    requireText(content);
    return broadcast(this.#supervisor, user, content);
  }

  /** The commands that files define, which are typed as `/name`: those of the repository, and the person's own. */
  async commands(): Promise<TeamCommand[]> {
    this.#requireOpen();
    const { listCommands } = await import("./team-commands.ts");
    return listCommands(this.#equipment, this.#supervisor.options.lead.cwd);
  }

  /**
   * The text of such a command for a member (default: the lead), with what is typed behind the name. Command
   * lines in it are run as if the member had called `bash`: judged, asked about, and in its sandbox. Throws
   * `command-unknown`, and `command-refused` where one may not be run or a file not be read.
   */
  async expandCommand(
    name: string,
    argument = "",
    { to = lead, signal }: { to?: string; signal?: AbortSignal } = {},
  ): Promise<ExpandedCommand> {
    this.#requireOpen();
    requireText(name);
    const { expandCommand } = await import("./team-commands.ts");
    const closing = this.#closing.signal;
    return expandCommand(this.#supervisor, this.#equipment, {
      ...{ name, argument, member: parseMemberName(to) },
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
    });
  }

  /** Adds a teammate, or gives a known one new work. Throws where it cannot be exactly as asked. */
  async spawn(request: SpawnRequest): Promise<MemberRecord> {
    this.#requireOpen();
    checkSpawnRequest(request);
    const masked = this.#equipment.secrets.maskJson(request);
    const { record, notes } = await this.#supervisor.spawn(user, masked);
    for (const note of notes) this.#equipment.place.onWarning(`'${record.name}': ${note}`);
    return record;
  }

  /** Every event from now on, for any number of observers, until `signal` or the team ends. */
  events(signal?: AbortSignal): AsyncIterable<AgentEvent> {
    return this.#supervisor.protocols.hub.observe(signal);
  }

  /** Resolves to a summary when the team is quiet; early when `signal` is aborted. */
  async quiet(
    options: { signal?: AbortSignal; backgroundWaitMs?: number } = {},
  ): Promise<TeamSummary> {
    this.#requireOpen();
    const { signal = new AbortController().signal, backgroundWaitMs = 60_000 } = options;
    await untilQuiet(this.#supervisor, { signal, backgroundWaitMs });
    return summarize(this.#supervisor, this.#since);
  }

  /** How the team stands now, without waiting until it is quiet. */
  async summary(): Promise<TeamSummary> {
    this.#requireOpen();
    return summarize(this.#supervisor, this.#since);
  }

  /** The usage and cost of each member's model calls so far. */
  async usage(): Promise<Map<MemberName, UsageReport>> {
    const totals = await this.#equipment.store.usage.totals();
    return new Map([...totals].map(([name, total]) => [name, reportUsage(total)]));
  }

  /** The commands that run in the background now, by the member that started each. */
  backgroundCommands(): BackgroundCommand[] {
    return this.#supervisor.members.living.flatMap(({ name, state }) =>
      state.backgroundJobs.map((command) => ({ member: name, command })),
    );
  }

  /** The teammates and their statuses, as they are stored. */
  roster(): Promise<TeamRecord> {
    return this.#supervisor.protocols.keeper.read();
  }

  /** The roster in words: what `list_teammates` returns. */
  async describeRoster(): Promise<string> {
    return describeRoster(await this.roster());
  }

  /** All tasks of the team, oldest first. */
  tasks(): Promise<Task[]> {
    return this.#equipment.store.tasks.list();
  }

  /**
   * The team as it is stored: its transcripts and mail in pages, its past events, its bill. It is the
   * same view that other processes have.
   */
  view(): TeamView {
    return this.#equipment.store.view();
  }

  /** All questions of the team's protocols, open and decided, oldest first. */
  requests(filter: RequestFilter = {}): Promise<TeamRequest[]> {
    return this.#equipment.store.requests.list(filter);
  }

  /** The requests that wait for an answer, including approvals and plans for the person. */
  openRequests(): Promise<TeamRequest[]> {
    return this.requests({ state: "pending" });
  }

  /** Answers a question that is put to the person. */
  async answer(id: string, answer: PersonsAnswer): Promise<void> {
    this.#requireOpen();
    const request = await findQuestion(this.#equipment.store.requests, id);
    await this.#supervisor.protocols.post.send(request.from, answerMessage(request, answer));
  }

  /**
   * Stops a member's run (default: all members'). An interrupted member waits for mail. Returns the
   * members that were at work.
   */
  interrupt(name?: string): MemberName[] {
    this.#requireOpen();
    const members = name === undefined ? this.#supervisor.members.living : [this.#member(name)];
    const atWork = members.filter(({ state }) => state.isBusy);
    for (const member of members) void member.order({ type: "interrupt" });
    return atWork.map((member) => member.name);
  }

  /** Ends a teammate without asking it (default: all of them, and the lead's run). */
  async stop(name?: string): Promise<void> {
    this.#requireOpen();
    await this.#supervisor.stop(name === undefined ? lead : parseMemberName(name));
  }

  /** The permission rules that apply to all members: those of the start first, then as they came. */
  rules(): TeamRule[] {
    return this.#rules.list();
  }

  /**
   * Adds a permission rule for all members, which applies from now on, also after a restart. One that
   * is in force already stays as it is.
   */
  async addRule(draft: RuleDraft): Promise<TeamRule> {
    this.#requireOpen();
    requireRule(draft);
    const ownTools = this.#equipment.tools.map(({ spec }) => spec.name);
    requireKnownTool(parseRule(draft.decision, draft.rule), ownTools);
    return this.#rules.add(draft);
  }

  /**
   * Removes a rule that was added by `addRule` or by an answer. Throws `config-invalid` for one that
   * the team was opened with, which is removed where it was given.
   */
  async removeRule(draft: RuleDraft): Promise<void> {
    this.#requireOpen();
    requireRule(draft);
    await this.#rules.remove(draft);
  }

  /** The permission mode of each living member, the lead first. */
  async modes(): Promise<MemberMode[]> {
    const { members } = await this.roster();
    return this.#supervisor.members.living.map(({ name, state }) => {
      const record = members.find((member) => member.name === name);
      return {
        member: name,
        mode: state.mode,
        followsLead: followsLead(record, "permission_mode"),
      };
    });
  }

  /**
   * Changes the permission mode of a member, or of `all`. A teammate's is never wider than the lead's;
   * with `all`, teammates have the lead's mode from now on. It holds after a restart that states no other
   * mode; only `bypassPermissions` of the lead ends with this process.
   */
  async setMode(name: string, mode: PermissionMode): Promise<void> {
    this.#requireOpen();
    requireMode(mode);
    if (name === "all") await this.#supervisor.protocols.permissions.setModeOfAll(mode);
    else await this.#supervisor.setMode(parseMemberName(name), mode);
  }

  /** The model and the effort of each living member, the lead first. */
  models(): Promise<MemberModel[]> {
    return this.#supervisor.models.list();
  }

  /**
   * Changes the model of a member, its effort, or both, from its next request on; with the lead's, those of the
   * teammates that have theirs from it; with `all`, teammates have the lead's from now on. It holds after a restart
   * that states no other one. Throws where any of them cannot have it; then nothing has changed.
   */
  async setModel(name: string, setting: ModelSetting): Promise<void> {
    this.#requireOpen();
    requireModelSetting(setting);
    await this.#supervisor.setModel(name === "all" ? name : parseMemberName(name), setting);
  }

  /**
   * Has a member summarize its conversation (default: the lead), and continue from the summary. A member
   * that works does so before its next request. That is a call of its model, which is on the bill; an
   * interruption cancels it. Throws `compaction-failed`, or `conversation-short` where there is too
   * little to summarize: then the conversation stays as it was.
   */
  async compact(name?: string, options?: CompactOptions): Promise<CompactionReport> {
    this.#requireOpen();
    const { compactMember } = await import("./conversations.ts");
    return compactMember(this.#supervisor, name, options);
  }

  /**
   * Has the conversation of a member (default: the lead), or of `all`, begin again, without a model
   * call. Its role, tasks, plans and mail that it has not replied to stay; what was said stays in its
   * transcript. Resolves to the names of the members. Throws `team-busy` for a member that works, and
   * `conversation-short` where there is nothing to clear.
   */
  async clear(name?: string): Promise<MemberName[]> {
    this.#requireOpen();
    const { clearMembers } = await import("./conversations.ts");
    return clearMembers(this.#supervisor, name);
  }

  /** The prompts of the person that the team can go back to, oldest first. */
  async checkpoints(): Promise<Checkpoint[]> {
    return (await this.#rewinding()).checkpoints();
  }

  /** What `rewind` would do, and what it cannot take back. Changes nothing. */
  async previewRewind(id: string): Promise<RewindPreview> {
    return (await this.#rewinding()).preview(id);
  }

  /**
   * Goes back to before a prompt of the person: the members forget what came after it, and the files that
   * their tools changed since are as they were. Throws `team-busy` while a member works. To repeat it
   * after a crash does the rest.
   */
  async rewind(id: string, options: RewindOptions = {}): Promise<RewindReport> {
    // Before the code is loaded: what the person writes from now on is not undone.
    const begunAt = this.#equipment.place.clock.now();
    return (await this.#rewinding()).rewind(id, { ...options, begunAt });
  }

  /** The states that a teammate's checkout can be taken back to, newest first. Number 0 is what it began with. */
  async checkoutStates(name: string): Promise<KeptState[]> {
    return (await this.#checkoutRewind(name)).states();
  }

  /** What `rewindCheckout` would do, and what stays as it is. Changes nothing. */
  async previewCheckoutRewind(name: string, number: number): Promise<CheckoutRewindPreview> {
    return (await this.#checkoutRewind(name)).preview(number);
  }

  /**
   * Takes the files of a teammate's checkout back to a state that was kept. What they are now is kept before, as one more
   * state. Throws `team-busy` while it works, and `checkout-failed` where something would be lost.
   */
  async rewindCheckout(name: string, number: number): Promise<CheckoutRewindReport> {
    return (await this.#checkoutRewind(name)).rewind(number);
  }

  /**
   * Opens the tools of a teammate for the team (mail, tasks, plans) to a program of this machine that does the teammate's
   * work, as an MCP server over HTTP. Calls with the secret are the teammate's, until it ends or is spawned again.
   */
  async openSeat(name: string): Promise<MemberSeat> {
    this.#requireOpen();
    const { MemberSeats } = await import("./member-seats.ts");
    this.#seats ??= this.#opened.use(new MemberSeats(this.#supervisor));
    return this.#seats.open(name);
  }

  /** Ends every command that runs, at once: for a process that is about to end without waiting. */
  killCommands(): void {
    this.#equipment.running.killAll();
  }

  /**
   * Stops all members between two writes. When the team is opened again, teammates continue by
   * themselves; the lead continues with the next prompt, or when a call of its own that waits for
   * approval is decided. From this call on, what acts on the team or waits for it throws `team-closed`.
   */
  async close(): Promise<void> {
    const isFirst = !this.#closing.signal.aborted;
    this.#closing.abort();
    if (isFirst) await this.#equipment.commandHooks?.end("other");
    await this.#opened[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Another process runs the team now: further writes of this one would be refused. */
  #giveUp(): void {
    const { onWarning } = this.#equipment.place;
    onWarning("Another process has become the lead of this team. This one stops.");
    this.close().catch((error: unknown) => onWarning(`It could not be closed: ${String(error)}`));
  }

  #requireOpen(): void {
    if (!this.#closing.signal.aborted) return;
    const hint = "Open it again with Team.open: its members continue where they were.";
    throw new TeamError("team-closed", "The team is closed", { hint });
  }

  /** A prompt as a message has it. Its images are checked, and kept. */
  async #written(to: string, prompt: string | TeamPrompt): Promise<WrittenPrompt> {
    requirePrompt(prompt);
    const { text: content, images = [] } = typeof prompt === "string" ? { text: prompt } : prompt;
    if (images.length === 0) return { content };
    const { readImages } = await import("./prompt-images.ts");
    const { name } = this.#member(to);
    const checked = await readImages(images);
    const types = checked.map(({ type }) => type);
    await this.#equipment.models.requireImages(await this.#modelOf(name), types);
    return { content, images: await this.#equipment.imageFiles.keep(checked) };
  }

  async #modelOf(name: MemberName): Promise<string> {
    const { members } = await this.roster();
    const record = members.find((member) => member.name === name);
    return record?.model ?? this.#supervisor.models.lead.model;
  }

  async #rewinding(): Promise<TeamRewind> {
    this.#requireOpen();
    const { TeamRewind } = await import("./rewind/team-rewind.ts");
    return new TeamRewind(this.#equipment, this.#supervisor);
  }

  async #checkoutRewind(name: string): Promise<CheckoutRewind> {
    this.#requireOpen();
    const { CheckoutRewind } = await import("./rewind/checkout-rewind.ts");
    return new CheckoutRewind(this.#equipment, this.#supervisor, name);
  }

  get #rules(): TeamRules {
    return this.#supervisor.protocols.permissions.rules;
  }

  #member(name: string) {
    return this.#supervisor.members.require(parseMemberName(name));
  }
}

function noResultTool(): TeamError {
  return new TeamError("config-invalid", "The lead has no tool for results", {
    hint: "Open the team with structuredResults: true.",
  });
}
