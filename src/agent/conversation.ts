import { missingEntries } from "../lib/missing-entries.ts";
import { charactersPerImage, charactersPerToken } from "../model/estimate-tokens.ts";
import type { Utterance } from "../model/model.ts";
import { withoutProviderData } from "../model/provider-data.ts";
import { isShown, wakes, wakesWhenQuiet } from "../protocol/message-types.ts";
import type {
  CompactionEntry,
  ModelImage,
  ProfileEntry,
  ReceivedMail,
  ReplyBlock,
  ReplyEntry,
  StopReason,
  ToolCall,
  ToolResult,
  ToolResultEntry,
  TranscriptEntry,
} from "../protocol/transcript.ts";
import { type TokenUsage, totalTokens } from "../protocol/usage.ts";
import { mailText, type WholePath } from "./mail-text.ts";
import { imagesOf, withoutImages } from "./refused-images.ts";

/** A call that the model has made and not been answered yet. */
export interface OpenCall {
  readonly call: ToolCall;
  /** True when it was begun: if nothing is running it now, nobody knows what it did. */
  readonly isStarted: boolean;
  /** Why the reply that has the call ended. */
  readonly stop: StopReason;
  readonly madeAt: Date;
}

type InputUtterance = Extract<Utterance, { type: "input" }>;
type ReplyUtterance = Extract<Utterance, { type: "reply" }>;

/**
 * What a member's transcript is to its model: built from the entries, in their order, and from
 * nothing else, so that it is the same after a restart. Every call is followed by its result, no
 * two inputs stand side by side, and nothing that was sent is ever changed.
 *
 * That holds whichever entries are missing, repeated or out of place, because a provider refuses
 * anything else, and with it the member: what the model cannot be shown is named where it was.
 */
export class Conversation {
  readonly #wholePath: WholePath;
  #profile: ProfileEntry | undefined;
  #closed: Utterance[] = [];
  /** The input since the last reply or results. */
  #input: InputUtterance | undefined;
  /** How many of its texts, the first ones, a compaction has put there without any mail in them. */
  #preface = 0;
  #isSummarized = false;
  #awaitsReply = false;
  #openCalls: OpenCall[] = [];
  #results = new Map<string, ToolResult>();
  /** The mail of the conversation: an entry that is there twice is shown once. */
  #shown = new Set<string>();
  /** Every call of the conversation, by its id, and when it was made. */
  #madeAt = new Map<string, string>();
  /** The provider's count at the last reply, and the length of the text since. */
  #countedTokens = 0;
  #uncountedCharacters = 0;

  constructor(entries: Iterable<TranscriptEntry>, wholePath: WholePath) {
    this.#wholePath = wholePath;
    for (const entry of entries) this.add(entry);
  }

  add(entry: TranscriptEntry): void {
    switch (entry.type) {
      case "delivery":
        this.#addMail(entry);
        break;
      case "note":
        this.#addInput(entry.text, entry.wakes);
        break;
      case "reply":
        this.#addReply(entry);
        break;
      case "gap":
        this.#addGap(entry.lost);
        break;
      case "tool-start":
        this.#markStarted(entry.call_id);
        break;
      case "tool-result":
        this.#addResult(entry);
        break;
      case "run-end":
        if (entry.outcome === "interrupted") this.#addInput(interruption(entry.reason), false);
        break;
      case "compaction":
        this.#startOver(entry);
        break;
      case "profile":
        this.#setProfile(entry);
        break;
      case "images-refused":
        this.#leaveOutImages(entry.reason);
        break;
      case "run-start":
      case "run-settled":
      case "rewind":
        break;
    }
  }

  /** The utterances for the next request: the same objects as before, then the new ones. */
  get utterances(): readonly Utterance[] {
    return this.#input ? [...this.#closed, this.#input] : [...this.#closed];
  }

  /** The calls of the last reply that have no result, in their order. */
  get openCalls(): readonly OpenCall[] {
    return this.#openCalls.filter(({ call }) => !this.#results.has(call.call_id));
  }

  /** True when there is something the model has not replied to. */
  get awaitsReply(): boolean {
    return this.#awaitsReply;
  }

  /** True where the model has been shown no summary, and has not replied. */
  get isEmpty(): boolean {
    return this.#closed.length === 0 && !this.#isSummarized;
  }

