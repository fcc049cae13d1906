import { TeamError } from "../../errors.ts";
import { ruleOf } from "../../permissions/persons-question.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { answerText, elsewhereText } from "../render/answer.ts";
import { oneLine } from "../render/one-line.ts";
import { shown } from "../render/shown.ts";
import { renderQuestion } from "../screen/question-panel.ts";
import { QuestionQueue } from "../screen/question-queue.ts";
import { EventItems } from "./event-items.ts";
import { plainGreeting } from "./plain-greeting.ts";
import { PlainItems, plainFormat, plainHistory, wholeFormat } from "./plain-items.ts";
import { PlainPage } from "./plain-page.ts";
import { PlainQuestions } from "./plain-questions.ts";
import { mayPrepare, type Talk, type TalkEnd, type TalkReply } from "./talk.ts";
import type { InputText, TypedLines } from "./typed-lines.ts";

interface PlainTalkOptions {
  talk: Talk;
  lines: TypedLines;
  /** The lead's model, or a list of them. */
  model: string;
}

/** A reply after which the talk continues. */
type OngoingReply = Exclude<TalkReply, { type: "leave" | "start-new" | "resume" }>;

/**
 * The talk as plain lines, without a screen. A person at a terminal may type at any time, and is told so
 * by a prompt; lines from a file or another program each wait until the team is quiet.
 */
export class PlainTalk {
  readonly #talk: Talk;
  readonly #lines: TypedLines;
  readonly #model: string;
  readonly #events: EventItems;
  readonly #items = new PlainItems();
  readonly #page: PlainPage;
  readonly #questions = new QuestionQueue();
  readonly #answers = new PlainQuestions();
  readonly #atWork = new Set<MemberName>();
  readonly #over = new AbortController();
  /** Ends with the work of the team. */
  #settling: Promise<void> | undefined;
  /** The member that gets the lines that name nobody. */
  #addressee: MemberName = lead;
  #onQuestion: () => void = () => undefined;
  /** The texts that are being prepared, and shown when they are sent. */
  readonly #late = new Set<Promise<void>>();

  private constructor({ talk, lines, model }: PlainTalkOptions) {
    this.#talk = talk;
    this.#events = new EventItems((id) => talk.team.hasSent(id));
    this.#lines = lines;
    this.#model = model;
    this.#page = new PlainPage({ io: talk.io, hasPrompt: lines.isTyped });
  }

  static async hold(options: PlainTalkOptions, signal: AbortSignal): Promise<TalkEnd> {
    const plain = new PlainTalk(options);
    const watching = plain.#watch();
    try {
      if (options.lines.isTyped) {
        plain.#page.print(await plainGreeting(options.talk, plain.#model));
      }
      await plain.#ask();
      plain.#prompt();
      return await plain.#listen(signal);
    } finally {
      plain.#over.abort();
      options.talk.end();
      await Promise.all(plain.#late);
      await watching;
      await plain.#settling;
      plain.#page.end();
    }
  }

  async #watch(): Promise<void> {
    for await (const event of this.#talk.team.events(this.#over.signal)) {
      for (const told of this.#events.itemsOf(event)) this.#page.print(this.#items.linesOf(told));
      if (event.type === "request-change") await this.#ask();
      this.#noteWork(event);
    }
  }

  /** The prompt comes back when the team has done its work, or only waits for the person. */
  #noteWork({ type, member = lead }: AgentEvent): void {
    if (type === "run-start") this.#atWork.add(member);
    if (type !== "run-end") return;
    this.#atWork.delete(member);
    const asks = (name: MemberName) => this.#questions.open.some(({ from }) => from === name);
    if (this.#atWork.size === 0) this.#settling ??= this.#settle();
    else if ([...this.#atWork].every(asks)) this.#prompt();
  }

  async #settle(): Promise<void> {
    const { signal } = this.#over;
    await this.#talk.team.quiet({ signal, backgroundWaitMs: 0 });
    this.#settling = undefined;
    if (!signal.aborted) this.#prompt();
  }

  async #listen(signal: AbortSignal): Promise<TalkEnd> {
    for (let line = await this.#lines.next(); ; line = await this.#lines.next()) {
      if (line === undefined || signal.aborted) return "left";
      if (line.isTyped) this.#page.lineTyped();
      const taking = this.#take(line);
      const reply = mayPrepare(line.text) ? await this.#unlessAsked(taking) : await taking;
      if (reply === "asked") {
        this.#showLater(taking);
        continue;
      }
      if (reply.type === "leave") return "left";
      if (reply.type === "start-new") return "start-new";
      if (reply.type === "resume") return { resume: reply.name };
      await this.#show(reply);
      this.#prompt();
      if (!this.#lines.isTyped) await this.#quietOrAsked(signal);
    }
  }

  /** The reply to a line; `asked` where a question comes first, which the next line can answer. */
  async #unlessAsked(taking: Promise<TalkReply>): Promise<TalkReply | "asked"> {
    const asked = new Promise<"asked">((resolve) => {
      this.#onQuestion = () => resolve("asked");
    });
    return Promise.race([taking, asked]);
  }

  /** Shows the reply to a line that is still being prepared; it is a text that is sent then. */
  #showLater(taking: Promise<TalkReply>): void {
    const showing = taking.then(async (reply) => {
      if (isOngoing(reply)) await this.#show(reply);
      this.#prompt();
    });
    this.#late.add(showing);
    // A failure stays in the set, and is told at the end.
    void showing.then(() => this.#late.delete(showing)).catch(() => undefined);
  }

  /** A line that answers a question counts only if a person has typed it. */
  async #take({ text, isTyped }: InputText): Promise<TalkReply> {
    try {
      const isOpen = (id: string) => this.#questions.isOpen(id);
      const given = isTyped ? this.#answers.read(text, isOpen) : undefined;
      if (given === undefined) return await this.#talk.take(text, this.#addressee);
      if (given.type === "ask") return { type: "shown", lines: given.lines };
      const { request, answer } = given;
      await this.#talk.answer(request.id, answer);
      return { type: "answered", id: request.id, line: answerText(request, answer) };
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      return { type: "refused", message: error.message, hint: error.hint };
    }
  }

