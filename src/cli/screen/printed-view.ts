import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import { answerText, elsewhereText } from "../render/answer.ts";
import { renderItem } from "../render/item.ts";
import { oneLine } from "../render/one-line.ts";
import type { Paint, TextFormat } from "../render/paint.ts";
import { wrapText } from "../render/wrap.ts";
import type { MemberItem, TalkItem } from "../talk/event-items.ts";
import type { MemberOverview } from "../talk/member-overview.ts";
import type { TalkReply } from "../talk/talk.ts";
import { findCut } from "./cut-texts.ts";
import { Feeds, isShownIn } from "./feeds.ts";
import type { Painter } from "./painter.ts";
import { moreBefore } from "./past-items.ts";
import { renderQuestion } from "./question-panel.ts";

/** How many items of a view are printed at most when it is opened. */
export const repeated = 30;

/** The printed part of the screen: the items of the member whose view is open. */
export class PrintedView {
  readonly #painter: Painter;
  readonly #paint: Paint;
  readonly #overview: MemberOverview;
  readonly #feeds = new Feeds();
  /** The items that have been printed, in any view. */
  readonly #seen = new WeakSet<MemberItem>();
  readonly #printedQuestions = new Set<string>();
  /** The calls that a printed question has shown whole, by member and id. */
  readonly #printedCalls = new Set<string>();
  #viewed: MemberName = lead;
  #isOpening = false;
  #showsThoughts = false;

  constructor(options: { painter: Painter; paint: Paint; overview: MemberOverview }) {
    this.#painter = options.painter;
    this.#paint = options.paint;
    this.#overview = options.overview;
  }

  /** The member whose view is open. */
  get viewed(): MemberName {
    return this.#viewed;
  }

  get format(): TextFormat {
    const colorOf = (name: MemberName) => this.#overview.get(name)?.color;
    const showsThoughts = this.#showsThoughts;
    const opener = "ctrl-o";
    return { width: this.#painter.width, paint: this.#paint, colorOf, showsThoughts, opener };
  }

  print(lines: readonly string[]): void {
    this.#painter.print(lines);
  }

  add(told: MemberItem): void {
    this.#feeds.add(told);
    if (this.#isOpening || !isShownIn(this.#viewed, told)) return;
    const { member, item } = told;
    this.#seen.add(told);
    const isAsked = item.type === "result" && this.#printedCalls.delete(`${member} ${item.callId}`);
    this.print(this.#render(told, !isAsked));
  }

  /** The items of the open view that are shown only in part, newest first. */
  get cutItems(): TalkItem[] {
    const told = this.#feeds.last(this.#viewed, Number.POSITIVE_INFINITY).reverse();
    return findCut(
      told.map(({ item }) => item),
      this.format,
    );
  }

  addPast(member: MemberName, items: readonly TalkItem[]): void {
    this.#feeds.addPast(member, items);
  }

  /** Turns to a member's view, which is printed when it is opened. */
  turnTo(name: MemberName): void {
    this.#viewed = name;
    this.#isOpening = true;
  }

  /**
   * Opens a member's view: prints what the person has not seen, and before it what they have as far as that fits the screen. More of
   * it would only fill the history above with the same lines again.
   */
  open(name: MemberName): void {
    this.#viewed = name;
    this.#isOpening = false;
    const all = this.#feeds.last(name, Number.POSITIVE_INFINITY);
    const last = all.slice(-repeated);
    const rendered = last.map((each) => this.#render(each));
    const first = Math.min(firstThatFits(rendered, this.#painter.height), this.#firstNew(last));
    const title = this.#paint.named(this.#overview.get(name)?.color, name);
    this.print(["", `${this.#paint.dim("──")} ${title} ${this.#paint.dim("──")}`]);
    if (all.length > last.length - first) this.print([this.#paint.dim(`  ${moreBefore}`)]);
    this.print(rendered.slice(first).flat());
    for (const each of last) this.#seen.add(each);
  }

  /** The index of the first item that has not been printed yet. */
  #firstNew(told: readonly MemberItem[]): number {
    const index = told.findIndex((each) => !this.#seen.has(each));
    return index === -1 ? told.length : index;
  }

  /** Shows thoughts whole from now on, and the last one at once, or only their length. Says which. */
  turnThoughts(): string {
    this.#showsThoughts = !this.#showsThoughts;
    if (!this.#showsThoughts) return "Of thoughts, the length is shown. Ctrl-T shows all of them.";
    const told = this.#feeds.last(this.#viewed, repeated);
    const last = told.findLast(({ item }) => item.type === "thought");
    if (last) this.print(this.#render(last));
    return "Thoughts are shown whole. Ctrl-T shows only their length.";
  }

  command(text: string): void {
    this.print(["", this.#paint.dim(`› ${oneLine(text)}`)]);
  }

  /** Prints a message that the person has sent. */
  echo({ to, text, attached, notes = [] }: Extract<TalkReply, { type: "sent" }>): void {
    const item: TalkItem = { type: "typed", to, text };
    const member = this.#overview.members.find(({ name }) => name === to)?.name ?? this.#viewed;
    const told = { member, item };
    this.#feeds.add(told);
    this.#seen.add(told);
    this.print(renderItem(item, this.format, { viewed: this.#viewed }).lines);
    const said = [...attached.map((each) => `attached ${each}`), ...notes];
    const lines = said.map((each) => this.#paint.dim(`  ${oneLine(each)}`));
    this.print(lines.flatMap((line) => wrapText(line, this.#painter.width)));
  }

  refuse(message: string, hint?: string): void {
    const lines = [
      this.#paint.red(oneLine(message)),
      ...(hint ? [this.#paint.dim(oneLine(hint))] : []),
    ];
    this.print(lines.flatMap((line) => wrapText(line, this.#painter.width, { indent: "  " })));
  }

  /** Prints a question once: when it appears, if it is too long for its panel, or when answered. */
  question(request: TeamRequest): void {
    if (this.#printedQuestions.has(request.id)) return;
    this.#printedQuestions.add(request.id);
    if (request.type === "permission") {
      this.#printedCalls.add(`${request.from} ${request.subject.call_id}`);
    }
    this.print(renderQuestion(request, this.format));
  }

  answer(request: TeamRequest, answer: PersonsAnswer): void {
    this.#outcome(request, answerText(request, answer));
  }

  /** Prints what has become of a question that was not answered here. */
  decidedElsewhere(request: TeamRequest): void {
    const text = elsewhereText(request);
    if (text !== undefined) this.#outcome(request, text);
  }

  #outcome(request: TeamRequest, text: string): void {
    this.question(request);
    this.print(wrapText(this.#paint.dim(text), this.#painter.width, { indent: "  " }));
  }

  #render({ member, item }: MemberItem, showsChange = true): string[] {
    const teller = member === this.#viewed ? undefined : member;
    return renderItem(item, this.format, { teller, viewed: this.#viewed, showsChange }).lines;
  }
}

/** The index of the first of the last items that fit `height` lines together. */
function firstThatFits(rendered: readonly string[][], height: number): number {
  let room = height;
  const tooLong = rendered.findLastIndex((lines) => {
    room -= lines.length;
    return room < 0;
  });
  return tooLong + 1;
}
