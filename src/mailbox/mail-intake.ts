import type { Signature } from "../keys/signature.ts";
import { appearanceOf } from "../lib/appearance.ts";
import type { Clock } from "../lib/clock.ts";
import type { FileLine } from "../lib/line-reader.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import { type DecodedPart, decodeLine } from "./mail-line.ts";
import { MailQueue } from "./mail-queue.ts";
import { type MailMark, markAfter, openLog, ownMark } from "./mail-scanner.ts";
import type { MailSource } from "./mail-source.ts";
import type { MailboxReaderOptions, SetAsideLine } from "./mailbox.ts";
import type { SeenIds } from "./seen-ids.ts";
import type { SideLog, SideRecord } from "./side-log.ts";

export interface MailIntakeOptions extends MailboxReaderOptions {
  owner: MemberName;
  signature: Signature;
  clock: Clock;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
  /** Called with a problem that does not stop the reading, such as a write that is tried again. */
  onWarning(message: string): void;
}

interface IntakeRecords {
  seen: SeenIds;
  quarantine: SideLog;
  returned: SideLog;
}

/** Takes a mailbox's lines into memory: each message once; other lines are set aside. */
export class MailIntake {
  readonly queue = new MailQueue();
  readonly #options: MailIntakeOptions;
  readonly #seen: SeenIds;
  readonly #quarantine: SideLog;
  readonly #returned: SideLog;

  constructor(options: MailIntakeOptions, { seen, quarantine, returned }: IntakeRecords) {
    this.#options = options;
    this.#seen = seen;
    this.#quarantine = quarantine;
    this.#returned = returned;
  }

  /**
   * Takes lines into the queue until it is full, or the log has no more. Resolves to "replaced",
   * and takes nothing, if the file is not the one that was read before.
   */
  async read(source: MailSource): Promise<"replaced" | undefined> {
    if (this.queue.isFull) return undefined;
    const { path } = source;
    if (source.appearance && source.appearance === appearanceOf(path)) return undefined;
    const log = await openLog(path, source.scanned);
    if (log === "replaced") return log;
    if (!log) return undefined;
    await using _ = log;
    source.inode = log.inode;
    for await (const lines of log.lines) {
      await this.#takeAll(source, lines, log.modified);
      source.scanned = ownMark(source.scanned);
      if (this.queue.isFull) return undefined;
    }
    source.appearance = log.appearance;
    return undefined;
  }

  async #takeAll(source: MailSource, lines: FileLine[], modified: Date): Promise<void> {
    const { generation } = source;
    const { owner, signature } = this.#options;
    const options = { owner, generation, signature, modified };
    for (const line of lines) {
      if (this.queue.isFull) return;
      const parts = decodeLine(line, options);
      // Nearly all lines are one new message, and those need no waiting.
      const [part] = parts;
      const isNew = line.end > source.againUpTo && parts.length === 1;
      if (isNew && part?.type === "message" && this.#isPlainlyNew(part.message.id)) {
        this.#deliver(source, line, { message: part.message, mark: markAfter(line) });
      } else {
        await this.#take(source, line, parts);
      }
    }
  }

  async #take(source: MailSource, line: FileLine, parts: DecodedPart[]): Promise<void> {
    const lineEnd = markAfter(line);
    for (const [index, part] of parts.entries()) {
      // Only the last part of a line moves the cursor: the others are read again with it.
      const mark = index === parts.length - 1 ? lineEnd : source.scanned;
      if (part.type === "set-aside") {
        const position = { generation: source.generation, offset: mark.offset };
        await this.#setAside({ ...part, position });
      } else if (
        !(await this.#isSeen(part.message.id)) &&
        this.#isWanted(part.message, line, source)
      ) {
        this.#deliver(source, line, { message: part.message, mark });
      }
    }
    this.queue.pass(source, lineEnd);
  }

  #deliver(
    source: MailSource,
    line: FileLine,
    { message, mark }: { message: Message; mark: MailMark },
  ) {
    const { generation } = source;
    const delivery = { message, position: { generation, offset: mark.offset } };
    this.#seen.add(generation, message.id);
    this.queue.push({ source, mark, delivery, bytes: line.bytes.length });
    if (mark.offset === line.end) source.scanned = mark;
  }

  #isPlainlyNew(id: MessageId): boolean {
    return !this.#returned.has(id) && this.#seen.isPlainlyNew(id);
  }

  /** False for mail that was acknowledged before and need not be delivered again. */
  #isWanted(message: Message, { end }: FileLine, { againUpTo }: MailSource): boolean {
    return end > againUpTo || this.#options.delivered.lost?.isWanted(message) === true;
  }

  async #isSeen(id: MessageId): Promise<boolean> {
    return this.#returned.has(id) || (await this.#seen.has(id));
  }

  async #setAside({ id, reason, text, position }: SetAsideLine): Promise<void> {
    if (this.#quarantine.has(id)) return;
    await this.#options.check();
    const at = this.#options.clock.now().toISOString();
    await this.#quarantine.add([{ id, ...position, reason, text, at }]);
    this.#options.onSetAside({ id, reason, text, position });
  }

  /** Prepares for a log that may contain anything that was read before. */
  async distrust({ path }: MailSource): Promise<void> {
    const { delivered, onWarning } = this.#options;
    this.#seen.remember((await delivered.earlier?.()) ?? []);
    onWarning(
      `${path} was replaced, shortened or damaged since it was last read. It is read from the start; mail that its member has seen is not delivered again.`,
    );
  }

  /** Records messages that are given back, so that they are not delivered again. */
  addReturned(records: readonly SideRecord[]): Promise<void> {
    return this.#returned.add(records);
  }

  /** Forgets the ids of logs before `generation`; they can still be looked up. */
  forgetBefore(generation: number): void {
    this.#seen.forgetBefore(generation);
  }
}
