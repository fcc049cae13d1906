import { mkdirSync, renameSync, rmSync } from "node:fs";
import { hasErrno } from "../errors.ts";
import { atSync, type FilePath, parentOf, sizeOf } from "../lib/file-path.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { HeldFiles } from "../lib/held-files.ts";
import { appendLines, writeFailed } from "../lib/json-lines.ts";
import { listSegments, segmentPath, sideDirectory } from "../lib/segments.ts";

export interface RotatingFileOptions {
  path: FilePath;
  /** A file that has grown to this size is set aside before the next append. */
  maxBytes: number;
  keptSegments: number;
  /** The lines that every new file begins with, written together with those that follow. */
  header(): string;
  /** Keeps the file open from one append to the next. */
  files?: HeldFiles | undefined;
}

/**
 * A JSON Lines file with one writer, bounded by rotation: `events.jsonl` is renamed to
 * `.events/000017.jsonl` and a new one begins. The live file's generation is the highest number
 * + 1. Rotation is that one rename, so a writer that dies leaves no half-made one.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  readonly #directory: FilePath;
  readonly #segments: number[];

  private constructor(options: RotatingFileOptions, segments: number[]) {
    this.#options = options;
    this.#directory = sideDirectory(options.path);
    this.#segments = segments;
  }

  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    await ensurePrivateDirectory(parentOf(options.path));
    return new RotatingFile(options, await listSegments(sideDirectory(options.path)));
  }

  /** The number that the live file gets when it is set aside. */
  get generation(): number {
    return (this.#segments.at(-1) ?? 0) + 1;
  }

  /** Appends `lines` as `appendLines` does; when it throws, none of them is stored. */
  append(lines: string): void {
    const { path, maxBytes, header, files } = this.#options;
    const size = sizeOf(path);
    if (size >= maxBytes) this.#rotate();
    const isNew = size === 0 || size >= maxBytes;
    appendLines(path, isNew ? header() + lines : lines, files);
  }

  #move(path: FilePath, segment: FilePath): void {
    atSync(this.#directory, makeDirectory);
    atSync(path, (from) => atSync(segment, (to) => renameSync(from, to)));
  }

  #rotate(): void {
    const { path, keptSegments } = this.#options;
    const number = this.generation;
    try {
      this.#move(path, segmentPath(this.#directory, number));
      this.#segments.push(number);
      for (const dropped of this.#segments.splice(0, this.#segments.length - keptSegments)) {
        atSync(segmentPath(this.#directory, dropped), (it) => rmSync(it, { force: true }));
      }
    } catch (error) {
      throw writeFailed(path, error);
    }
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!hasErrno(error, "EEXIST")) throw error;
  }
}
