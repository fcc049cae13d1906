import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Io } from "../../src/cli/command.ts";
import type { StopListener } from "../../src/cli/job-control.ts";
import type { Notify } from "../../src/cli/screen/attention.ts";
import { InputHistory } from "../../src/cli/screen/input-history.ts";
import { Screen } from "../../src/cli/screen/screen.ts";
import { Talk, type TalkEnd, type TalkTeam } from "../../src/cli/talk/talk.ts";
import { TeamError } from "../../src/errors.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import {
  lead,
  MemberName,
  type MessageId,
  newMessageId,
  newRequestId,
  newTeamId,
  parseMemberName,
  TeammateName,
  user,
} from "../../src/protocol/ids.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import type { TeamRequest } from "../../src/protocol/request.ts";
import type { MemberRecord } from "../../src/protocol/team.ts";
import { EventHub } from "../../src/team/event-hub.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import type { MemberModel } from "../../src/team/protocols/model-choices.ts";
import type { TeamRule } from "../../src/team/protocols/team-rules.ts";
import type { Checkpoint } from "../../src/team/rewind/checkpoints.ts";
import type { FileEffect } from "../../src/team/rewind/file-restore.ts";
import type { RewindPreview } from "../../src/team/rewind/team-rewind.ts";
import type { BackgroundCommand } from "../../src/team/team.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

type Unstamped<T> = T extends AgentEvent ? Omit<T, "at"> : never;

/** Ctrl-X. */
export const chooseKey = "\x18";
const backHint = "esc back to your line";

/** So long is looked whether the screen shows what it should. */
const patienceMs = 30_000;

/** A screen in a terminal of a test, before a team that does what the test says. */
export class ScreenedTeam {
  readonly terminal: VirtualTerminal;
  readonly clock = new ManualClock();
  /** What the team's members did before. */
  readonly store = new MemoryTeamStore({ clock: this.clock });
  /** What the team was told, in order. */
  readonly told: string[] = [];
  /** The messages that were typed at this screen. */
  readonly sentHere = new Set<string>();
  /** The ids of what was typed to one member, in order. */
  readonly sentIds: MessageId[] = [];
  /** Whether what is taken back was not seen yet. */
  isInTime = true;
  /** The questions that were answered on the screen, in order. */
  readonly answered: string[] = [];
  readonly members: MemberRecord[] = [];
  readonly rules: TeamRule[] = [];
  /** The prompts that the team can go back to, oldest first. */
  readonly checkpoints: Checkpoint[] = [];
  /** What going back would do to files. */
  readonly fileEffects: FileEffect[] = [];
  readonly models: MemberModel[] = [
    { member: lead, model: "a-model", effort: undefined, follows: [] },
  ];
  readonly backgroundCommands: BackgroundCommand[] = [];
  /** Whom an interruption finds at work. */
  readonly atWork: MemberName[] = [];
  readonly modes = new Map<MemberName, PermissionMode>([[lead, "default"]]);
  stopListener: StopListener | undefined;
  readonly departed: Promise<TalkEnd>;
  readonly leaving = new AbortController();
  readonly #hub = new EventHub({ append: () => undefined }, this.clock);
  readonly #env: Record<string, string>;
  readonly #input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  #requests: TeamRequest[] = [];
  readonly #settled: TeamRequest[] = [];