  async #show(reply: OngoingReply): Promise<void> {
    if (reply.type === "answered") this.#questions.settle(reply.id);
    if (reply.type === "view") this.#addressee = reply.name;
    if (reply.type !== "open") this.#page.print(replyLines(reply));
    else if (reply.what === "history") {
      this.#page.print(await plainHistory(this.#addressee, this.#talk));
    } else this.#page.print(await this.#items.show(reply.what, this.#talk));
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
      this.#page.print([`  ${elsewhereText(each) ?? ""}`]);
    }
    for (const request of fresh) this.#askPerson(request);
    if (this.#questions.up) this.#onQuestion();
  }

  #askPerson(request: TeamRequest): void {
    this.#items.noteAsked(request);
    this.#page.print(this.#lines.isTyped ? this.#answers.add(request) : questionLines(request));
    this.#prompt();
  }

  #prompt(): void {
    this.#page.prompt(this.#addressee === lead ? "> " : `${this.#addressee}> `);
  }
}

function isOngoing(reply: TalkReply): reply is OngoingReply {
  return reply.type !== "leave" && reply.type !== "start-new" && reply.type !== "resume";
}

function replyLines(reply: Exclude<OngoingReply, { type: "open" }>): string[] {
  switch (reply.type) {
    case "shown":
      return [...reply.lines];
    case "text":
      return reply.part(wholeFormat);
    case "rewound":
      return reply.prompt === undefined
        ? [...reply.lines]
        : [...reply.lines, "You had written:", ...shown(reply.prompt).split("\n")];
    case "sent":
      return [...reply.attached.map((each) => `attached ${each}`), ...(reply.notes ?? [])].map(
        (each) => `  ${oneLine(each)}`,
      );
    case "answered":
      return [reply.line];
    case "refused":
      return [`error: ${oneLine(reply.message)}`, ...(reply.hint ? [oneLine(reply.hint)] : [])];
    case "view":
      return reply.name === lead
        ? ["What you type goes to the lead."]
        : [`What you type goes to ${reply.name} from now on. /view goes back to the lead.`];
  }
}

/** For a program, which answers a question by its id. */
function questionLines(request: TeamRequest): string[] {
  const { id } = request;
  const always = ruleOf(request) ? `, /approve ${id} always` : "";
  return [
    ...renderQuestion(request, plainFormat),
    `  Answer with /approve ${id}${always} or /deny ${id} [<reason>].`,
  ];
}
