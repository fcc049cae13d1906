import type { Signature } from "../keys/signature.ts";
import type { Clock } from "../lib/clock.ts";
import { ensurePrivateDirectory, removeTemporaries } from "../lib/files.ts";
import { Serial } from "../lib/serial.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import { anchorOf, readCursor, writeCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { decodeLine } from "./mail-line.ts";
import { createLog, rotateLog, trimHistory } from "./mail-rotation.ts";
import { type Scan, type ScannedLine, scanLog } from "./mail-scanner.ts";
import {
  type MailSource,
  type Mark,
  newSource,
  recoverSources,
  scanBytes,
  seenSegments,
  sizeOf,
} from "./mail-source.ts";
import type { Delivery, MailboxReader, ReaderOptions, SetAside } from "./mailbox.ts";
import { SideLog } from "./side-log.ts";

/** How many messages are held in memory at once, unread. */
const maxQueued = 4096;
/** How long, and how often, a rotated segment is searched for lines of slow writers. */
const lateWatchMs = 10 * 60 * 1000;
const latePollMs = 1000;

export interface FileReaderOptions extends ReaderOptions {
  layout: MailLayout;
  owner: MemberName;
  signature: Signature;
  clock: Clock;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
  rotateBytes: number;
  historyBytes: number;
}

/** A line in memory that is not yet acknowledged. Without a delivery it waits for those before. */
interface Queued {
  source: MailSource;
  mark: Mark;
  delivery: Delivery | undefined;
}

/** The reader of an append-only log. Its cursor moves only when mail is acknowledged. */
export class FileMailboxReader implements MailboxReader {
  readonly #options: FileReaderOptions;
  readonly #quarantine: SideLog;
  readonly #returned: SideLog;
  readonly #serial = new Serial();
  readonly #listeners = new Set<() => void>();
  /** Segments by age, the live log last. */
  #sources: MailSource[];
  #queue: Queued[] = [];
  #stopLateWatch: (() => void) | undefined;

