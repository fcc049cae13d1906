import { mapInBatches } from "../../lib/batches.ts";
import type { MailLine } from "../../mailbox/mail-history.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Position } from "../../protocol/message.ts";
import type { TeamObserver } from "../../team/team-observer.ts";

export interface MailMergeOptions {
  observer: TeamObserver;
  owners: readonly MemberName[];
  /** Where to go on in each mailbox; from its newest where it is not said. */
  from?: ReadonlyMap<MemberName, Position>;
  /** About how many lines are wanted. */
  wanted: number;
}

/** A line of one of several mailboxes. */
export interface OwnedLine {
  owner: MemberName;
  line: MailLine;
}

/** So many lines of a mailbox are read at least and at most when more of it is needed. */
const [minLines, maxLines] = [4, 64];

/** Nothing lies before this place. */
const atStart: Position = { generation: 0, offset: 0 };

/**
 * The mail of several mailboxes as one, newest first. Each mailbox is read in small portions, so
 * that no file stays open and little is read in vain; the places can be gone on from later.
 */
export class MailMerge {
  readonly #options: MailMergeOptions;
  readonly #portion: number;
  readonly #feeds: Feed[];
  #isBegun = false;

  constructor(options: MailMergeOptions) {
    const { owners, from, wanted } = options;
    this.#options = options;
    const portion = Math.ceil((2 * wanted) / Math.max(1, owners.length));
    this.#portion = Math.min(maxLines, Math.max(minLines, portion));
    this.#feeds = owners.map((owner) => ({
      owner,
      place: from?.get(owner),
      lines: [],
      isAtStart: isStart(from?.get(owner)),
    }));
  }

  /** The newest line that was not given yet; undefined when there is none. */
  async next(): Promise<OwnedLine | undefined> {
    if (!this.#isBegun) await mapInBatches(this.#feeds, (feed) => this.#fill(feed));
    this.#isBegun = true;
    let newest: Feed | undefined;
    for (const feed of this.#feeds) {
      if (feed.lines.length > 0 && (!newest || timeOf(feed) > timeOf(newest))) newest = feed;
    }
    const line = newest?.lines.shift();
    if (!newest || !line) return undefined;
    newest.place = line.start;
    await this.#fill(newest);
    return { owner: newest.owner, line };
  }

  /** Where to go on in each mailbox; undefined when nothing is left in any. */
  places(): Map<MemberName, Position> | undefined {
    if (this.#feeds.every(({ lines, isAtStart }) => isAtStart && lines.length === 0)) {
      return undefined;
    }
    return new Map(this.#feeds.map(({ owner, place }) => [owner, place ?? atStart]));
  }

  async #fill(feed: Feed): Promise<void> {
    if (feed.isAtStart || feed.lines.length > 0) return;
    const { observer } = this.#options;
    const before = feed.place;
    for await (const line of observer.mailLines(feed.owner, { before })) {
      // What comes from now on is behind this place, and belongs to nobody who goes on from here.
      feed.place ??= line.records[0]?.position;
      if (feed.lines.push(line) >= this.#portion) return;
    }
    feed.isAtStart = true;
  }
}

interface Feed {
  owner: MemberName;
  /** Everything behind it was given. */
  place: Position | undefined;
  lines: MailLine[];
  /** True when nothing lies before `lines`. */
  isAtStart: boolean;
}

function isStart(place: Position | undefined): boolean {
  return place?.generation === 0;
}

/** The time of the line that comes next. One without any comes as soon as it can. */
function timeOf({ lines: [line] }: Feed): number {
  const [record] = line?.records ?? [];
  return record && record.state !== "set aside"
    ? record.message.timestamp
    : Number.POSITIVE_INFINITY;
}
