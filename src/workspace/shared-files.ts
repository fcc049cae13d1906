import { lstat } from "node:fs/promises";
import { relative } from "node:path";
import { onErrno } from "../errors.ts";
import { contains } from "../lib/contains.ts";
import type { MemberName } from "../protocol/ids.ts";

/** More files of others are not looked at for one command. */
const maxFiles = 256;

/** What a member works with in a directory that others may work in, too. */
interface MemberAtWork {
  readonly name: MemberName;
  /** Its workspace, as a real path. */
  readonly root: string;
  /** The files that it has read or written in its run, by real path, each with the moment of the last time. */
  readonly files: Map<string, number>;
}

/** A file of others that has changed while a command ran. */
export interface DisturbedFile {
  /** Relative to the workspace of whom it concerns. */
  path: string;
  /** Who has read or written it in its current run. */
  member: MemberName;
}

/**
 * Who works in which directory, and with which files, so that members of one directory learn of changes that a
 * command of another one makes. Only this process knows it.
 */
export class SharedFiles {
  readonly #members = new Map<MemberName, MemberAtWork>();
  #moment = 0;

  /** Called when a member begins to work in a directory: it has no files yet. */
  join(name: MemberName, root: string): void {
    this.#members.set(name, { name, root, files: new Map() });
  }

  /** Called when it works there no more. */
  leave(name: MemberName): void {
    this.#members.delete(name);
  }

  /** Called for each file that a member is shown, or has written. */
  touch(name: MemberName, real: string): void {
    const files = this.#members.get(name)?.files;
    if (!files) return;
    files.delete(real);
    files.set(real, ++this.#moment);
    const [oldest] = files.keys();
    if (files.size > maxFiles && oldest !== undefined) files.delete(oldest);
  }

  /** Called when a run of a member ends. */
  endRun(name: MemberName): void {
    this.#members.get(name)?.files.clear();
  }

  /** True while another member works in the same directory, or in one around it or in it. */
  isShared(name: MemberName): boolean {
    return this.#othersOf(name).length > 0;
  }

  /**
   * Called before a command of a member. What it returns is called after it, and resolves to the files of others that
   * have changed meanwhile. Each is named once: until its member has been shown it again, or has written it.
   */
  async beforeCommand(name: MemberName): Promise<() => Promise<DisturbedFile[]>> {
    const moment = this.#moment;
    const before = await this.#look(name);
    return async () => {
      const changed: DisturbedFile[] = [];
      for (const [real, state] of before) {
        if (this.#isTouchedSince(moment, real) || (await stateOf(real)) === state) continue;
        for (const { name: member, root, files } of this.#othersOf(name)) {
          if (files.delete(real)) changed.push({ path: relative(root, real), member });
        }
      }
      return changed;
    };
  }

  /** The files of others, the latest ones first, as they are now. */
  async #look(name: MemberName): Promise<Map<string, string>> {
    const files = this.#othersOf(name).flatMap((other) => [...other.files]);
    const latest = files.sort(([, a], [, b]) => b - a).map(([real]) => real);
    const looked = [...new Set(latest)].slice(0, maxFiles);
    return new Map(
      await Promise.all(looked.map(async (real) => [real, await stateOf(real)] as const)),
    );
  }

  /** A tool has changed it, or somebody has been shown it as it is now. */
  #isTouchedSince(moment: number, real: string): boolean {
    return [...this.#members.values()].some(({ files }) => (files.get(real) ?? 0) > moment);
  }

  #othersOf(name: MemberName): MemberAtWork[] {
    const own = this.#members.get(name);
    if (!own) return [];
    return [...this.#members.values()].filter(
      (other) =>
        other !== own && (contains(own.root, other.root) || contains(other.root, own.root)),
    );
  }
}

/** What of a file changes whenever it is written. */
async function stateOf(real: string): Promise<string> {
  const looked = lstat(real, { bigint: true });
  const stats = await looked.catch(onErrno(undefined, "ENOENT", "ENOTDIR", "EACCES", "ELOOP"));
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.mode}` : "none";
}
