import { setImmediate } from "node:timers/promises";
import { TeamError } from "../../errors.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { Terminal } from "../command.ts";
import type { StopListener } from "../job-control.ts";
import { paintFor } from "../render/paint.ts";
import { wrapText } from "../render/wrap.ts";
import { EventItems, type TalkItem } from "../talk/event-items.ts";
import { MemberOverview } from "../talk/member-overview.ts";
import type { Talk, TalkEnd, TalkReply } from "../talk/talk.ts";
import { Attention, type Notify } from "./attention.ts";
import type { ScreenFrame } from "./canvas.ts";
import { FileCommands } from "./file-commands.ts";
import { renderFrame } from "./frame.ts";
import type { InputHistory } from "./input-history.ts";
import { InputLine } from "./input-line.ts";
import { Keyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { ModeKey } from "./mode-key.ts";
import { OpenedText } from "./opened-text.ts";
import { Painter } from "./painter.ts";
import { pastItems } from "./past-items.ts";
import { pastedImage } from "./pasted-image.ts";
import { PersonCaller } from "./person-caller.ts";
import { PrintedView, repeated } from "./printed-view.ts";
import { QuestionFocus } from "./question-focus.ts";
import { isTooLong, panelHeight } from "./question-panel.ts";
import { QuestionQueue } from "./question-queue.ts";
import { UsableModels } from "./usable-models.ts";
import { renderWaiting, WaitingLines } from "./waiting-lines.ts";
import { WorkspaceFiles } from "./workspace-files.ts";

export interface ScreenOptions {
  talk: Talk;
  terminal: Terminal;
  history: InputHistory;
  /** How the person is called. */
  notify: Notify;
  /** The lead's model, or a list of them. */
  model: string;
  /** The ids of the models that can be used. */
  listModels(): Promise<readonly string[]>;
  /** How many tokens a model takes in, if that is known. */
  windowOf(model: string): Promise<number | undefined>;
  /** Sent at once, as if it had been typed. */
  prompt?: string | undefined;
  /** The first lines on the screen. */
  greeting: readonly string[];
  /** What the lead's view showed last, before this screen. */
  past: readonly TalkItem[];
  monotonicMs(): number;
}

/** How long events are taken in before keys are read. */
const breathMs = 4;
/** How often frames are drawn that only show time passing. */
const tickMs = 240;
/** A command in the background is started by a call, and its end is told by mail. */
const startsOrEndsCommands: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "tool-result",
  "message-sent",
  "member-change",
]);

/** Another model takes in another number of tokens. */
const changesUsage: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "turn-end",
  "model-set",
  "model-change",
]);

