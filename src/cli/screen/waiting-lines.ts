import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import { oneLine } from "../render/one-line.ts";
import type { TextFormat } from "../render/paint.ts";
import { widthOf } from "../render/styled-text.ts";
import { cutToWidth } from "../render/wrap.ts";
import type { MemberOverview } from "../talk/member-overview.ts";
import type { TalkReply, TalkTeam } from "../talk/talk.ts";
import type { InputLine } from "./input-line.ts";
import type { PrintedView } from "./printed-view.ts";

type SentLine = Extract<TalkReply, { type: "sent" }>;

/** A line of the person that its member has not seen yet. */
export interface WaitingLine extends SentLine {
  id: MessageId;
  /** As it was typed, and in whose view. */
  typed: string;
  view: MemberName;
  isTakenBack: boolean;
}

export interface WaitingLinesOptions {
  team: Pick<TalkTeam, "withdraw">;
  overview: Pick<MemberOverview, "members">;
  printed: Pick<PrintedView, "viewed" | "echo">;
  line: Pick<InputLine, "putBack">;
  /** Called with what the person should know, if anything, when a line was or was not taken back. */
  onChange(note?: string): void;
  onError(error: unknown): void;
}

/** How many seen messages are remembered, for a reply that comes after its event. */
const remembered = 100;

/** The lines that wait for their members' next requests. Each is printed when its member sees it. */
export class WaitingLines {
  readonly #options: WaitingLinesOptions;
  #lines: WaitingLine[] = [];
  readonly #seen = new Set<MessageId>();

  constructor(options: WaitingLinesOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  get all(): readonly WaitingLine[] {
    return this.#lines;
  }

  /** Takes a line that was sent. Returns false if it does not wait, because its member is not at work. */
  add({ id, ...sent }: SentLine, origin: Pick<WaitingLine, "typed" | "view">): boolean {
    const { overview } = this.#options;
    const isAtWork = overview.members.some(
      ({ name, status }) => name === sent.to && status === "working",
    );
    if (!isAtWork || id === undefined || this.#seen.has(id)) return false;
    this.#lines.push({ ...sent, ...origin, id, isTakenBack: false });
    return true;
  }

  note(event: AgentEvent): void {
    switch (event.type) {
      case "message-delivered":
        this.#remember(event.id);
        this.#end(event.id, true);
        break;
      case "message-returned":
        this.#end(event.id, true);
        break;
      case "message-withdrawn":
        this.#end(event.id, false);
        break;
      default:
    }
  }

  /** Takes the newest line back into the input line, if its member has not seen it. Returns false if none waits. */
  takeBack(): boolean {
    const { team, onChange, onError } = this.#options;
    const line = this.#lines.findLast(({ isTakenBack }) => !isTakenBack);
    if (!line) return false;
    line.isTakenBack = true;
    team
      .withdraw(line.id)
      .then((isInTime) => {
        if (isInTime) this.#putBack(line);
        else line.isTakenBack = false;
        onChange(isInTime ? undefined : `${line.to} has seen it already.`);
      })
      .catch((error: unknown) => {
        line.isTakenBack = false;
        onError(error);
      });
    return true;
  }

  /** In another view than it was typed in, the line says whom it is to. */
  #putBack({ id, typed, view, to, text }: WaitingLine): void {
    const { line, printed } = this.#options;
    this.#end(id, false);
    line.putBack(view === printed.viewed ? typed : `@${to} ${text}`, typed);
  }

  #end(id: MessageId, isPrinted: boolean): void {
    const line = this.#lines.find((each) => each.id === id);
    if (!line) return;
    this.#lines = this.#lines.filter((each) => each !== line);
    if (isPrinted) this.#options.printed.echo(line);
  }

  #remember(id: MessageId): void {
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** How many lines are shown one by one. */
const shownLines = 3;

/** What can be done while the screen is there. */
export const takeBackHint = " · up takes it back";

/** One row for each line, the newest last and followed by `hint`. */
export function renderWaiting(
  lines: readonly Pick<WaitingLine, "to" | "text">[],
  { width, paint }: TextFormat,
  hint = "",
): string[] {
  const more = lines.length - shownLines;
  const rows = lines.slice(-shownLines).map(({ to, text }, index, { length }) => {
    const end = index === length - 1 ? hint : "";
    const room = Math.max(8, width - widthOf(end));
    return paint.dim(`${cutToWidth(`⧗ to ${oneLine(to)}: ${oneLine(text)}`, room)}${end}`);
  });
  return more > 0 ? [paint.dim(`⧗ ${more} more`), ...rows] : rows;
}
