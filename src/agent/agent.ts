import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { Model, ThinkingRequest } from "../model/model.ts";
import { modelIds } from "../model/model-list.ts";
import type { Approvals } from "../permissions/approvals.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { OutputFiles } from "../processes/output-files.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { ToolSpec } from "../protocol/tools.ts";
import type { ReceivedMail, TranscriptEntry } from "../protocol/transcript.ts";
import type { Tool } from "../tools/tool.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { Bill } from "./bill.ts";
import { Conversation, hasSamePrefix } from "./conversation.ts";
import type { Hooks } from "./hooks.ts";
import type { Input } from "./input.ts";
import type { WholePath } from "./mail-text.ts";
import { RunRecord } from "./run-record.ts";
import type { LastRun } from "./runner.ts";

/** The limits of a member's runs. */
interface RunLimits {
  /** Turns of one run. */
  maxTurns: number;
  /** Of one reply. */
  maxOutputTokens: number;
  /** Of a reply that was cut short by that limit (default: no more). */
  raisedOutputTokens?: number;
  /** How many tokens the model can take in. */
  contextTokens: number;
}

export interface AgentOptions {
  name: MemberName;
  /** The absolute path of the directory that the member works in. */
  cwd: string;
  system: string;
  /** Whether it often waits for more than five minutes, as a lead does. */
  expectsPauses?: boolean;
  model: Model;
  /** How much the model should think (default: as it does by itself). */
  thinking?: ThinkingRequest | undefined;
  /** Whether one of its models takes images of a kind (default: all do). */
  takesImage?: ((model: string, mediaType: string) => boolean) | undefined;
  tools: readonly Tool[];
  /**
   * Tools that a member has for its whole life, or never: with a history as it began, otherwise if they
   * are offered.
   */
  lifelong?: { isOffered: boolean; tools(): readonly Tool[] } | undefined;
  transcript: Transcript;
  input: Input;
  permissions: Pick<Permissions, "judge">;
  approvals: Approvals;
  /** Of the program (default: none). */
  hooks?: Hooks;
  bill: Bill;
  limits: RunLimits;
  secrets: Secrets;
  outputFiles: Pick<OutputFiles, "capOutput">;
  /** The texts that a compaction must keep, rebuilt from disk: roster, tasks, instructions, … */
  recap(): Promise<readonly string[]>;
  wholePath: WholePath;
  clock: Clock;
}

/** The model of a member, with what depends on it. */
export type ModelParts = Pick<
  AgentOptions,
  "model" | "thinking" | "takesImage" | "bill" | "limits"
>;

type Undated<T> = T extends TranscriptEntry ? Omit<T, "at"> : never;
export type EntryDraft = Undated<TranscriptEntry>;
type ProfileDraft = Extract<EntryDraft, { type: "profile" }>;

/** An event before it is said when it happened and to whom. */
type Unstamped<T> = T extends AgentEvent ? Omit<T, "at" | "member"> : never;
export type EventDraft = Unstamped<AgentEvent>;

/** One member with everything a run needs. Its conversation is what its transcript says. */
export class Agent {
  options: AgentOptions;
  conversation: Conversation;
  readonly tools: ReadonlyMap<string, Tool>;
  /** One and the same array in every request. */
  readonly toolSpecs: readonly ToolSpec[];
  /** The calls that an earlier process has left open: a person may have been asked about them. */
  inherited: ReadonlySet<string>;
  #run: RunRecord;
  #answeringModel: string;
  /** The model that was chosen for the next request. */
  #nextModel: ModelParts | undefined;
  #notices: readonly string[] = [];
  #haltReason: string | undefined;
  /** The models of which the person knows that they are not shown all images. */
  readonly #toldOfImages = new Set<string>();
  /** The pairs of models between which thoughts are known to be left out. */
  readonly #unsent = new Set<string>();
  /** The mail that is being taken in. */
  readonly #takings = new Set<Promise<unknown>>();