/** The screen at which a person talks with a team. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #painter: Painter;
  readonly #printed: PrintedView;
  readonly #overview: MemberOverview;
  readonly #items: EventItems;
  readonly #questions = new QuestionQueue();
  readonly #line: InputLine;
  readonly #files: WorkspaceFiles;
  readonly #models: UsableModels;
  readonly #commands: FileCommands;
  readonly #waiting: WaitingLines;
  readonly #focus: QuestionFocus;
  readonly #opened: OpenedText;
  readonly #attention: Attention;
  readonly #caller: PersonCaller;
  /** Since when the events of each member are known. */
  readonly #knownSince = new Map<MemberName, string>();
  /** The members whose views have what was before this screen. */
  readonly #withPast = new Set<MemberName>([lead]);
  #note: string | undefined;
  readonly #modeKey: ModeKey;
  #stops: StopListener | undefined;
  #size = "";
  #leave: (talkEnd: TalkEnd) => void = () => undefined;

  constructor(options: ScreenOptions) {
    const { terminal, talk, history, monotonicMs } = options;
    this.#options = options;
    const schedule = (delayMs: number, run: () => void) => talk.io.schedule(delayMs, run);
    this.#painter = new Painter({
      ...{ terminal, monotonicMs, schedule },
      render: (size) => this.#render(size),
      changesInMs: () => this.#changesInMs(),
    });
    this.#overview = new MemberOverview(monotonicMs, options.model);
    this.#printed = new PrintedView({
      painter: this.#painter,
      paint: paintFor(terminal.hasColors),
      overview: this.#overview,
    });
    this.#attention = new Attention({
      ...{ output: terminal.output, notify: options.notify, workspace: talk.workspace },
      ...{ env: talk.io.processInfo.env, monotonicMs, schedule },
      passesThroughTmux: () => terminal.passesThroughTmux(),
    });
    this.#caller = new PersonCaller({
      ...{ attention: this.#attention, overview: this.#overview },
      ...{ questions: this.#questions, schedule },
    });
    this.#modeKey = new ModeKey({
      ...{ team: talk.team, overview: this.#overview },
      onChange: (note) => {
        this.#note = note;
        this.#painter.drawSoon();
      },
      onError: (error) => this.#fail(error),
    });
    const onChange = () => {
      this.#line.refresh();
      this.#painter.drawSoon();
    };
    this.#files = new WorkspaceFiles({ workspace: talk.workspace, monotonicMs, onChange });
    this.#commands = new FileCommands({
      ...{ list: () => talk.team.commands(), monotonicMs, onChange },
      onError: (error) => this.#fail(error),
    });
    this.#models = new UsableModels({ list: () => options.listModels(), onChange });
    this.#items = new EventItems((id) => talk.team.hasSent(id));
    this.#line = new InputLine({
      history,
      width: () => this.#painter.width,
      members: () => this.#overview.members.map(({ name }) => name),
      models: () => this.#models.ids,
      fileCommands: () => this.#commands.all,
      files: () => this.#files.paths,
      imageAt: (pasted) => {
        const { home } = talk.io.processInfo;
        return pastedImage(pasted, { workspace: talk.workspace, home });
      },
      schedule,
      act: {
        submit: (text, images) => {
          if (text.startsWith("/")) this.#printed.command(text);
          this.#submit(text, images);
        },
        interrupt: () => this.#interrupt(),
        nextView: (step) => this.#turnTo(step),
        nextMode: () => this.#modeKey.press(),
        turnThoughts: () => {
          this.#note = this.#printed.turnThoughts();
        },
        takeBack: () => this.#waiting.takeBack(),
        openLast: () => this.#opened.open(1),
        suspend: () => terminal.jobControl.stop(),
        redraw: () => {
          this.#painter.wipe();
          this.#view(this.#printed.viewed);
        },
        editOutside: (text) => void this.#editOutside(text),
        leave: () => this.#leave("left"),
        note: (text) => {
          this.#note = text;
        },
      },
      interruptedAtQuestion: () =>
        this.#questions.up && this.#isViewedAtWork ? this.#printed.viewed : undefined,
    });
    this.#waiting = new WaitingLines({
      ...{ team: talk.team, overview: this.#overview, printed: this.#printed, line: this.#line },
      onChange: (note) => {
        this.#note = note;
        this.#painter.drawSoon();
      },
      onError: (error) => this.#fail(error),
    });
    this.#opened = new OpenedText({
      ...{ talk, painter: this.#painter, printed: this.#printed, questions: this.#questions },
      onError: (error) => this.#fail(error),
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
    const { terminal, talk, greeting, past } = this.#options;
    const over = new AbortController();
    const talkEnd = new Promise<TalkEnd>((resolve) => {
      this.#leave = resolve;
      signal.addEventListener("abort", () => resolve("left"), { once: true });
    });
    const watching = this.#watch(over.signal);
    using keyboard = new Keyboard(terminal, {
      onKeys: (keys) => {
        this.#press(keys);
        this.#painter.draw();
      },
      onFocus: (isFocused) => this.#attention.setFocus(isFocused),
      onEnd: () => this.#leave("left"),
      schedule: (delayMs, run) => talk.io.schedule(delayMs, run),
    });
    this.#stops = {
      leave: () => {
        this.#painter.leave();
        this.#caller.leave();
        keyboard.leave();
      },
      comeBack: () => {
        keyboard.comeBack();
        this.#painter.comeBack();
        this.#caller.comeBack();
      },
    };
    const forgetStops = terminal.jobControl.onStop(this.#stops);
    const forgetExit = terminal.atExit(() => this.#caller.leave());
    try {
      for (const item of past) this.#printed.add({ member: lead, item });
      this.#printed.print(greeting.flatMap((line) => wrapText(line, this.#painter.width)));
      await this.#catchUp();
      this.#caller.update();
      this.#painter.draw();
      if (signal.aborted) return "left";
      if (this.#options.prompt !== undefined) this.#submit(this.#options.prompt);
      return await Promise.race([talkEnd, watching.then(() => "left" as const)]);
    } finally {
      over.abort();
      forgetStops();
      forgetExit();
      this.#caller.leave();
      this.#printed.print(renderWaiting(this.#waiting.all, this.#printed.format));
      this.#painter.end();
      this.#focus.cancel();
      await watching;
    }
  }

  #press(keys: readonly Key[]): void {
    this.#note = undefined;
    this.#attention.forget();
    const isAlone = keys.length === 1;
    for (const key of keys) {
      if (this.#opened.press(key)) continue;
      if (!this.#focus.press(key, isAlone)) this.#line.press(key, isAlone);
    }
  }

  /** Shows a warning that is not an event. */
  warn(message: string): void {
    this.#printed.refuse(message);
    this.#painter.drawSoon();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { team } = this.#options.talk;
    let busySinceMs = this.#options.monotonicMs();
    for await (const event of team.events(signal)) {
      this.#take(event);
      if (event.type === "request-change") await this.#refreshQuestions();
      if (event.type === "member-change") await this.#refreshMembers();
      if (changesUsage.has(event.type)) await this.#refreshCosts();
      if (startsOrEndsCommands.has(event.type)) {
        this.#overview.setBackground(team.backgroundCommands());
      }
      this.#caller.update();
      this.#painter.drawSoon();
      if (this.#options.monotonicMs() - busySinceMs < breathMs) continue;
      // Lets keys in between, however many events there are.
      await setImmediate();
      busySinceMs = this.#options.monotonicMs();
    }
  }

  #take(event: AgentEvent): void {
    const { member, at } = event;
    if (member !== undefined && !this.#knownSince.has(member)) this.#knownSince.set(member, at);
    this.#overview.note(event);
    this.#waiting.note(event);
    for (const told of this.#items.itemsOf(event)) this.#printed.add(told);
  }

  /** Loads the state from before the screen was opened. */
  async #catchUp(): Promise<void> {
    await this.#refreshMembers();
    await this.#refreshCosts();
    await this.#refreshQuestions();
  }

  async #refreshMembers(): Promise<void> {
    const { team } = this.#options.talk;
    this.#overview.enlist((await team.roster()).members);
    this.#overview.setModes(await team.modes());
  }

  async #refreshQuestions(): Promise<void> {
    const { talk } = this.#options;
    const open = await talk.team.openRequests();
    const { fresh, gone } = this.#questions.update(open);
    for (const request of fresh) this.#caller.asked(request);
    this.#printLongQuestions();
    this.#overview.setQuestions(this.#questions.open);
    this.#focus.refresh();
    for (const each of await talk.decidedElsewhere(gone)) this.#printed.decidedElsewhere(each);
  }

  /** What a panel has no room for is printed above it. */
  #printLongQuestions(): void {
    const height = panelHeight(this.#painter.height);
    for (const request of this.#questions.open) {
      if (isTooLong(request, this.#printed.format, height)) this.#printed.question(request);
    }
  }

  async #refreshCosts(): Promise<void> {
    for (const [name, usage] of await this.#options.talk.team.usage()) {
      this.#overview.setUsage(name, usage);
    }
    for (const { name, model, contextTokens } of this.#overview.members) {
      if (contextTokens === undefined) continue;
      this.#overview.setWindow(name, await this.#options.windowOf(model));
    }
  }

  #submit(text: string, images: readonly string[] = []): void {
    this.#note = undefined;
    const view = this.#printed.viewed;
    const taking = this.#options.talk.take(text, view, images);
    taking
      .then((reply) => {
        const isWaiting = reply.type === "sent" && this.#waiting.add(reply, { typed: text, view });
        if (isWaiting) this.#painter.drawSoon();
        else this.#showReply(reply, text);
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #showReply(reply: TalkReply, typed: string): void {
    switch (reply.type) {
      case "shown":
        this.#printed.print(reply.lines.flatMap((line) => wrapText(line, this.#painter.width)));
        break;
      case "rewound":
        this.#printed.print(reply.lines.flatMap((line) => wrapText(line, this.#painter.width)));
        if (reply.prompt !== undefined) this.#note = this.#line.offer(reply.prompt);
        break;
      case "sent":
        this.#printed.echo(reply);
        break;
      case "answered":
        this.#questions.settle(reply.id);
        this.#overview.setQuestions(this.#questions.open);
        this.#focus.refresh();
        this.#printed.print([`  ${this.#printed.format.paint.dim(reply.line)}`]);
        break;
      case "refused":
        // A command has been printed already.
        if (!typed.startsWith("/")) this.#printed.command(typed);
        this.#printed.refuse(reply.message, reply.hint);
        break;
      case "view":
        this.#view(reply.name);
        break;
      case "open":
        this.#opened.open(reply.what);
        break;
      case "text":
        this.#opened.openText(reply);
        break;
      case "leave":
        this.#leave("left");
        break;
      case "start-new":
        this.#leave("start-new");
        break;
      case "resume":
        this.#leave({ resume: reply.name });
        break;
    }
    this.#painter.drawSoon();
  }

  async #editOutside(text: string): Promise<void> {
    this.#stops?.leave();
    try {
      this.#line.load(await this.#options.terminal.edit(text));
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#printed.refuse(error.message, error.hint);
    } finally {
      this.#stops?.comeBack();
    }
  }

  #fail(error: unknown): void {
    this.#printed.refuse(
      `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
    );
    this.#painter.drawSoon();
  }

  #answer(request: TeamRequest, answer: PersonsAnswer): void {
    this.#printed.answer(request, answer);
    this.#overview.setQuestions(this.#questions.open);
    const answering = this.#options.talk.answer(request.id, answer);
    answering.catch((error: unknown) => this.#fail(error));
  }

  #interrupt(): boolean {
    if (!this.#isViewedAtWork) return false;
    this.#options.talk.team.interrupt(this.#printed.viewed);
    return true;
  }

  get #isViewedAtWork(): boolean {
    return this.#overview.get(this.#printed.viewed)?.status === "working";
  }

  #turnTo(step: 1 | -1): void {
    const names = this.#overview.members
      .filter(({ status }) => status !== "shutdown")
      .map(({ name }) => name);
    const at = names.indexOf(this.#printed.viewed);
    const next = names[(at + step + names.length) % names.length];
    if (next !== undefined && next !== this.#printed.viewed) this.#view(next);
  }

  #view(name: MemberName): void {
    if (this.#withPast.has(name)) {
      this.#printed.open(name);
      return;
    }
    this.#withPast.add(name);
    this.#printed.turnTo(name);
    this.#openWithPast(name).catch((error: unknown) => this.#fail(error));
  }

  /** Opens a view for the first time: the transcript has what its member did before this screen. */
  async #openWithPast(member: MemberName): Promise<void> {
    const { io, teamDir, openedAt } = this.#options.talk;
    const knownSince = this.#knownSince.get(member);
    try {
      const view = await io.viewTeam(teamDir);
      const past = await pastItems(view, member, { most: repeated, openedAt, knownSince });
      this.#printed.addPast(member, past);
    } finally {
      if (this.#printed.viewed === member) this.#printed.open(member);
      this.#painter.drawSoon();
    }
  }

  #render({ width, height }: { width: number; height: number }): ScreenFrame {
    const size = `${width} ${height}`;
    if (size !== this.#size) {
      this.#size = size;
      // Above this very frame.
      this.#printLongQuestions();
    }
    const nowMs = this.#options.monotonicMs();
    const scene = {
      members: this.#overview.members,
      viewed: this.#printed.viewed,
      unfinished: this.#items.unfinished(this.#printed.viewed),
      thought: this.#items.unfinishedThought(this.#printed.viewed),
      ...this.#focus.see(),
      ...this.#line.scene,
      waiting: this.#waiting.all,
      note: this.#note,
      nowMs,
    };
    return renderFrame(scene, { ...this.#printed.format, width, height });
  }

  /** While a member works, the frame shows the time. */
  #changesInMs(): number | undefined {
    return this.#overview.isAnyAtWork ? tickMs : undefined;
  }
}
