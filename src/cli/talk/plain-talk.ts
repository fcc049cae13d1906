import { ruleOf } from "../../permissions/persons-question.ts";
import { lead } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { elsewhereText } from "../render/answer.ts";
import { renderItem } from "../render/item.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { shown } from "../render/shown.ts";
import { isShownIn } from "../screen/feeds.ts";
import { renderQuestion } from "../screen/question-panel.ts";
import { QuestionQueue } from "../screen/question-queue.ts";
import { EventItems, type MemberItem } from "./event-items.ts";
import type { Talk, TalkEnd, TalkReply } from "./talk.ts";
import type { TypedLines } from "./typed-lines.ts";

interface PlainTalkOptions {
  talk: Talk;
  lines: TypedLines;
}

/** No line is cut, because the reader may be a program. */
const format = { width: 10_000, paint: paintFor(false) };

/**
 * The talk as plain lines, without a screen. A person at a terminal may type at any time; lines
 * from a file or another program each wait until the team is quiet.
 */
export class PlainTalk {
  readonly #talk: Talk;
  readonly #lines: TypedLines;
  readonly #items: EventItems;
  readonly #questions = new QuestionQueue();
  #onQuestion: () => void = () => undefined;

  private constructor({ talk, lines }: PlainTalkOptions) {
    this.#talk = talk;
    this.#items = new EventItems((id) => talk.team.hasSent(id));
    this.#lines = lines;
  }

  static async hold(options: PlainTalkOptions, signal: AbortSignal): Promise<TalkEnd> {
    const plain = new PlainTalk(options);
    const over = new AbortController();
    const watching = plain.#watch(over.signal);
    try {
      await plain.#ask();
      return await plain.#listen(signal);
    } finally {
      over.abort();
      await watching;
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    for await (const event of this.#talk.team.events(signal)) {
      const told = this.#items.itemsOf(event).filter((each) => isShownIn(each.member, each));
      for (const each of told) this.#print(linesOf(each));
      if (event.type === "request-change") await this.#ask();
    }
  }

  async #listen(signal: AbortSignal): Promise<TalkEnd> {
    for (let line = await this.#lines.next(); ; line = await this.#lines.next()) {
      if (line === undefined || signal.aborted) return "left";
      const reply = await this.#talk.take(line);
      if (reply.type === "leave") return "left";
      if (reply.type === "start-new") return "start-new";
      if (reply.type === "resume") return { resume: reply.name };
      if (reply.type === "answered") this.#questions.settle(reply.id);
      this.#print(replyLines(reply));
      if (!this.#lines.isTyped) await this.#quietOrAsked(signal);
    }
  }

  /** Ends early for a question, which the next line can answer. */
  async #quietOrAsked(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const asked = new Promise<void>((resolve) => {
      this.#onQuestion = resolve;
    });
    const quiet = this.#talk.team.quiet({ signal: AbortSignal.any([signal, over.signal]) });
    if (!this.#questions.up) await Promise.race([quiet, asked]);
    over.abort();
    await quiet;
  }

  async #ask(): Promise<void> {
    const open = await this.#talk.team.openRequests();
    const { fresh, gone } = this.#questions.update(open);
    for (const each of await this.#talk.decidedElsewhere(gone)) {
      this.#print([`  ${elsewhereText(each) ?? ""}`]);
    }
    for (const request of fresh) this.#print(questionLines(request));
    if (this.#questions.up) this.#onQuestion();
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#talk.io.out(line);
  }
}

function linesOf(told: MemberItem): string[] {
  const { member, item } = told;
  const name = member === lead ? "" : `${member}: `;
  if (item.type === "text") return shown(name + item.source.trim()).split("\n");
  if (item.type === "result" && !item.isError) return [];
  return renderItem(item, format).lines.map((line) => `${name}${line.trimStart()}`);
}

function replyLines(
  reply: Exclude<TalkReply, { type: "leave" | "start-new" | "resume" }>,
): string[] {
  switch (reply.type) {
    case "shown":
      return [...reply.lines];
    case "rewound":
      return reply.prompt === undefined
        ? [...reply.lines]
        : [...reply.lines, "You had written:", ...shown(reply.prompt).split("\n")];
    case "sent":
      return [];
    case "answered":
      return [reply.line];
    case "refused":
      return [`error: ${oneLine(reply.message)}`, ...(reply.hint ? [oneLine(reply.hint)] : [])];
    case "open":
      return ["/show opens a text on the screen. /log shows what a member did."];
    case "view":
      return [
        `Write to ${reply.name} with @${reply.name} …; /log ${reply.name} shows what it does.`,
      ];
  }
}

function questionLines(request: TeamRequest): string[] {
  const { id } = request;
  const always = ruleOf(request) ? `, /approve ${id} always` : "";
  return [
    ...renderQuestion(request, format),
    `  Answer with /approve ${id}${always} or /deny ${id} [<reason>].`,
  ];
}
