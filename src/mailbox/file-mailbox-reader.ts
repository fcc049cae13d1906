import { ensurePrivateDirectory, removeTemporaries } from "../lib/files.ts";
import { Listeners } from "../lib/listeners.ts";
import type { LogHead } from "../lib/log-head.ts";
import { moveMisplaced } from "../lib/misplaced.ts";
import { Serial } from "../lib/serial.ts";
import type { MessageId } from "../protocol/ids.ts";
import { checkMarks } from "./check-marks.ts";
import { LateWatch } from "./late-watch.ts";
import { hashAnchor, readCursor, writeCursor } from "./mail-cursor.ts";
import { MailIntake, type MailIntakeOptions } from "./mail-intake.ts";
import type { MailLayout } from "./mail-layout.ts";
import type { MailQueue, MailSettlement } from "./mail-queue.ts";
import { createLog, endLastLine, rotateLog, trimHistory } from "./mail-rotation.ts";
import { anchorOf, endsWithLine } from "./mail-scanner.ts";
import { type MailSource, newSource, recentSegments, recoverSources } from "./mail-source.ts";
import type { MailboxReader, MailDelivery } from "./mailbox.ts";
import { SeenIds } from "./seen-ids.ts";
import { SideLog } from "./side-log.ts";

export interface FileReaderOptions extends MailIntakeOptions {
  layout: MailLayout;
  /** The recorded ends of the logs. Without it, it is not noticed when lines are missing. */
  head: LogHead | undefined;
  /** Called when the live log has become a segment. */
  onRotate(): void;
  onClose(): void;
  rotateBytes: number;
  historyBytes: number;
}

/** The reader of an append-only log. Its cursor moves only when mail is acknowledged. */
export class FileMailboxReader implements MailboxReader {
  readonly #options: FileReaderOptions;
  readonly #intake: MailIntake;
  readonly #queue: MailQueue;
  readonly #serial = new Serial();
  readonly #listeners = new Listeners<void>();
  /** Segments by age, the live log last. */
  #sources: MailSource[];
  readonly #lateWatch: LateWatch;
  #isCursorBehind = false;

