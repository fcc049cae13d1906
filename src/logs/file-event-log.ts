import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { HeldFiles } from "../lib/held-files.ts";
import { appendLines, toLines } from "../lib/json-lines.ts";
import { Listeners } from "../lib/listeners.ts";
import type { AgentEvent, StoredEvent } from "../protocol/events.ts";
import type { MessageId } from "../protocol/ids.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import type { EventLog, FollowLogOptions } from "./event-log.ts";
import { FileEventReader } from "./file-event-reader.ts";
import { RotatingFile } from "./rotating-file.ts";

export interface FileEventLogOptions {
  path: FilePath;
  clock: Clock;
  /** Keeps the log open from one event to the next. */
  files?: HeldFiles;
  maxBytes?: number;
  keptSegments?: number;
}

/** The events of a team in `events.jsonl` and the segments in `.events/`, as its only writer. */
export class FileEventLog implements EventLog {
  readonly #file: RotatingFile;
  readonly #reader: FileEventReader;
  readonly #clock: Clock;
  readonly #joiner: DeltaJoiner;
  readonly #wakes = new Listeners<void>();
  #lastSeq = 0;
  #lost = 0;

  private constructor(path: FilePath, file: RotatingFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#joiner = new DeltaJoiner(clock, (event) => this.#store(event));
    const wakes = { subscribe: (_: string, wake: () => void) => this.#wakes.add(wake) };
    this.#reader = new FileEventReader({ path, wakes });
  }

  static async open(options: FileEventLogOptions): Promise<FileEventLog> {
    const { path, clock, maxBytes = 8 * 1024 * 1024, keptSegments = 4, files } = options;
    const file = await RotatingFile.open({ path, maxBytes, keptSegments, header: () => "", files });
    // Ends a torn line before the numbers are read: it may be an event that lacks its newline.
    appendLines(path, "");
    const log = new FileEventLog(path, file, clock);
    log.#lastSeq = await log.#reader.lastSeq();
    return log;
  }

  append(event: AgentEvent): void {
    this.#joiner.push(event);
  }

  sentMessages(ids: ReadonlySet<MessageId>, since: Date): Promise<Set<MessageId>> {
    return this.#reader.sentMessages(ids, since);
  }

  async flush(): Promise<void> {
    this.#joiner.flush();
  }

  async lastSeq(): Promise<number> {
    return this.#reader.lastSeq();
  }

  follow(options: FollowLogOptions): AsyncGenerator<StoredEvent> {
    return this.#reader.follow(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }

  /**
   * A number is used once, whether its event is stored or not, so that a lost event leaves a gap.
   */
  #store(event: AgentEvent): void {
    const events = this.#lost > 0 ? [this.#lossWarning(), event] : [event];
    const numbered = events.map((each) => {
      this.#lastSeq += 1;
      return { ...each, seq: this.#lastSeq };
    });
    try {
      this.#file.append(toLines(numbered));
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#lost += 1;
      return;
    }
    this.#lost = 0;
    this.#wakes.emit();
  }

  #lossWarning(): AgentEvent {
    return {
      type: "warning",
      at: this.#clock.now().toISOString(),
      message: `${this.#lost} events could not be stored and are missing here`,
      hint: "Check that the disk has space. Messages, tasks and transcripts are not affected.",
    };
  }
}
