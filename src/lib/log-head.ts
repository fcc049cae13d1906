import { closeSync, fstatSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { FilePath } from "./file-path.ts";
import { InPlaceFile, type InPlaceFileOptions } from "./in-place-file.ts";
import { openIfExistsSync } from "./open-files.ts";

/** The recorded end of a log: its length, and the CRC-32 of these bytes. */
export interface LogMark {
  readonly generation: number;
  readonly bytes: number;
  readonly crc: number;
}

/** A log with `bytes` bytes, or up to its end. */
export interface MarkedLog {
  generation: number;
  path: FilePath;
  bytes?: number | undefined;
}

/**
 * Records the ends of the newest logs of one kind outside the team directory, so that missing,
 * moved or changed lines are noticed. Anybody may write after a mark. Nothing here throws: a head
 * that is behind its logs does no harm.
 */
export class LogHead {
  readonly #file: InPlaceFile;
  #marks: readonly LogMark[];

  private constructor(file: InPlaceFile, marks: readonly LogMark[]) {
    this.#file = file;
    this.#marks = marks;
  }

  static async open(path: string, options: InPlaceFileOptions): Promise<LogHead> {
    const file = await InPlaceFile.open(path, options);
    const text = (await file.read()) ?? "";
    return new LogHead(file, [...text.matchAll(pattern)].map(toMark));
  }

  /** The marks of the newest generations, oldest first. */
  get marks(): readonly LogMark[] {
    return this.#marks;
  }

  /** Records the ends of these logs. The mark of a log that is shorter than it was is kept. */
  advance(logs: readonly MarkedLog[]): void {
    const moved = logs.flatMap((log) => {
      const mark = this.#marks.find(({ generation }) => generation === log.generation);
      const isKnown = mark && log.bytes !== undefined && log.bytes <= mark.bytes;
      return isKnown ? [] : (markAfter(log, mark) ?? []);
    });
    if (moved.length === 0) return;
    this.#replace(moved);
    this.#write();
  }

  /** Forgets a log that was replaced. */
  drop(generation: number): void {
    this.#marks = this.#marks.filter((mark) => mark.generation !== generation);
  }

  #replace(moved: readonly LogMark[]): void {
    const byGeneration = new Map([...this.#marks, ...moved].map((it) => [it.generation, it]));
    const sorted = [...byGeneration.values()].sort((a, b) => a.generation - b.generation);
    this.#marks = sorted.slice(-keptMarks);
  }

  #write(): void {
    const blank = " ".repeat(markLength);
    const texts = Array.from({ length: keptMarks }, (_, index) => {
      const mark = this.#marks[index];
      return mark ? toText(mark) : blank;
    });
    this.#file.write(texts.join(""));
  }
}

/** False if the log at `path` differs from `mark`. */
export function isAsMarked(path: FilePath, { bytes, crc }: LogMark): boolean {
  const found = crcOf(path, bytes, startOfLog);
  return found === undefined ? bytes === 0 : found.bytes === bytes && found.crc === crc;
}

/** The mark of `log`, continued from an earlier one; undefined if the log is not longer. */
function markAfter(log: MarkedLog, earlier: LogMark | undefined): LogMark | undefined {
  const { generation, path, bytes } = log;
  const found = crcOf(path, bytes, earlier ?? startOfLog);
  const isShort = !found || found.bytes < (bytes ?? 0) || found.bytes <= (earlier?.bytes ?? -1);
  return isShort ? undefined : { generation, ...found };
}

type MarkedBytes = Pick<LogMark, "bytes" | "crc">;

/**
 * The CRC-32 of the first `bytes` of a file, or of all of it, continued from `start`; undefined if
 * the file is missing. Synchronous: nearly always little is read, which was just written.
 */
function crcOf(
  path: FilePath,
  bytes: number | undefined,
  start: MarkedBytes,
): MarkedBytes | undefined {
  const descriptor = openIfExistsSync(path);
  if (descriptor === undefined) return undefined;
  try {
    const end = bytes ?? fstatSync(descriptor).size;
    let { bytes: position, crc } = start;
    while (position < end) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
      const read = readSync(descriptor, buffer, 0, buffer.length, position);
      if (read === 0) break;
      crc = crc32(buffer.subarray(0, read), crc);
      position += read;
    }
    return { bytes: position, crc };
  } finally {
    closeSync(descriptor);
  }
}

const startOfLog: MarkedBytes = { bytes: 0, crc: 0 };

/** The live log and the two before it, in which a late line may still turn up. */
const keptMarks = 3;
const chunkBytes = 256 * 1024;
const pattern = / {0,14}(\d{1,15}) {1,15}(\d{1,15}) ([0-9a-f]{8});/g;
const markLength = 15 + 1 + 15 + 1 + 8 + 1;

function toText({ generation, bytes, crc }: LogMark): string {
  const numbers = [generation, bytes].map((number) => String(number).padStart(15)).join(" ");
  return `${numbers} ${crc.toString(16).padStart(8, "0")};`;
}

function toMark([, generation, bytes, crc = ""]: RegExpExecArray): LogMark {
  return { generation: Number(generation), bytes: Number(bytes), crc: Number.parseInt(crc, 16) };
}