  private constructor(options: FileReaderOptions, intake: MailIntake, sources: MailSource[]) {
    this.#options = options;
    this.#intake = intake;
    this.#queue = intake.queue;
    this.#sources = sources;
    this.#lateWatch = new LateWatch(options.clock, () => {
      const { onWarning, layout } = options;
      this.#serial
        .run(() => this.#lookForLate())
        .catch((error) => onWarning(`${layout.directory} cannot be read: ${String(error)}`));
    });
    if (this.#segments.length === 0) return;
    const watchedUntilMs = this.#lateWatch.start();
    for (const segment of this.#segments) segment.watchedUntilMs = watchedUntilMs;
  }

  static async open(options: FileReaderOptions): Promise<FileMailboxReader> {
    const { layout, delivered, owner, signature } = options;
    const { directory } = layout;
    await options.check();
    await ensurePrivateDirectory(directory);
    const report = { now: options.clock.now(), onWarning: options.onWarning };
    await Promise.all([removeTemporaries(directory), moveMisplaced(directory, report)]);
    createLog(layout);
    await endLastLine(layout, signature);
    let isCursorMissing = true;
    const onDamage = (problem: string) => {
      isCursorMissing = false;
      options.onWarning(problem);
    };
    const [cursor, quarantine, returned] = await Promise.all([
      readCursor(layout.cursor, onDamage),
      SideLog.open(layout.quarantine),
      SideLog.open(layout.returned),
    ]);
    const { positions, lost } = delivered;
    const sources = await recoverSources({ layout, cursor, delivered: positions, lost });
    if (options.head) await checkMarks({ ...options, head: options.head, sources });
    const seen = new SeenIds({ directory, owner, signature, delivered: delivered.ids });
    await seen.collect(sources);
    const intake = new MailIntake(options, { seen, quarantine, returned });
    for (const source of sources) if (source.isAnother) await intake.distrust(source);
    const reader = new FileMailboxReader(options, intake, sources);
    if (!cursor && isCursorMissing) await reader.#beginCursor();
    return reader;
  }

  unread(): Promise<readonly MailDelivery[]> {
    return this.#serial.run(async () => {
      // Segments that were read to their end are left to the poll for late lines.
      const sources = this.#sources.filter((source) => source === this.#live || !source.appearance);
      for (const source of sources) await this.#readOn(source);
      this.#queue.settle(this.#queue.skipped());
      this.#markLogs();
      return this.#queue.deliveries();
    });
  }

  acknowledge(upTo: MessageId): Promise<void> {
    return this.#serial.run(async () => {
      const settlement = this.#queue.upTo(upTo);
      await this.#settle(settlement);
      await this.#rotateIfDue();
    });
  }

  giveBack(upTo: MessageId): Promise<void> {
    return this.#serial.run(async () => {
      const settlement = this.#queue.upTo(upTo);
      await this.#options.check();
      const at = this.#options.clock.now().toISOString();
      const given = this.#queue.deliveriesIn(settlement).map(({ message: { id }, position }) => {
        return { id, ...position, reason: "its member has ended", text: "", at };
      });
      await this.#intake.addReturned(given);
      await this.#settle(settlement);
    });
  }

  withdraw(id: MessageId): Promise<boolean> {
    return this.#serial.run(async () => {
      const delivery = this.#queue.get(id);
      if (!delivery) return false;
      await this.#options.check();
      const at = this.#options.clock.now().toISOString();
      const reason = "its sender took it back";
      const record = { id, ...delivery.position, reason, text: "", at, withdrawn: true };
      await this.#intake.addReturned([record]);
      this.#queue.withdraw(id);
      await this.#settle(this.#queue.skipped());
      return true;
    });
  }

  onWake(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Tells the listeners that there may be mail. */
  wake(): void {
    // The log has just been written to, so its appearance need not be compared.
    this.#live.appearance = undefined;
    this.#listeners.emit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#options.onClose();
    await this.#serial.run(async () => this.#lateWatch.stop());
  }

  get #live(): MailSource {
    const live = this.#sources.at(-1);
    if (!live) throw new Error("A mailbox without a live log");
    return live;
  }

  get #segments(): MailSource[] {
    return this.#sources.slice(0, -1);
  }

  async #readOn(source: MailSource): Promise<void> {
    const isReplaced = (await this.#intake.read(source)) === "replaced";
    if (!isReplaced || source !== this.#live) return;
    // Somebody put another file in the place of the log: it is read whole, and nothing is skipped.
    const { path, generation } = source;
    const replacement = newSource({ path, generation: generation + 1, isAnother: true });
    await this.#intake.distrust(replacement);
    this.#options.head?.drop(generation);
    this.#sources = [...this.#segments, replacement];
    await this.#readOn(replacement);
  }

  async #settle(settlement: MailSettlement): Promise<void> {
    await this.#options.check();
    this.#queue.settle(settlement);
    try {
      await this.#saveCursor();
      this.#isCursorBehind = false;
    } catch (error) {
      // Settled mail is in the transcript or in the record of returned mail, and so is not
      // delivered again. The next settlement brings the cursor up to date.
      const { layout, onWarning } = this.#options;
      if (!this.#isCursorBehind) onWarning(`${layout.cursor} cannot be written: ${String(error)}`);
      this.#isCursorBehind = true;
    }
  }

  /** Records what was read from the logs, so that it is noticed if it is gone at the next start. */
  #markLogs(): void {
    const logs = this.#sources.map(({ generation, path, scanned }) => {
      return { generation, path, bytes: scanned.offset };
    });
    this.#options.head?.advance(logs);
  }

  /** Writes a cursor at the first start: if it is missing later, it was lost. */
  async #beginCursor(): Promise<void> {
    const { delivered, layout, onWarning } = this.#options;
    if (delivered.positions.length > 0) {
      return onWarning(`${layout.cursor} is missing. The transcript tells what was read`);
    }
    try {
      await this.#saveCursor();
    } catch (error) {
      onWarning(`${layout.cursor} cannot be written: ${String(error)}`);
    }
  }

  async #saveCursor(): Promise<void> {
    const { generation, settled, inode } = this.#live;
    await writeCursor(this.#options.layout.cursor, {
      generation,
      offset: settled.offset,
      ino: inode,
      anchor: hashAnchor(anchorOf(settled)),
      segments: this.#segments.map((segment) => {
        return { generation: segment.generation, offset: segment.settled.offset };
      }),
    });
  }

  /** The mail is settled by now: a rotation that fails is tried again at the next settlement. */
  async #rotateIfDue(): Promise<void> {
    const { path, settled } = this.#live;
    if (!this.#queue.isEmpty || settled.offset < this.#options.rotateBytes) return;
    try {
      // Somebody may be writing a line that has no newline yet, and would end it in the new log.
      if (await endsWithLine(path)) await this.#rotate();
    } catch (error) {
      this.#options.onWarning(`${path} could not be archived: ${String(error)}`);
    }
  }

  async #rotate(): Promise<void> {
    const { layout, historyBytes, onRotate } = this.#options;
    const live = this.#live;
    const path = await rotateLog(layout, live.generation);
    if (!path) return;

    const watchedUntilMs = this.#lateWatch.start();
    const segment: MailSource = { ...live, path, watchedUntilMs, appearance: undefined };
    const next = newSource({ path: layout.live, generation: live.generation + 1 });
    this.#sources = [...this.#usefulSegments(next.generation), segment, next];
    onRotate();
    createLog(layout);
    await this.#saveCursor();
    const dropped = await trimHistory(layout, historyBytes);
    this.#sources = this.#sources.filter(({ generation }) => !dropped.includes(generation));
    // A writer that had the log open may have added to it until the moment of the rename.
    await this.#readOn(segment);
    if (!this.#queue.isEmpty) this.wake();
  }

  /** The segments in which a line may still turn up, late or for the second time. */
  #usefulSegments(liveGeneration: number): MailSource[] {
    const nowMs = this.#options.clock.monotonicMs();
    return this.#segments.filter(({ generation, watchedUntilMs }) => {
      return generation >= liveGeneration - recentSegments || watchedUntilMs > nowMs;
    });
  }

  async #lookForLate(): Promise<void> {
    for (const segment of this.#segments) await this.#readOn(segment);
    const skipped = this.#queue.skipped();
    if (skipped.count > 0) await this.#settle(skipped);
    if (!this.#queue.isEmpty) return this.wake();
    // A writer's first copy of a line, in a rotated log, has been read by now, so its second copy
    // is recognised: the ids of old logs are no longer needed.
    this.#intake.forgetBefore(this.#live.generation - recentSegments);
  }
}
