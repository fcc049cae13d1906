import { setImmediate } from "node:timers/promises";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { Request } from "../../protocol/request.ts";
import { totalTokens } from "../../protocol/usage.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { Terminal } from "../command.ts";
import { renderItem } from "../render/item.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { wrapText } from "../render/wrap.ts";
import { EventItems, type MemberItem, type TalkItem } from "../talk/event-items.ts";
import { MemberOverview } from "../talk/member-overview.ts";
import type { Talk, TalkEnd, TalkReply } from "../talk/talk.ts";
import type { ScreenFrame } from "./canvas.ts";
import { Feeds, isShownIn } from "./feeds.ts";
import { renderFrame } from "./frame.ts";
import type { InputHistory } from "./input-history.ts";
import { InputLine } from "./input-line.ts";
import { Keyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { Painter } from "./painter.ts";
import { QuestionFocus } from "./question-focus.ts";
import { isTooLong, panelHeight, renderQuestion } from "./question-panel.ts";
import { QuestionQueue } from "./question-queue.ts";

export interface ScreenOptions {
  talk: Talk;
  terminal: Terminal;
  history: InputHistory;
  /** Shown beside the hints, such as the lead's model. */
  about: string;
  /** The first lines on the screen. */
  greeting: readonly string[];
  monotonicMs(): number;
}

/** How long events are taken in before keys are read. */
const breathMs = 4;
/** How often frames are drawn that only show time passing. */
const tickMs = 240;
/** How many items of a view are printed when it is opened. */
const repeated = 30;

/** The screen at which a person talks with a team. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #painter: Painter;
  readonly #paint;
  readonly #cast: MemberOverview;
  readonly #chronicle: EventItems;
  readonly #feeds = new Feeds();
  readonly #questions = new QuestionQueue();
  readonly #toldQuestions = new Set<string>();
  readonly #line: InputLine;
  readonly #focus: QuestionFocus;
  #viewed: MemberName = lead;
  #note: string | undefined;
  #leave: (departed: TalkEnd) => void = () => undefined;

  constructor(options: ScreenOptions) {
    const { terminal, talk, history, monotonicMs } = options;
    this.#options = options;
    const schedule = (delayMs: number, run: () => void) => talk.io.schedule(delayMs, run);
    this.#painter = new Painter({
      output: terminal.output,
      ...{ monotonicMs, schedule },
      render: (size) => this.#render(size),
      changesInMs: () => this.#changesInMs(),
    });
    this.#paint = paintFor(terminal.hasColors);
    this.#cast = new MemberOverview(monotonicMs);
    this.#chronicle = new EventItems((id) => talk.team.hasSent(id));
    this.#line = new InputLine({
      history,
      width: () => this.#painter.width,
      members: () => this.#cast.members.map(({ name }) => name),
      schedule,
      act: {
        submit: (text) => {
          if (text.startsWith("/")) this.#print(["", this.#paint.dim(`› ${oneLine(text)}`)]);
          this.#submit(text);
        },
        interrupt: () => this.#interrupt(),
        nextView: (step) => this.#turnTo(step),
        leave: () => this.#leave("left"),
        note: (text) => {
          this.#note = text;
        },
      },
      interruptedAtQuestion: () =>
        this.#questions.up && this.#isViewedAtWork ? this.#viewed : undefined,
    });
    this.#focus = new QuestionFocus({
      questions: this.#questions,
      line: this.#line,
      schedule,
      answer: (request, answer) => this.#answer(request, answer),
      note: (text) => {
        this.#note = text;
      },
      onChange: () => this.#painter.drawSoon(),
    });
  }

  /** Resolves when the person leaves, or `signal` is aborted. */
  async show(signal: AbortSignal): Promise<TalkEnd> {
    const { terminal, talk, greeting } = this.#options;
    const over = new AbortController();
    const departed = new Promise<TalkEnd>((resolve) => {
      this.#leave = resolve;
      signal.addEventListener("abort", () => resolve("left"), { once: true });
    });
    const watching = this.#watch(over.signal);
    using _keyboard = new Keyboard(terminal, {
      onKeys: (keys) => {
        this.#press(keys);
        this.#painter.draw();
      },
      onEnd: () => this.#leave("left"),
      schedule: (delayMs, run) => talk.io.schedule(delayMs, run),
    });
    try {
      this.#print(greeting.flatMap((line) => wrapText(line, this.#painter.width)));
      await this.#catchUp();
      this.#painter.draw();
      if (signal.aborted) return "left";
      return await Promise.race([departed, watching.then(() => "left" as const)]);
    } finally {
      over.abort();
      this.#painter.end();
      this.#focus.cancel();
      await watching;
    }
  }

  #press(keys: readonly Key[]): void {
    this.#note = undefined;
    const isAlone = keys.length === 1;
    for (const key of keys) {
      if (!this.#focus.press(key, isAlone)) this.#line.press(key, isAlone);
    }
  }

  /** Shows a warning that is not an event. */
  warn(message: string): void {
    this.#refuse(message, undefined);
    this.#painter.drawSoon();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { team } = this.#options.talk;
    let busySinceMs = this.#options.monotonicMs();
    for await (const event of team.events(signal)) {
      this.#take(event);
      if (event.type === "request-change") await this.#refreshQuestions();
      if (event.type === "member-change") this.#cast.enlist((await team.roster()).members);
      if (event.type === "turn-end") await this.#refreshCosts();
      this.#painter.drawSoon();
      if (this.#options.monotonicMs() - busySinceMs < breathMs) continue;
      // Lets keys in between, however many events there are.
      await setImmediate();
      busySinceMs = this.#options.monotonicMs();
    }
  }

  #take(event: AgentEvent): void {
    this.#cast.note(event);
    for (const told of this.#chronicle.itemsOf(event)) this.#tell(told);
  }

  #tell(told: MemberItem): void {
    this.#feeds.add(told);
    if (isShownIn(this.#viewed, told)) this.#print(this.#renderTold(told));
  }

  #renderTold({ member, item }: MemberItem): string[] {
    return renderItem(item, this.#format, member === this.#viewed ? undefined : member);
  }

  get #format() {
    const colorOf = (name: MemberName) => this.#cast.get(name)?.color;
    return { width: this.#painter.width, paint: this.#paint, colorOf };
  }

  /** Loads the state from before the screen was opened. */
  async #catchUp(): Promise<void> {
    const { team } = this.#options.talk;
    this.#cast.enlist((await team.roster()).members);
    await this.#refreshCosts();
    await this.#refreshQuestions();
  }

  async #refreshQuestions(): Promise<void> {
    const open = await this.#options.talk.team.openRequests();
    const height = panelHeight(this.#painter.height);
    for (const request of this.#questions.update(open)) {
      if (isTooLong(request, this.#format, height)) this.#printQuestion(request);
    }
    this.#focus.refresh();
  }

  /**
   * Prints a question once: when it appears, if it is too long for its panel, or when it is
   * answered.
   */
  #printQuestion(request: Request): void {
    if (this.#toldQuestions.has(request.id)) return;
    this.#toldQuestions.add(request.id);
    this.#print(renderQuestion(request, this.#format));
  }

  async #refreshCosts(): Promise<void> {
    for (const [name, total] of await this.#options.talk.team.usage()) {
      this.#cast.setCost(name, total.cost_usd, totalTokens(total));
    }
  }

  #submit(text: string): void {
    this.#note = undefined;
    const taking = this.#options.talk.take(text, this.#viewed);
    taking.then((reply) => this.#showReply(reply)).catch((error: unknown) => this.#fail(error));
  }

  #showReply(reply: TalkReply): void {
    switch (reply.type) {
      case "shown":
        this.#print(reply.lines.flatMap((line) => wrapText(line, this.#painter.width)));
        break;
      case "sent":
        this.#echo(reply);
        break;
      case "answered":
        this.#questions.settle(reply.id);
        this.#focus.refresh();
        this.#print([`  ${this.#paint.dim(reply.line)}`]);
        break;
      case "refused":
        this.#refuse(reply.message, reply.hint);
        break;
      case "view":
        this.#view(reply.name);
        break;
      case "leave":
        this.#leave("left");
        break;
      case "start-new":
        this.#leave("start-new");
        break;
    }
    this.#painter.drawSoon();
  }

  #echo({ to, text }: { to: string; text: string }): void {
    const item: TalkItem = { type: "typed", to, text };
    const member = this.#cast.members.find(({ name }) => name === to)?.name ?? this.#viewed;
    this.#feeds.add({ member, item });
    this.#print(renderItem(item, this.#format));
  }

  #refuse(message: string, hint: string | undefined): void {
    const lines = [
      this.#paint.red(oneLine(message)),
      ...(hint ? [this.#paint.dim(oneLine(hint))] : []),
    ];
    this.#print(lines.flatMap((line) => wrapText(line, this.#painter.width, { indent: "  " })));
  }

  #fail(error: unknown): void {
    this.#refuse(
      `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
      undefined,
    );
    this.#painter.drawSoon();
  }

  #answer(request: Request, answer: PersonsAnswer): void {
    this.#printQuestion(request);
    const { from } = request;
    const words = {
      "allow-once": "allowed once",
      "allow-always": "allowed from now on",
      deny: "denied",
    };
    const reason = answer.reason ? `: ${oneLine(answer.reason)}` : "";
    this.#print([`  ${this.#paint.dim(`${words[answer.decision]} to ${from}${reason}`)}`]);
    const answering = this.#options.talk.team.answer(request.id, answer);
    answering.catch((error: unknown) => this.#fail(error));
  }

  #interrupt(): boolean {
    if (!this.#isViewedAtWork) return false;
    this.#options.talk.team.interrupt(this.#viewed);
    return true;
  }

  get #isViewedAtWork(): boolean {
    return this.#cast.get(this.#viewed)?.status === "working";
  }

  #turnTo(step: 1 | -1): void {
    const names = this.#cast.members
      .filter(({ status }) => status !== "shutdown")
      .map(({ name }) => name);
    const at = names.indexOf(this.#viewed);
    const next = names[(at + step + names.length) % names.length];
    if (next !== undefined && next !== this.#viewed) this.#view(next);
  }

  #view(name: MemberName): void {
    this.#viewed = name;
    const told = this.#feeds.last(name, repeated);
    const title = this.#paint.named(this.#cast.get(name)?.color, name);
    this.#print(["", `${this.#paint.dim("──")} ${title} ${this.#paint.dim("──")}`]);
    // The transcript has what the member did before this screen was opened.
    if (told.length === 0) this.#submit(`/log ${name} --lines ${repeated}`);
    this.#print(told.flatMap((each) => this.#renderTold(each)));
  }

  #print(lines: readonly string[]): void {
    this.#painter.print(lines);
  }

  #render({ width, height }: { width: number; height: number }): ScreenFrame {
    const nowMs = this.#options.monotonicMs();
    const scene = {
      members: this.#cast.members,
      viewed: this.#viewed,
      unfinished: this.#chronicle.unfinished(this.#viewed),
      ...this.#focus.see(),
      ...this.#line.scene,
      note: this.#note,
      about: this.#options.about,
      nowMs,
    };
    return renderFrame(scene, { ...this.#format, width, height });
  }

  /** While a member works, the frame shows the time. */
  #changesInMs(): number | undefined {
    return this.#cast.isAnyAtWork ? tickMs : undefined;
  }
}
