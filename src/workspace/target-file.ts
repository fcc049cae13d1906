import { randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { hasErrno, onErrno } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import type { Directory } from "./directory.ts";
import { openRegularFile, readWhole } from "./regular-file.ts";

const { O_CREAT, O_EXCL, O_RDWR, O_WRONLY } = constants;
const permissionBits = 0o777;
/** Before the umask, as for every file that a program creates. */
const newFileMode = 0o666;

/** A file as it was at one moment. */
export interface FileVersion {
  readonly content: Buffer;
  readonly stats: BigIntStats;
}

/** A file that is to be written, existing or not: a name in a directory that is held open. */
export class TargetFile implements AsyncDisposable {
  readonly #directory: Directory;
  readonly #name: string;

  constructor(directory: Directory, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  /** Undefined if there is no such file. Throws if it could not be written anyway. */
  async read(): Promise<FileVersion | undefined> {
    const file = await openRegularFile(this.#directory, this.#name, O_RDWR);
    if (!file) return undefined;
    await using _ = closing(file.handle);
    return { content: await readWhole(file.handle, file.path), stats: file.stats };
  }

  /**
   * Replaces `old` by `content`, with its permissions, or creates the file if `old` is undefined.
   * Others see the old file or the new one, never a part. False, without any change, if the file is
   * no longer `old`.
   */
  async replace(old: FileVersion | undefined, content: Buffer): Promise<boolean> {
    const temporary = `.troupe-${randomUUID()}.tmp`;
    let isMoved = false;
    try {
      await this.#write(temporary, { content, old: old?.stats });
      if (!(await this.#isStill(old))) return false;
      if (!old) return await this.#create(temporary);
      await this.#directory.rename(temporary, this.#name);
      isMoved = true;
      return true;
    } finally {
      if (!isMoved) await this.#directory.remove(temporary);
    }
  }

  /** Removes the file. False, without any change, if it is no longer `old`. */
  async remove(old: FileVersion): Promise<boolean> {
    if (!(await this.#isStill(old))) return false;
    await this.#directory.remove(this.#name);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }

  async #write(
    temporary: string,
    { content, old }: { content: Buffer; old: BigIntStats | undefined },
  ): Promise<void> {
    const mode = old ? Number(old.mode) & permissionBits : newFileMode;
    const file = await this.#directory.openFile(
      temporary,
      O_WRONLY | O_CREAT | O_EXCL,
      old ? mode & 0o600 : mode,
    );
    await using _ = closing(file);
    await file.writeFile(content);
    if (!old) return;
    await giveTo(file, old);
    await file.chmod(mode);
  }

  async #isStill(old: FileVersion | undefined): Promise<boolean> {
    const stats = await this.#directory.stat(this.#name);
    if (!old || !stats) return !old && !stats;
    const { dev, ino, size, mtimeNs, ctimeNs } = old.stats;
    return (
      stats.dev === dev &&
      stats.ino === ino &&
      stats.size === size &&
      stats.mtimeNs === mtimeNs &&
      stats.ctimeNs === ctimeNs
    );
  }

  async #create(temporary: string): Promise<boolean> {
    try {
      // link, not rename: rename would replace a file that another process has just made.
      await this.#directory.link(temporary, this.#name);
      return true;
    } catch (error) {
      if (hasErrno(error, "EEXIST")) return false;
      // On file systems without links, as on memory cards, there is no better way.
      if (!hasErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP")) throw error;
      await this.#directory.rename(temporary, this.#name);
      return true;
    }
  }
}

/** Keeps owner and group as far as this process may. */
async function giveTo(file: FileHandle, { uid, gid }: BigIntStats): Promise<void> {
  const own = await file.stat({ bigint: true });
  if (own.uid === uid && own.gid === gid) return;
  await file.chown(Number(uid), Number(gid)).catch(onErrno(undefined, "EPERM"));
}
