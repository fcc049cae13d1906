import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { type FileHandle, rm } from "node:fs/promises";
import { join } from "node:path";
import { locationOf } from "../lib/file-path.ts";
import { ensurePrivateDirectory, listNames, removeFile, replaceFile } from "../lib/files.ts";
import { makeFile } from "../lib/open-files.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import type { Secrets } from "../lib/secrets.ts";
import { maxOutputCharacters, OutputCapture } from "./output-capture.ts";

const mebibyte = 2 ** 20;

export interface OutputFilesOptions {
  directory: string;
  /** The secrets that are masked in all output: in files, for the model and for observers. */
  secrets: Secrets;
  maxFileBytes?: number;
  maxTotalBytes?: number;
}

/**
 * All output of tools passes through this: it masks secrets, cuts what is too long for a model, and
 * keeps the whole in a file. There is one for the team; the total size of its files is bounded, and
 * the oldest are deleted first.
 */
export class OutputFiles {
  readonly directory: string;
  readonly secrets: Secrets;
  readonly #maxFileBytes: number;
  readonly #maxTotalBytes: number;
  readonly #openNames = new Set<string>();

  constructor(options: OutputFilesOptions) {
    this.directory = options.directory;
    this.secrets = options.secrets;
    this.#maxFileBytes = options.maxFileBytes ?? 256 * mebibyte;
    this.#maxTotalBytes = options.maxTotalBytes ?? 1024 * mebibyte;
  }

  /** For output that arrives in pieces. `name` becomes part of the file's name, if there is one. */
  capture(name: string, onOutput: (text: string) => void): OutputCapture {
    return new OutputCapture({ files: this, name, onOutput });
  }

  /** For a whole text: the text itself, or its beginning and end and the path of the file. */
  async capOutput(text: string, name: string): Promise<string> {
    const masked = this.secrets.mask(text);
    if (masked.length <= maxOutputCharacters) return masked;
    const capture = this.capture(name, () => {});
    await capture.push(masked);
    await capture.end();
    return capture.text();
  }

  /** Keeps bytes that are no text in a file, and returns its path; undefined for more than a file may have. */
  async keepBytes(name: string, bytes: Uint8Array): Promise<string | undefined> {
    if (bytes.length > this.#maxFileBytes) return undefined;
    const fileName = `${safeName(name)}-${randomUUID().slice(0, 8)}.bin`;
    await ensurePrivateDirectory(this.directory);
    using held = OwnDirectory.open(this.directory);
    await this.#makeRoom(held);
    await replaceFile(held.to(fileName), bytes);
    return join(this.directory, fileName);
  }

  /** Begins a file that no other call writes to. */
  async create(name: string): Promise<OutputFile> {
    const fileName = `${safeName(name)}-${randomUUID().slice(0, 8)}.txt`;
    const path = join(this.directory, fileName);
    await ensurePrivateDirectory(this.directory);
    using held = OwnDirectory.open(this.directory);
    await this.#makeRoom(held);
    const handle = await makeFile(held.to(fileName));
    this.#openNames.add(fileName);
    const onClose = () => this.#openNames.delete(fileName);
    return new OutputFile({ path, handle, maxBytes: this.#maxFileBytes, onClose });
  }

  async #makeRoom(held: OwnDirectory): Promise<void> {
    const files = await this.#closedFiles(held);
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total + this.#maxFileBytes <= this.#maxTotalBytes) return;
      await removeFile(path);
      total -= size;
    }
  }

  async #closedFiles(held: OwnDirectory) {
    const files = [];
    for (const name of await listNames(held.to())) {
      if (!/\.(txt|bin)$/.test(name) || this.#openNames.has(name)) continue;
      const path = held.to(name);
      const found = lstatSync(locationOf(path), { throwIfNoEntry: false });
      // Another call may have made room meanwhile.
      if (found?.isFile()) files.push({ path, size: found.size, mtimeMs: found.mtimeMs });
    }
    return files;
  }
}

/** The whole of one call's output, up to the bound of a file. */
export class OutputFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #maxBytes: number;
  readonly #onClose: () => void;
  #bytes = 0;

  constructor(options: { path: string; handle: FileHandle; maxBytes: number; onClose(): void }) {
    this.path = options.path;
    this.#handle = options.handle;
    this.#maxBytes = options.maxBytes;
    this.#onClose = options.onClose;
  }

  /** How much is in the file, if it is not all; undefined if it is. */
  get keptBytes(): number | undefined {
    return this.#bytes > this.#maxBytes ? this.#maxBytes : undefined;
  }

  async write(text: string): Promise<void> {
    const room = this.#maxBytes - this.#bytes;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    if (room > 0) await this.#handle.writeFile(bytes.subarray(0, room));
  }

  async close(): Promise<void> {
    this.#onClose();
    await this.#handle.close();
  }

  /** Deletes a file that could not be written whole: it may fill the disk. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }
}

function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60) || "output";
}