  /** The input that the model has not replied to, without a summary and what was rebuilt with it. */
  get unansweredInput(): InputUtterance {
    const { texts, images = [] } = this.#wholeInput;
    const left = images
      .map((image) => ({ ...image, before: image.before - this.#preface }))
      .filter(({ before }) => before >= 0);
    return {
      type: "input",
      texts: texts.slice(this.#preface),
      ...(left.length > 0 && { images: left }),
    };
  }

  get #wholeInput(): InputUtterance {
    return this.#input ?? { type: "input", texts: [] };
  }

  /** The kinds of the images that the next request shows, in order. */
  get imageTypes(): readonly string[] {
    return this.utterances.flatMap(imagesOf).map(({ media_type }) => media_type);
  }

  /** True where a provider has counted the tokens of a request, its instructions and tools among them. */
  get isCounted(): boolean {
    return this.#countedTokens > 0;
  }

  /** How many tokens the next request has: as the provider counted, and of the rest an estimate. */
  get contextTokens(): number {
    return this.#countedTokens + Math.ceil(this.#uncountedCharacters / charactersPerToken);
  }

  /** The thoughts that can be sent back, by the model that had them. */
  get thoughts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const reply of this.#closed.filter((utterance) => utterance.type === "reply")) {
      const { model = "another model" } = reply;
      const count = reply.blocks.filter((block) => block.type === "thinking" && block.provider);
      if (count.length > 0) counts.set(model, (counts.get(model) ?? 0) + count.length);
    }
    return counts;
  }

  /**
   * Providers bind a thought to all that the model was shown before it. With other instructions or
   * tools, earlier thoughts would be refused.
   */
  #setProfile(profile: ProfileEntry): void {
    const before = this.#profile;
    this.#profile = profile;
    if (before && !hasSamePrefix(before, profile)) this.#loseThoughts();
  }

  #loseThoughts(): void {
    this.#closed = this.#closed.map((utterance) =>
      utterance.type === "reply" ? withoutThoughts(utterance) : utterance,
    );
  }

  /**
   * A provider does not say which image it refuses. It has taken those before its last reply, so the ones since then are
   * left out; where there are none, as after a change of the model, all are, so that no image fails a member for good.
   */
  #leaveOutImages(reason: string): void {
    const answered = this.#closed.findLastIndex(({ type }) => type === "reply") + 1;
    const isNew = this.utterances.slice(answered).some((each) => imagesOf(each).length > 0);
    const first = isNew ? answered : 0;
    this.#closed = this.#closed.map((each, index) =>
      index < first ? each : withoutImages(each, reason),
    );
    this.#input &&= withoutImages(this.#input, reason);
    if (!isNew) this.#loseThoughts();
  }

  #addMail({ message, images = [] }: ReceivedMail): void {
    if (!isShown(message) || this.#shown.has(message.id)) return;
    this.#shown.add(message.id);
    const deservesReply = wakes(message) || wakesWhenQuiet(message);
    const text = mailText(message, this.#wholePath);
    const sent = message.type === "message" ? (message.images?.length ?? 0) : 0;
    this.#addInput(text + lostImages(sent - images.length), deservesReply, images);
  }

  #addInput(text: string, wakes: boolean, added: readonly ModelImage[] = []): void {
    if (text.trim() === "") return;
    const { texts, images = [] } = this.#wholeInput;
    const all = [...images, ...added.map((image) => ({ ...image, before: texts.length }))];
    this.#input = {
      type: "input",
      texts: [...texts, text],
      ...(all.length > 0 && { images: all }),
    };
    this.#uncountedCharacters += text.length + added.length * charactersPerImage;
    this.#awaitsReply ||= wakes;
  }

  #addReply(entry: ReplyEntry): void {
    if (this.#isRepeated(entry)) return;
    const { blocks, stop, usage } = entry;
    this.#loseResults();
    this.#count(blocks, usage);
    const sendable = stop === "refusal" ? [] : sendableBlocks(blocks);
    this.#awaitsReply = false;
    // The input of an empty reply is sent again, together with the next input.
    if (sendable.length === 0) return;
    if (!this.#input && this.#closed.at(-1)?.type !== "results") this.#addInput(lostBefore, false);
    if (this.#input) this.#closed.push(this.#input);
    this.#input = undefined;
    this.#preface = 0;
    this.#closed.push({
      type: "reply",
      model: entry.model ?? this.#profile?.model,
      blocks: sendable,
    });
    const madeAt = new Date(entry.at);
    this.#openCalls = sendable.flatMap((block) =>
      block.type === "tool-call" ? [{ call: block, isStarted: false, stop, madeAt }] : [],
    );
    for (const { call } of this.#openCalls) this.#madeAt.set(call.call_id, entry.at);
  }

  /** True for a copy of a reply. A provider may give an id again, but at another time. */
  #isRepeated({ at, blocks }: ReplyEntry): boolean {
    const calls = blocks.filter((block) => block.type === "tool-call");
    if (calls.length > 0) return calls.every(({ call_id }) => this.#madeAt.get(call_id) === at);
    const last = this.#input ? undefined : this.#closed.at(-1);
    if (last?.type !== "reply") return false;
    return JSON.stringify(last.blocks) === JSON.stringify(sendableBlocks(blocks));
  }

  /** A call that is open here may have been run, and its result be among what is missing. */
  #addGap(lost: number): void {
    this.#openCalls = this.#openCalls.map((open) => ({ ...open, isStarted: true }));
    this.#addInput(gapText(lost), false);
  }

  #markStarted(id: string): void {
    this.#openCalls = this.#openCalls.map((open) =>
      open.call.call_id === id ? { ...open, isStarted: true } : open,
    );
  }

  #addResult(entry: ToolResultEntry): void {
    const { call_id, output, is_error, images } = entry;
    if (!this.#madeAt.has(call_id)) this.#addInput(resultOfLostCall(entry), true);
    const isOpen = this.#openCalls.some(({ call }) => call.call_id === call_id);
    if (!isOpen || this.#results.has(call_id)) return;
    this.#results.set(call_id, { call_id, output, is_error, ...(images && { images }) });
    this.#uncountedCharacters += output.length + (images?.length ?? 0) * charactersPerImage;
    if (this.#results.size === this.#openCalls.length) this.#closeCalls();
  }

  /** The model has replied again, so there were results: what is not here has been lost. */
  #loseResults(): void {
    if (this.#openCalls.length === 0) return;
    for (const { call } of this.openCalls) {
      const { call_id } = call;
      this.#results.set(call_id, { call_id, output: lostOutcome, is_error: true });
    }
    this.#closeCalls();
  }

  #closeCalls(): void {
    const results = this.#openCalls.flatMap(({ call }) => this.#results.get(call.call_id) ?? []);
    this.#closed.push({ type: "results", results });
    this.#awaitsReply = true;
    this.#openCalls = [];
    this.#results = new Map();
  }

  #startOver({ summary, cleared, kept, rebuilt, images, wakes }: CompactionEntry): void {
    this.#closed = [];
    this.#isSummarized = !cleared;
    // Older entries do not say what was rebuilt.
    this.#preface = rebuilt === undefined ? 0 : 1 + rebuilt;
    this.#input = {
      type: "input",
      texts: [summary, ...kept],
      ...(images && { images: images.map((each) => ({ ...each, before: each.before + 1 })) }),
    };
    this.#awaitsReply = wakes;
    this.#openCalls = [];
    this.#results = new Map();
    this.#madeAt = new Map();
    this.#shown = new Set();
    this.#countedTokens = 0;
    this.#uncountedCharacters =
      [summary, ...kept].join("").length + (images?.length ?? 0) * charactersPerImage;
  }

  /** Some servers report no usage: then what they were sent is estimated too. */
  #count(blocks: readonly ReplyBlock[], usage: TokenUsage | undefined): void {
    const counted = usage ? totalTokens(usage) : 0;
    if (counted === 0) {
      this.#uncountedCharacters += JSON.stringify(blocks).length;
      return;
    }
    this.#countedTokens = counted;
    this.#uncountedCharacters = 0;
  }
}

