import { z } from "zod";
import { closing } from "../lib/closing.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { imageLimits } from "../lib/image.ts";
import { chunksOf, maxWholeBytes, type OpenFile, readWhole } from "../workspace/regular-file.ts";
import type { SeenFiles } from "../workspace/seen-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { answer } from "./files/answer.ts";
import { byteOrderMark, kindOf } from "./files/content.ts";
import { outputRoom } from "./files/output-room.ts";
import { defineTool, failure, success, type Tool, type ToolOutput } from "./tool.ts";

const defaultLimit = 2000;
/** How much of a large file is read after the lines shown, only to count those left. */
const maxCountedBytes = 64 * 1024 * 1024;

interface LineRange {
  offset: number;
  limit: number;
}

const ReadFileInput = z.object({
  path: z.string(),
  offset: z.int().min(1).describe("First line, from 1").optional(),
  limit: z.int().min(1).describe("Lines, 2000 by default").optional(),
});

export function readFileTool(options: { workspace: Workspace; seenFiles: SeenFiles }): Tool {
  return defineTool({
    name: "read_file",
    description: "Read a text file or an image. Long files come in parts.",
    input: ReadFileInput,
    action: ({ path }) => ({ type: "read", path }),
    run: ({ path, offset = 1, limit = defaultLimit }, { signal }) =>
      answer(path, async () => {
        const file = await options.workspace.openFile(path);
        if (!file) return failure(`Error: ${path} does not exist. Look for it with glob.`);
        await using _ = closing(file.handle);
        const reading = { path, file, lines: { offset, limit } };
        return file.stats.size > maxWholeBytes
          ? await readLarge(reading, signal)
          : await readSmall(reading, options.seenFiles);
      }),
  });
}

interface FileReading {
  path: string;
  file: OpenFile;
  lines: LineRange;
}

async function readSmall(
  { path, file, lines }: FileReading,
  seenFiles: SeenFiles,
): Promise<ToolOutput> {
  const content = await readWhole(file.handle, path);
  const output = show(path, content, lines);
  // The member does not know text that was not shown, and so must not replace the file.
  if (!output.isError) seenFiles.note(file.path, content);
  return output;
}

function show(path: string, content: Buffer, lines: LineRange): ToolOutput {
  if (content.length === 0) return success(`(${path} is empty)`);
  const kind = kindOf(content);
  if (kind.type === "image") return showImage(path, kind.mediaType, content);
  if (kind.type !== "text") return notText(path, kind.type, content.length);
  const window = windowOf(lines);
  window.push(content);
  return showLines(path, window, lines);
}

/** Reads no more than necessary, and holds no more than it shows. */
async function readLarge(
  { path, file: { handle, stats }, lines }: FileReading,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const window = windowOf(lines);
  let isFirst = true;
  let counted = 0;
  for await (const chunk of chunksOf(handle)) {
    const kind = isFirst ? kindOf(chunk).type : "text";
    if (kind !== "text") return notText(path, kind, Number(stats.size));
    isFirst = false;
    if (window.isFull) counted += chunk.length;
    if (counted > maxCountedBytes) return showLines(path, window, { ...lines, isCountCut: true });
    if (signal.aborted) return failure(`Error: Reading ${path} was stopped.`);
    window.push(chunk);
  }
  return showLines(path, window, lines);
}

function windowOf({ offset, limit }: LineRange): LineWindow {
  return new LineWindow({ skip: offset - 1, maxLines: limit, maxCharacters: outputRoom });
}

function showLines(
  path: string,
  window: LineWindow,
  { offset, isCountCut }: LineRange & { isCountCut?: boolean },
): ToolOutput {
  const { lineCount } = window;
  if (offset > lineCount) return failure(`Error: ${path} has only ${lineCount} lines.`);
  const { text, linesLeft } = window.finish();
  const shown = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  if (linesLeft === 0) return success(shown);
  const separator = shown.endsWith("\n") ? "" : "\n";
  return success(`${shown}${separator}... (${isCountCut ? "at least " : ""}${linesLeft} more)`);
}

function showImage(path: string, mediaType: string, content: Buffer): ToolOutput {
  const about = `${path} (${mediaType}, ${content.length} bytes)`;
  if (content.length > imageLimits.bytes) {
    return failure(`Error: Image ${about} is too large to be shown. Make it smaller first.`);
  }
  const image = { media_type: mediaType, data: content.toString("base64") };
  return { ...success(`Image ${about}`), images: [image] };
}

function notText(path: string, kind: "utf-16" | "binary" | "image", size: number): ToolOutput {
  if (kind === "image") return failure(`Error: Image ${path} (${size} bytes) is too large.`);
  return failure(
    kind === "utf-16"
      ? `Error: ${path} is UTF-16 text (${size} bytes). Convert it to UTF-8 with a command, such as iconv.`
      : `Error: ${path} is a binary file (${size} bytes). Look at it, or change it, with a command that knows its format.`,
  );
}

const newline = 0x0a;
const maxLineCharacters = 10_000;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const maxLineBytes = maxLineCharacters * 3;

interface WindowOptions {
  /** How many lines to leave out at the beginning. */
  skip: number;
  maxLines: number;
  maxCharacters: number;
}

/** The lines of a file from one on, as many as fit, taken from its bytes as they arrive. */
class LineWindow {
  readonly #options: WindowOptions;
  readonly #shown: string[] = [];
  #characters = 0;
  #isFull = false;
  /** The number of complete lines. */
  #ended = 0;
  /** The incomplete line: the part that is kept of it, and its length. */
  #kept: Buffer[] = [];
  #length = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** True if no later line would be shown. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** How many lines there have been. */
  get lineCount(): number {
    return this.#ended + (this.#length > 0 ? 1 : 0);
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine("\n");
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  /** The text shown, once everything was pushed; and how many lines follow it. */
  finish(): { text: string; linesLeft: number } {
    if (this.#length > 0) this.#endLine("");
    const linesLeft = this.#ended - this.#options.skip - this.#shown.length;
    return { text: this.#shown.join(""), linesLeft: Math.max(0, linesLeft) };
  }

  #append(piece: Buffer): void {
    const kept = Math.min(this.#length, maxLineBytes);
    const isShown = !this.#isFull && this.#ended >= this.#options.skip;
    if (isShown && kept < maxLineBytes) this.#kept.push(piece.subarray(0, maxLineBytes - kept));
    this.#length += piece.length;
  }

  #endLine(terminator: string): void {
    if (!this.#isFull && this.#ended >= this.#options.skip) this.#show(terminator);
    this.#ended++;
    this.#kept = [];
    this.#length = 0;
  }

  #show(terminator: string): void {
    const line = cutLine(Buffer.concat(this.#kept), this.#length) + terminator;
    this.#isFull = this.#characters + line.length > this.#options.maxCharacters;
    if (this.#isFull) return;
    this.#shown.push(line);
    this.#characters += line.length;
    this.#isFull = this.#shown.length >= this.#options.maxLines;
  }
}

function cutLine(kept: Buffer, length: number): string {
  const text = kept.toString("utf8");
  if (text.length <= maxLineCharacters && kept.length === length) return text;
  const shown = firstCharacters(text, maxLineCharacters);
  return `${shown} ... (${length - Buffer.byteLength(shown)} more bytes in this line)`;
}