  private constructor(options: AgentOptions, entries: readonly TranscriptEntry[]) {
    this.options = options;
    this.conversation = new Conversation(entries, options.wholePath);
    this.tools = new Map(options.tools.map((tool) => [tool.spec.name, tool]));
    this.toolSpecs = options.tools.map(({ spec }) => spec);
    this.inherited = new Set(this.conversation.openCalls.map(({ call }) => call.call_id));
    this.#run = new RunRecord(entries);
    this.#answeringModel = modelIds(options.model.id)[0];
  }

  /** Opens a member with its history, and writes down who it is where that is new. */
  static async open(options: AgentOptions): Promise<Agent> {
    const entries = await options.transcript.tail();
    const tools = lifelongTools(options, profileIn(entries)?.tools);
    const agent = new Agent({ ...options, tools }, entries);
    if (agent.#isNewAfter(entries)) await agent.#introduce(profileIn(entries));
    return agent;
  }

  get lastRun(): LastRun {
    return this.#run;
  }

  /** The one of its models that answers its next request, as far as is known. */
  get answeringModel(): string {
    return this.#nextModel ? modelIds(this.#nextModel.model.id)[0] : this.#answeringModel;
  }

  /** Why a hook ends the run that is under way. */
  get haltReason(): string | undefined {
    return this.#haltReason;
  }

  /** Ends the run after the calls that run already; without a reason, takes that back. */
  halt(reason: string | undefined): void {
    this.#haltReason = reason;
  }

  /** Has another model answer, from the next request on. */
  setModel(parts: ModelParts): void {
    this.#nextModel = parts;
  }

  /**
   * Switches to the model that was set meanwhile. Returns once what the person should know of it; undefined where none
   * was set.
   */
  async takeModel(): Promise<readonly string[] | undefined> {
    const next = this.#nextModel;
    if (!next) return undefined;
    this.#nextModel = undefined;
    const before = this.options.model.id;
    this.options = { ...this.options, takesImage: undefined, ...next };
    const { id } = next.model;
    return id === before ? [] : this.#answerBy(modelIds(id)[0], this.profile);
  }

  /** Writes down that another one of its models answers. Returns what the person should know of it, once. */
  changeModel(model: string): Promise<readonly string[]> {
    return this.#answerBy(model, { ...this.profile, model });
  }

  async #answerBy(model: string, profile: ProfileDraft): Promise<readonly string[]> {
    this.#answeringModel = model;
    await this.record(profile);
    const unsent = [...this.conversation.thoughts].filter(([other]) => {
      const isNew = other !== model && !this.#unsent.has(`${other} ${model}`);
      this.#unsent.add(`${other} ${model}`);
      return isNew;
    });
    return unsent.map(([other, count]) => `${thoughtsOf(other, count)} not sent to ${model}`);
  }

  get profile(): ProfileDraft {
    const { system, model } = this.options;
    return { type: "profile", system, model: model.id, tools: digest(this.toolSpecs) };
  }