/** True if a request with `one` begins as one with `other` does. Older entries do not name the tools. */
export function hasSamePrefix(
  one: Pick<ProfileEntry, "system" | "tools">,
  other: Pick<ProfileEntry, "system" | "tools">,
): boolean {
  const { tools = other.tools } = one;
  return one.system === other.system && tools === (other.tools ?? tools);
}

function withoutThoughts({ blocks, ...reply }: ReplyUtterance): ReplyUtterance {
  return { ...reply, blocks: blocks.map(withoutProviderData) };
}

function lostImages(count: number): string {
  if (count <= 0) return "";
  const files = count === 1 ? "1 image of this message is" : `${count} images of this message are`;
  return `\n\n(${files} missing: somebody has removed or changed the file.)`;
}

function interruption(reason: string | undefined): string {
  return reason ? `(You were stopped here: ${reason}.)` : "(The person interrupted you here.)";
}

function gapText(lost: number): string {
  return `(${missingEntries(lost)}: your record was damaged. Mail that was in them comes again where it is still there. Look at how things stand before you rely on it.)`;
}

/** A provider refuses empty text, and a reply that ends with a thought. */
function sendableBlocks(blocks: readonly ReplyBlock[]): ReplyBlock[] {
  const kept = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  const last = kept.findLastIndex(({ type }) => type !== "thinking");
  return kept.slice(0, last + 1);
}

/** The result of a call whose real result is missing from the record. */
export const lostOutcome =
  "Outcome unknown: the record of this call was damaged, so nobody knows whether it ran or what it did. It was not run again. Check what it did before you repeat it.";

/** The input before a reply when the real input is missing from the record. */
export const lostBefore = "(What you were shown here is lost: the record of it was damaged.)";

/**
 * A result whose call is missing: as text, because no provider takes a result without its call. It
 * is wrapped so that what a tool has printed cannot pass for anybody's words.
 */
function resultOfLostCall({ output, images = [] }: ToolResult): string {
  const text = output.replace(/<(\/?)(?=teammate-message|lost-call-result)/gi, "&lt;$1");
  const pictures = images.length > 0 ? ` (${images.length} images are not shown)` : "";
  return `<lost-call-result note="Your call was lost when your record was damaged. This is its result.${pictures}">${text}</lost-call-result>`;
}
