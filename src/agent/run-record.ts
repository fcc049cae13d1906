import { type MemberName, system, type TaskId } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import { wakes } from "../protocol/message-types.ts";
import type {
  RecordedRunEnd,
  ReplyBlock,
  ReplyEntry,
  StopReason,
  TranscriptEntry,
} from "../protocol/transcript.ts";
import type { LastRun, RecordedEnd } from "./runner.ts";

/**
 * The last run of a member by its transcript; several processes may have taken part in it.
 * Built from the entries and from nothing else, so that it is the same after a restart.
 */
export class RunRecord implements LastRun {
  answers: string[] = [];
  wakers = new Set<MemberName>();
  remindedOf = new Set<TaskId>();
  calledTools = new Set<string>();
  isOpen = false;
  end: RecordedEnd | undefined;
  /** The parts so far of an answer that was cut short. */
  #cutText = "";
  #isSettled = true;

  constructor(entries: Iterable<TranscriptEntry>) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: TranscriptEntry): void {
    switch (entry.type) {
      case "run-start":
        if (!this.isOpen) this.#begin();
        break;
      case "delivery":
        this.#addMail(entry.message);
        break;
      case "reply":
        this.#addReply(entry);
        break;
      case "compaction":
        // The run's own start is before the compaction, and is not read when the member is opened.
        if (entry.end) this.#endBy(entry.end);
        else if (!this.isOpen) this.#begin();
        this.answers = [...(entry.answers ?? [])];
        break;
      case "run-end":
        this.#addAnswer("");
        this.#isSettled = false;
        this.#endBy(entry);
        break;
      case "run-settled":
        this.#isSettled = true;
        // Where its end is missing, this says that there was one.
        this.isOpen = false;
        break;
    }
  }

  get unsettledEnd(): RecordedEnd | undefined {
    return this.#isSettled ? undefined : this.end;
  }

  #endBy({ outcome, reason, report_id: reportId }: RecordedRunEnd): void {
    this.isOpen = false;
    this.end = { outcome, reason, reportId };
  }

  #begin(): void {
    this.isOpen = true;
    this.end = undefined;
    this.answers = [];
    this.#cutText = "";
    this.wakers = new Set();
    this.remindedOf = new Set();
    this.calledTools = new Set();
  }

  #addMail(message: Message): void {
    if (wakes(message)) this.wakers.add(message.from);
    if (message.type === "message" && message.from === system && message.task_id) {
      this.remindedOf.add(message.task_id);
    }
  }

  #addReply({ blocks, stop }: ReplyEntry): void {
    // Every reply belongs to a run, even where the run's start is missing.
    if (!this.isOpen) this.#begin();
    for (const block of blocks) if (block.type === "tool-call") this.calledTools.add(block.name);
    if (stop === "refusal" || hasCalls(blocks)) return;
    const text = replyText(blocks);
    if (isCutShort(stop, blocks)) this.#cutText += text;
    else this.#addAnswer(text);
  }

  #addAnswer(text: string): void {
    const whole = (this.#cutText + text).trim();
    this.#cutText = "";
    if (whole !== "") this.answers.push(whole);
  }
}

/** The words of a reply, without its thoughts and calls. */
export function replyText(blocks: readonly ReplyBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

export function hasCalls(blocks: readonly ReplyBlock[]): boolean {
  return blocks.some(({ type }) => type === "tool-call");
}

/** True when a reply has more to say, or may have lost the end of a call. */
export function isCutShort(stop: StopReason, blocks: readonly ReplyBlock[]): boolean {
  return stop === "length" || stop === "overflow" || (stop === "pause" && !hasCalls(blocks));
}