  private constructor({
    columns,
    rows,
    history,
    workspace,
    notify,
    env,
  }: Size & { history: InputHistory; workspace: string }) {
    this.#env = env;
    this.terminal = new VirtualTerminal({ columns, rows });
    const talk = new Talk({
      ...{ team: this.#team(), io: this.#io(), teamDir: "/nowhere", workspace },
      openedAt: this.clock.now().toISOString(),
    });
    const screen = new Screen({
      talk,
      terminal: talk.io.terminal,
      history,
      model: "a-model",
      listModels: async () => ["rehearsal", "openai/gpt-6-sol"],
      notify,
      windowOf: async (name) => (name === "a-model" ? 48_000 : undefined),
      greeting: ["hello"],
      past: [],
      monotonicMs: () => this.clock.monotonicMs(),
    });
    this.departed = screen.show(this.leaving.signal);
  }

  static async open(size: Partial<Size & { workspace: string }> = {}): Promise<ScreenedTeam> {
    const history = await InputHistory.open({
      // Below a file nothing can be made, so it is kept in memory.
      path: join(import.meta.filename, "history.jsonl"),
      mask: (text) => text,
      onWarning: () => undefined,
    });
    const screened = new ScreenedTeam({
      ...{ columns: 80, rows: 24, history, workspace: "/nowhere" },
      ...{ notify: "off", env: {} },
      ...size,
    });
    await screened.shows("hello");
    return screened;
  }

  /** Has the team do something. */
  happen(...events: Unstamped<AgentEvent>[]): void {
    for (const event of events) this.#hub.say(event);
  }

  /** Has a member see everything that was typed to it. */
  see(member: MemberName): void {
    for (const id of this.sentIds) this.happen({ type: "message-delivered", member, id });
  }

  enlist(name: string, more: Partial<MemberRecord> = {}): MemberRecord {
    const member = {
      name: TeammateName.parse(name),
      role: "coder",
      status: "idle",
      ...more,
    } as const;
    this.members.push(member);
    this.happen({ type: "member-change", member: member.name, status: member.status });
    return member;
  }

  /** Has a member ask the person. */
  ask(
    from: Pick<MemberRecord, "name">,
    input: unknown,
    rule?: string,
    more: { tool?: string; call_id?: string } = {},
  ): TeamRequest {
    const reason = "it is not allowed yet";
    const subject = { tool: "bash", input, reason, ...(rule && { rule }), ...more };
    return this.#ask(from, { ...this.#question(from), type: "permission", subject });
  }

  submitPlan(from: MemberRecord, plan: string): TeamRequest {
    return this.#ask(from, { ...this.#question(from), type: "plan", subject: { plan } });
  }

  #question({ name: from }: Pick<MemberRecord, "name">) {
    const now = this.clock.now();
    return {
      ...{ id: newRequestId(now), from, to: user, hash: "0".repeat(64) },
      ...{ created_at: now.toISOString(), sig: "", state: "pending" as const },
      ...{ decision: null, version: 1 },
    };
  }

