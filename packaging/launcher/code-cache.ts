import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import type { Script } from "node:vm";
import { crc32 } from "node:zlib";

export interface CodeCachePlace {
  env: NodeJS.ProcessEnv;
  home: string;
  /** Undefined if files have no owners. */
  uid: number | undefined;
  /** The code and the command that the cache is for. Part of a file's name. */
  name: string;
}

/** Enough for all commands of one version, or the usual ones of several versions. */
const maxFiles = 24;
const checksumBytes = 4;

/**
 * Compiled code of the program, stored for the next start. A person who can write it can run code
 * as this user, so it is read only if nobody else can write it. It is optional, so its failures are
 * not reported.
 */
export class CodeCache {
  /** Why nothing is read or written, if so. */
  readonly refusal: string | undefined;
  readonly #directory: string;
  readonly #path: string;
  readonly #uid: number | undefined;
  #kept: Kept | undefined;

  constructor({ env, home, uid, name }: CodeCachePlace) {
    const { XDG_CACHE_HOME: base } = env;
    this.#directory = join(base && isAbsolute(base) ? base : join(home, ".cache"), "troupe");
    const made = [name, process.version, process.arch, cachedDataVersionTag().toString(16)];
    this.#path = join(this.#directory, `code-${made.join("-")}.cache`);
    this.#uid = uid;
    this.refusal = env.TROUPE_NO_CODE_CACHE ? "TROUPE_NO_CODE_CACHE is set" : this.#unsafe();
  }

  /**
   * The stored code of one script. Undefined if there is none that can be trusted, by its owner and
   * its checksum.
   */
  read(script: string): Buffer | undefined {
    this.#kept ??= this.#readAll();
    return this.#kept.get(script);
  }

  #readAll(): Kept {
    const file = this.refusal === undefined ? this.#readFile() : undefined;
    return file ? partsOf(file) : new Map();
  }

  #readFile(): Buffer | undefined {
    try {
      const descriptor = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const stats = fstatSync(descriptor);
        return stats.isFile() && this.#isOwn(stats) ? checked(readFileSync(descriptor)) : undefined;
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return undefined;
    }
  }

  /** Stores the compiled code of these scripts, and keeps that of others. */
  write(scripts: ReadonlyMap<string, Script>): void {
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      if (this.#unsafe() !== undefined) return;
      const kept = new Map(this.#kept);
      for (const [name, script] of scripts) kept.set(name, script.createCachedData());
      writeFileSync(temporary, fileOf(kept), { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.#path);
      this.#removeOldest();
    } catch {
      remove(temporary);
    }
  }

  #unsafe(): string | undefined {
    if (this.#uid === undefined) return "files have no owners here";
    try {
      const stats = lstatSync(this.#directory);
      if (!stats.isDirectory()) return "its place is no directory";
      return this.#isOwn(stats) ? undefined : "its directory is not this user's alone";
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      return isMissing ? undefined : "its directory cannot be read";
    }
  }

  #isOwn({ uid, mode }: Stats): boolean {
    return uid === this.#uid && (mode & 0o022) === 0;
  }

  #removeOldest(): void {
    const names = readdirSync(this.#directory).filter((name) => /^code-.*(cache|tmp)$/.test(name));
    const files = names.map((name) => join(this.#directory, name));
    const byAge = files.map((path) => ({ path, madeMs: statSync(path).mtimeMs }));
    byAge.sort((a, b) => b.madeMs - a.madeMs);
    for (const { path } of byAge.slice(maxFiles)) remove(path);
  }
}

/** Compiled code by the name of its script. */
type Kept = ReadonlyMap<string, Buffer>;

/** A line of JSON with names and lengths, then the code, then a checksum of everything. */
function fileOf(kept: Kept): Buffer {
  const lengths = [...kept].map(([name, data]) => [name, data.length]);
  const head = Buffer.from(`${JSON.stringify(lengths)}\n`);
  const content = Buffer.concat([head, ...kept.values()]);
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(content));
  return Buffer.concat([content, checksum]);
}

function partsOf(content: Buffer): Kept {
  const headEnd = content.indexOf("\n");
  const lengths: [string, number][] = JSON.parse(content.toString("utf8", 0, headEnd));
  const kept = new Map<string, Buffer>();
  let at = headEnd + 1;
  for (const [name, length] of lengths) {
    kept.set(name, content.subarray(at, at + length));
    at += length;
  }
  return kept;
}

/** V8 accepts damaged data, and may crash on it. */
function checked(file: Buffer): Buffer | undefined {
  if (file.length <= checksumBytes) return undefined;
  const data = file.subarray(0, -checksumBytes);
  return crc32(data) === file.readUInt32LE(data.length) ? data : undefined;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process was faster, or nothing was written.
  }
}