  private constructor(
    options: FileReaderOptions,
    state: { sources: MailSource[]; quarantine: SideLog; returned: SideLog },
  ) {
    this.#options = options;
    this.#sources = state.sources;
    this.#quarantine = state.quarantine;
    this.#returned = state.returned;
    for (const source of this.#sources) source.watchedUntilMs = this.#lateWatchEnd();
    this.#watchLate();
  }

  static async open(options: FileReaderOptions): Promise<FileMailboxReader> {
    const { layout, delivered } = options;
    await options.check();
    await ensurePrivateDirectory(layout.directory);
    await removeTemporaries(layout.directory);
    createLog(layout);
    const cursor = await readCursor(layout.cursor);
    return new FileMailboxReader(options, {
      sources: await recoverSources({ layout, cursor, delivered: delivered.positions }),
      quarantine: await SideLog.open(layout.quarantine),
      returned: await SideLog.open(layout.returned),
    });
  }

  unread(): Promise<readonly Delivery[]> {
    return this.#serial.run(async () => {
      for (const source of [...this.#sources]) await this.#readOn(source);
      this.#settleSkipped();
      return this.#queue.flatMap(({ delivery }) => delivery ?? []);
    });
  }

  acknowledge(upTo: MessageId): Promise<void> {
    return this.#serial.run(async () => {
      const count = this.#countUpTo(upTo);
      await this.#options.check();
      await this.#settle(count);
    });
  }

  giveBack(upTo: MessageId): Promise<void> {
    return this.#serial.run(async () => {
      const count = this.#countUpTo(upTo);
      await this.#options.check();
      const at = this.#options.clock.now().toISOString();
      const given = this.#queue.slice(0, count).flatMap(({ delivery }) => delivery ?? []);
      await this.#returned.add(
        given.map(({ message: { id }, position }) => {
          return { id, ...position, reason: "its member has ended", text: "", at };
        }),
      );
      await this.#settle(count);
    });
  }

  onWake(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the listeners that there may be mail. */
  wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#serial.run(async () => this.#stopLateWatch?.());
  }

  get #live(): MailSource {
    const live = this.#sources.at(-1);
    if (!live) throw new Error("A mailbox without a live log");
    return live;
  }

  get #segments(): MailSource[] {
    return this.#sources.slice(0, -1);
  }

  /** Takes lines into memory until enough wait there, or the log has no more. */
  async #readOn(source: MailSource): Promise<void> {
    while (this.#queue.length < maxQueued) {
      if (source !== this.#live && !source.mayHaveMore) return;
      const from = source.scanned.offset;
      const scan = await scanLog({
        path: source.path,
        offset: from,
        isExpected: (bytesBefore) => bytesBefore.equals(source.scanned.anchor),
        maxBytes: scanBytes,
      });
      if (scan === "replaced") return this.#readReplacement(source);
      if (scan) await this.#takeAll(source, scan);
      source.mayHaveMore = source.scanned.offset > from;
      if (!source.mayHaveMore) return;
    }
  }

  /** Somebody put another file in the place of a log: it is read whole, and nothing is skipped. */
  async #readReplacement(source: MailSource): Promise<void> {
    source.mayHaveMore = false;
    if (source !== this.#live) return;
    const { path, generation, seen } = source;
    const replacement = { ...newSource({ path, generation: generation + 1 }), seen };
    this.#sources = [...this.#sources.slice(0, -1), replacement];
    await this.#readOn(replacement);
  }

  async #takeAll(source: MailSource, scan: Scan): Promise<void> {
    const { inode, modified, lines, end, anchor } = scan;
    source.inode = inode;
    for (const line of lines) {
      if (this.#queue.length >= maxQueued) return;
      await this.#take(source, line, modified);
    }
    this.#pass(source, { offset: end, anchor });
  }

  async #take(source: MailSource, line: ScannedLine, modified: Date): Promise<void> {
    const { generation } = source;
    const { owner, signature } = this.#options;
    const lineEnd = { offset: line.end, anchor: line.anchor };
    const parts = decodeLine(line, { owner, generation, signature, modified });
    for (const [index, part] of parts.entries()) {
      // Only the last part of a line moves the cursor: the others are read again with it.
      const mark = index === parts.length - 1 ? lineEnd : source.scanned;
      const position = { generation, offset: mark.offset };
      if (part.type === "set-aside") {
        await this.#setAside({ ...part, position });
      } else if (!this.#isSeen(part.message.id)) {
        source.seen.add(part.message.id);
        this.#queue.push({ source, mark, delivery: { message: part.message, position } });
      }
    }
    this.#pass(source, lineEnd);
  }

  /** Everything up to `mark` is in memory, or needs no place there. */
  #pass(source: MailSource, mark: Mark): void {
    source.scanned = mark;
    const last = this.#queue.at(-1);
    if (last?.source === source && !last.delivery) last.mark = mark;
    else this.#queue.push({ source, mark, delivery: undefined });
  }

  async #setAside({ id, reason, text, position }: SetAside): Promise<void> {
    if (this.#quarantine.has(id)) return;
    await this.#options.check();
    const at = this.#options.clock.now().toISOString();
    await this.#quarantine.add([{ id, ...position, reason, text, at }]);
    this.#options.onSetAside({ id, reason, text, position });
  }

  #isSeen(id: MessageId): boolean {
    if (this.#options.delivered.ids.has(id) || this.#returned.has(id)) return true;
    return this.#sources.some(({ seen }) => seen.has(id));
  }

  #countUpTo(id: MessageId): number {
    const index = this.#queue.findLastIndex(({ delivery }) => delivery?.message.id === id);
    if (index === -1) throw new Error(`Message ${id} is not among the unread`);
    return index + 1;
  }

  async #settle(count: number): Promise<void> {
    for (const { source, mark } of this.#queue.splice(0, count)) source.settled = mark;
    this.#settleSkipped();
    await this.#saveCursor();
    const { settled } = this.#live;
    if (this.#queue.length === 0 && settled.offset >= this.#options.rotateBytes) {
      await this.#rotate();
    }
  }

  #settleSkipped(): void {
    const isDelivery = this.#queue.findIndex(({ delivery }) => delivery !== undefined);
    const count = isDelivery === -1 ? this.#queue.length : isDelivery;
    for (const { source, mark } of this.#queue.splice(0, count)) source.settled = mark;
  }

  async #saveCursor(): Promise<void> {
    const { generation, settled, inode } = this.#live;
    await writeCursor(this.#options.layout.cursor, {
      generation,
      offset: settled.offset,
      ino: inode,
      anchor: anchorOf(settled.anchor),
      segments: this.#segments.map((segment) => {
        return { generation: segment.generation, offset: segment.settled.offset };
      }),
    });
  }

  async #rotate(): Promise<void> {
    const { layout, historyBytes } = this.#options;
    const live = this.#live;
    const path = await rotateLog(layout, live.generation);
    if (!path) return;

    const watchedUntilMs = this.#lateWatchEnd();
    const segment = { ...live, path, watchedUntilMs, mayHaveMore: true };
    const next = newSource({ path: layout.live, generation: live.generation + 1 });
    this.#sources = [...this.#usefulSegments(next.generation), segment, next];
    this.#watchLate();
    createLog(layout);
    await this.#saveCursor();
    const dropped = await trimHistory(layout, historyBytes);
    this.#sources = this.#sources.filter(({ generation }) => !dropped.includes(generation));
    // A writer that had the log open may have added to it until the moment of the rename.
    await this.#readOn(segment);
    if (this.#queue.length > 0) this.wake();
  }

  /** The segments in which a line may still turn up, late or for the second time. */
  #usefulSegments(liveGeneration: number): MailSource[] {
    const nowMs = this.#options.clock.monotonicMs();
    return this.#segments.filter(({ generation, watchedUntilMs }) => {
      return generation >= liveGeneration - seenSegments || watchedUntilMs > nowMs;
    });
  }

  #lateWatchEnd(): number {
    return this.#options.clock.monotonicMs() + lateWatchMs;
  }

  #watchLate(): void {
    if (this.#stopLateWatch) return;
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (!this.#segments.some(({ watchedUntilMs }) => watchedUntilMs > nowMs)) return;
    this.#stopLateWatch = clock.schedule(latePollMs, () => {
      this.#stopLateWatch = undefined;
      this.#serial.run(() => this.#lookForLate()).catch(() => this.wake());
      this.#watchLate();
    });
  }

  async #lookForLate(): Promise<void> {
    for (const segment of this.#segments) {
      if ((await sizeOf(segment.path)) > segment.scanned.offset) segment.mayHaveMore = true;
      await this.#readOn(segment);
    }
    this.#settleSkipped();
    if (this.#queue.length > 0) this.wake();
    this.#forgetSeen();
  }

  /**
   * Forgets the ids of old segments, each once. A writer that meets a rotated log has its line in
   * that one first and then in a newer one: when the newer one is read, and after that all older
   * ones are too, no second copy of its lines can turn up.
   */
  #forgetSeen(): void {
    if (this.#segments.some(({ mayHaveMore }) => mayHaveMore)) return;
    const oldestSeen = this.#live.generation - seenSegments;
    for (const segment of this.#segments) {
      if (segment.generation >= oldestSeen || segment.isForgotten) continue;
      segment.seen.clear();
      segment.isForgotten = true;
    }
  }
}