  #ask(from: Pick<MemberRecord, "name">, request: TeamRequest): TeamRequest {
    this.#requests.push(request);
    const { id, type: request_type, state } = request;
    this.happen({ type: "request-change", member: from.name, id, request_type, state });
    return request;
  }

  /** Has a question be withdrawn, or answered elsewhere. */
  withdraw(
    { id, type: request_type, from }: TeamRequest,
    state: "approved" | "rejected" | "cancelled" = "cancelled",
    rule?: string,
  ): void {
    this.#conclude(id, state, rule);
    const member = MemberName.parse(from);
    this.happen({ type: "request-change", member, id, request_type, state });
  }

  #conclude(
    id: string,
    state: "approved" | "rejected" | "cancelled" = "cancelled",
    rule?: string,
  ): void {
    const found = this.#requests.find((request) => request.id === id);
    if (found) {
      const at = this.clock.now().toISOString();
      const decided = { request_id: found.id, hash: found.hash, state, by: user, at, sig: "" };
      this.#settled.push({ ...found, state, decision: { ...decided, ...(rule && { rule }) } });
    }
    this.#requests = this.#requests.filter((request) => request !== found);
  }

  /** Chooses the question that is up, and waits until its keys count. */
  async choose(): Promise<void> {
    await this.settle();
    this.press(chooseKey);
    await this.shows(backHint);
    await this.settle();
  }

  /** Has what was pressed be read, with no time passing. */
  async read(): Promise<void> {
    do await setImmediate();
    while (this.#input.readableLength > 0);
  }

  /** Lets so much time pass that whatever is on the screen counts as seen. */
  async settle(): Promise<void> {
    await this.read();
    const endMs = this.clock.monotonicMs() + 1_000;
    await this.clock.advanceUntil(() => this.clock.monotonicMs() >= endMs, 40);
  }

  /** What a person types, as the terminal sends it. */
  press(keys: string): void {
    this.#input.write(keys);
  }

  /** Resolves when the terminal shows a text; throws where it does not come to that. */
  async shows(text: string | RegExp): Promise<void> {
    await this.until(() => isIn(text, this.terminal.text), `${String(text)} is not shown`);
  }

  async showsNoMore(text: string): Promise<void> {
    await this.until(() => !isIn(text, this.terminal.text), `${text} is still shown`);
  }

  async until(holds: () => boolean, complaint: string): Promise<void> {
    const patience = AbortSignal.timeout(patienceMs);
    await this.clock.advanceUntil(() => holds() || patience.aborted, 40);
    if (!holds()) throw new Error(`${complaint}:\n${this.terminal.text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leaving.abort();
    await this.departed;
  }

  #team(): TalkTeam {
    const { told, clock, sentIds } = this;
    return {
      events: (signal) => this.#hub.observe(signal),
      roster: async () => ({
        ...{ team_name: "default", team_id: newTeamId(this.clock.now()), lead, format: 1 },
        members: [...this.members],
      }),
      describeRoster: async () => `Team: ${this.members.length}`,
      requests: async () => [...this.#settled, ...this.#requests],
      openRequests: async () => [...this.#requests],
      usage: async () => new Map(),
      backgroundCommands: () => [...this.backgroundCommands],
      commands: async () => [],
      expandCommand: () => Promise.reject(new Error("No file defines a command here")),
      async message(to, content) {
        const { text, images = [] } = typeof content === "string" ? { text: content } : content;
        told.push([`message ${to}: ${text}`, ...images.map(String)].join("\n"));
        const id = newMessageId(clock.now());
        sentIds.push(id);
        return { id, to: parseMemberName(to) };
      },
      withdraw: async (id) => {
        told.push(`withdraw ${this.sentIds.indexOf(id)}`);
        return this.isInTime;
      },
      hasSent: (id) => this.sentHere.has(id),
      async broadcast(content) {
        told.push(`broadcast: ${content}`);
        return 1;
      },
      answer: async (id, { decision, reason }) => {
        told.push(`${decision}${reason ? ` (${reason})` : ""}`);
        this.answered.push(id);
        this.#conclude(id);
      },
      interrupt: (name) => {
        told.push(`interrupt ${name ?? "everybody"}`);
        return [...this.atWork];
      },
      stop: async (name) => void told.push(`stop ${name ?? "everybody"}`),
      modes: async () =>
        [...this.modes].map(([member, mode]) => ({
          ...{ member, mode },
          followsLead: member !== lead,
        })),
      setMode: async (name, mode) => {
        told.push(`mode ${name} ${mode}`);
        this.modes.set(MemberName.parse(name), mode);
      },
      models: async () => [...this.models],
      setModel: async (name, { model, effort }) => {
        told.push(["model", name, model, effort].filter(Boolean).join(" "));
      },
      rules: () => [...this.rules],
      addRule: async (draft) => {
        const since = this.clock.now().toISOString();
        const rule: TeamRule = { ...draft, from: "person", since };
        told.push(`add ${draft.decision} ${draft.rule}`);
        this.rules.push(rule);
        return rule;
      },
      removeRule: async ({ decision, rule }) => void told.push(`remove ${decision} ${rule}`),
      compact: async (name = lead, { keep = "" } = {}) => {
        told.push(`compact ${name}: ${keep}`);
        return { tokensBefore: 10_000, tokensAfter: 1_000 };
      },
      clear: async (name = lead) => {
        told.push(`clear ${name}`);
        return name === "all"
          ? [lead, ...this.members.map((each) => each.name)]
          : [MemberName.parse(name)];
      },
      checkpoints: async () => [...this.checkpoints],
      previewRewind: async (id) => this.#previewOf(id),
      rewind: async (id, options) => {
        told.push(`rewind ${id} ${JSON.stringify(options)}`);
        return { ...this.#previewOf(id), restored: [], prompt: `the whole of ${id}` };
      },
      checkoutStates: async (name) => {
        throw new TeamError("member-unknown", `There is no member '${name}'`);
      },
      previewCheckoutRewind: () => Promise.reject(new Error("unused")),
      rewindCheckout: () => Promise.reject(new Error("unused")),
      quiet: () => Promise.reject(new Error("unused")),
    };
  }

  #previewOf(id: string): RewindPreview {
    const checkpoint = this.checkpoints.find((each) => each.id === id);
    if (!checkpoint) throw new Error(`There is no prompt ${id}`);
    return { checkpoint, members: [], files: [...this.fileEffects], cannot: [] };
  }

  #io(): Io {
    const unused = () => Promise.reject(new Error("unused"));
    return {
      ...{ out: () => undefined, err: () => undefined, openTeam: unused },
      viewTeam: async () => this.store.view(),
      signal: this.leaving.signal,
      dashboards: { serve: unused, find: unused, export: unused },
      schedule: (delayMs, run) => this.clock.schedule(delayMs, run),
      isInputPiped: () => false,
      pipes: { input: process.stdin, output: process.stdout },
      processInfo: { cwd: "/", home: "/", env: this.#env },
      terminal: {
        input: this.#input,
        output: this.terminal,
        ...{ isInteractive: true, hasColors: false, atExit: () => () => undefined },
        edit: async (text) => `${text}, edited`,
        passesThroughTmux: async () => this.#env.PASSES === "on",
        jobControl: {
          onStop: (listener) => {
            this.stopListener = listener;
            return () => undefined;
          },
          stop: () => {
            this.told.push("stop the process");
            this.stopListener?.leave();
          },
        },
      },
    };
  }
}

interface Size {
  columns: number;
  rows: number;
  notify: Notify;
  env: Record<string, string>;
}

function isIn(text: string | RegExp, whole: string): boolean {
  return typeof text === "string" ? whole.includes(text) : text.test(whole);
}