  /** What the person should know, once. */
  takeNotices(): readonly string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  /** True where `entries` do not say who the member is, or say something else. */
  #isNewAfter(entries: readonly TranscriptEntry[]): boolean {
    const known = profileIn(entries);
    if (known?.model !== this.options.model.id || known.tools === undefined) return true;
    return !hasSamePrefix(known, this.profile);
  }

  /** What the person should know of images that the model which answers does not take, once for each model. */
  noticeOfImages(): string | undefined {
    const model = this.#answeringModel;
    const { takesImage } = this.options;
    if (!takesImage || this.#toldOfImages.has(model)) return undefined;
    const types = this.conversation.imageTypes.filter((type) => !takesImage(model, type));
    if (types.length === 0) return undefined;
    this.#toldOfImages.add(model);
    const images = types.length === 1 ? "1 image is" : `${types.length} images are`;
    return `${images} not shown to ${model}, which does not take ${[...new Set(types)].join(", ")}`;
  }

  /**
   * Leaves out images that the provider refuses, for good. Returns what the person should know of it; undefined where there
   * is none to leave out.
   */
  async leaveOutImages(reason: string): Promise<string | undefined> {
    const before = this.conversation.imageTypes.length;
    if (before === 0) return undefined;
    await this.record({ type: "images-refused", reason });
    const count = before - this.conversation.imageTypes.length;
    const images = count === 1 ? "1 image is" : `${count} images are`;
    return `${images} left out: ${reason}`;
  }

  /** Records who the member is, in place of `before`. */
  async #introduce(before: Pick<ProfileDraft, "system" | "tools"> | undefined): Promise<void> {
    const { profile, conversation } = this;
    const { thoughts } = conversation;
    await this.record(profile);
    const isRefitted = before && !hasSamePrefix(before, profile);
    const isOwn = (model: string) => modelIds(profile.model).includes(model);
    this.#notices = [...thoughts]
      .filter(([model]) => isRefitted || !isOwn(model))
      .map(([model, count]) => {
        const they = thoughtsOf(model, count);
        if (!isOwn(model)) return `${they} not sent to ${profile.model}`;
        return `${they} not sent back: its instructions or tools have changed`;
      });
  }

  /** Writes entries to the transcript; once they are there, they are part of the conversation. */
  async record(...drafts: EntryDraft[]): Promise<void> {
    const at = this.options.clock.now().toISOString();
    await this.append(drafts.map((draft) => ({ ...draft, at })));
  }

  async append(entries: readonly TranscriptEntry[]): Promise<void> {
    await this.options.transcript.append(entries);
    for (const entry of entries) {
      this.conversation.add(entry);
      this.#run.add(entry);
    }
  }

  /** Builds the conversation again of what counts in the transcript by now. */
  async reload(): Promise<void> {
    const entries = await this.options.transcript.tail();
    this.conversation = new Conversation(entries, this.options.wholePath);
    this.inherited = new Set();
    this.#run = new RunRecord(entries);
    if (this.#isNewAfter(entries)) await this.#introduce(profileIn(entries));
  }

  /** As `Input.takeIn`. */
  async takeIn<Mail extends ReceivedMail>(
    mail: readonly Mail[],
    record: (mail: readonly Mail[]) => Promise<void>,
  ): Promise<readonly Mail[]> {
    const taking = this.options.input.takeIn(mail, record);
    this.#takings.add(taking);
    return taking.finally(() => this.#takings.delete(taking));
  }

  /** Resolves when no mail is between the mailbox and the transcript. */
  async mailSettled(): Promise<void> {
    await Promise.allSettled(this.#takings);
  }

  stamp(draft: EventDraft): AgentEvent {
    return { ...draft, at: this.options.clock.now().toISOString(), member: this.options.name };
  }
}

function profileIn(entries: readonly TranscriptEntry[]) {
  return entries.findLast((entry) => entry.type === "profile");
}

/** Other tools than it has had so far would cost a member what its provider has cached. */
function lifelongTools(
  { tools, lifelong }: Pick<AgentOptions, "tools" | "lifelong">,
  known: string | undefined,
): readonly Tool[] {
  const isKnown = (all: readonly Tool[]) => known === digest(all.map(({ spec }) => spec));
  if (!lifelong || (!lifelong.isOffered && known === undefined) || isKnown(tools)) return tools;
  const all = [...tools, ...lifelong.tools()];
  return lifelong.isOffered || isKnown(all) ? all : tools;
}

/** The subject and verb of a sentence. */
function thoughtsOf(model: string, count: number): string {
  return count === 1
    ? `1 earlier thought of ${model} is`
    : `${count} earlier thoughts of ${model} are`;
}

/** Another text for other tools. */
function digest(tools: readonly ToolSpec[]): string {
  return createHash("sha256").update(JSON.stringify(tools)).digest("hex").slice(0, 16);
}
