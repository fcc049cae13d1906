import { hasErrno, reasonOf, TeamError } from "../../errors.ts";
import type { FileChangeRecord } from "../../protocol/file-change.ts";
import { type FileHistory, hashOf } from "../../workspace/file-history.ts";
import type { FileLocks } from "../../workspace/file-locks.ts";
import type { FileVersion, TargetFile } from "../../workspace/target-file.ts";
import { Workspace } from "../../workspace/workspace.ts";

/** What happens to a file that the team's tools have changed since a prompt. */
export interface FileEffect {
  /** Its real path. */
  path: string;
  /** `restore`: it gets its earlier content; `remove`: it did not exist; `leave`: nothing can be done. */
  action: "restore" | "remove" | "leave";
  /**
   * Why it is left; or why it needs confirmation: something else has changed it since, and that change
   * would be lost.
   */
  problem?: string;
}

export interface FileRestoreOptions {
  history: Pick<FileHistory, "since" | "content">;
  locks: FileLocks;
  teamDirectory: string;
  /** The real paths of the members' workspaces. What was changed in any other directory is left. */
  roots(): Promise<readonly string[]>;
}

/** The changes of one file, oldest first. */
interface ChangedFile {
  path: string;
  /** Undefined where it is in no workspace of a member. */
  root: string | undefined;
  changes: readonly FileChangeRecord[];
}

interface Plan {
  /** Undefined where the file is as it was. */
  effect: FileEffect | undefined;
  /** Its earlier content; undefined where it did not exist. */
  content: Buffer | undefined;
}

/** Gives files the content back that they had before the team's tools changed them. */
export class FileRestore {
  readonly #options: FileRestoreOptions;

  constructor(options: FileRestoreOptions) {
    this.#options = options;
  }

  /** What would happen. Files that are as they were are left out. */
  async preview(since: Date): Promise<FileEffect[]> {
    const effects: FileEffect[] = [];
    for (const file of await this.#changed(since)) {
      const { effect } = await this.#at(file, false, async (plan) => plan);
      if (effect) effects.push(effect);
    }
    return effects;
  }

  /** True where there were so many changes since then that the first ones are no longer known. */
  async isIncomplete(since: Date): Promise<boolean> {
    const [first] = await this.#options.history.since(since);
    if (!first?.kept || first.before === null) return false;
    return this.#options.history.content(first.before) === undefined;
  }

  /**
   * Restores the files, and returns the paths of those that it has changed. A file that something else
   * has changed since is left, unless `overwrites` is true for it. To repeat it restores the rest.
   */
  async restore(since: Date, overwrites: (path: string) => boolean): Promise<string[]> {
    const restored: string[] = [];
    for (const file of await this.#changed(since)) {
      const isForced = overwrites(file.path);
      const isDone = await this.#at(
        file,
        isForced,
        async ({ effect, content }, target, current) => {
          if (!effect || effect.action === "leave") return false;
          if (effect.problem !== undefined && !isForced) return false;
          if (content) return (await target?.replace(current, content)) ?? false;
          return current !== undefined && ((await target?.remove(current)) ?? false);
        },
      );
      if (isDone === true) restored.push(file.path);
    }
    return restored;
  }

  async #changed(since: Date): Promise<ChangedFile[]> {
    const files = new Map<string, FileChangeRecord[]>();
    for (const change of await this.#options.history.since(since)) {
      files.set(change.path, [...(files.get(change.path) ?? []), change]);
    }
    const roots = await this.#options.roots();
    return [...files].map(([path, changes]) => {
      const root = changes.find((change) => roots.includes(change.root))?.root;
      return { path, root, changes };
    });
  }

  /** Looks at a file while no member changes it. */
  async #at<T>(
    file: ChangedFile,
    makesDirectories: boolean,
    act: (plan: Plan, target?: TargetFile, current?: FileVersion) => Promise<T>,
  ): Promise<T | Plan> {
    const { root, path } = file;
    const { locks, teamDirectory } = this.#options;
    // The log of a project that was copied names the files of the directory that it was copied from.
    if (root === undefined) return left(path, "it is in another directory");
    return locks.run(path, async () => {
      try {
        const workspace = await Workspace.open({ root, teamDirectory });
        const place = await workspace.locateTarget(path);
        if (place.real !== path) return left(path, "a link is in its place");
        await using target = await workspace.openTarget(place, { makesDirectories });
        const current = await target?.read();
        return await act(this.#plan(file, current?.content), target, current);
      } catch (error) {
        const isGone = hasErrno(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP");
        if (error instanceof TeamError || isGone) return left(path, reasonOf(error));
        throw error;
      }
    });
  }

  #plan({ path, changes }: ChangedFile, current: Buffer | undefined): Plan {
    const before = changes[0]?.before ?? null;
    const now = current ? hashOf(current) : null;
    if (now === before) return { effect: undefined, content: undefined };
    const content = before === null ? undefined : this.#options.history.content(before);
    if (before !== null && !content) return left(path, "its earlier content is not kept");
    const action = content ? "restore" : "remove";
    const problem = isOnlyOurs(changes, now) ? undefined : "something else has changed it since";
    return { effect: { path, action, ...(problem && { problem }) }, content };
  }
}

function left(path: string, problem: string): Plan {
  return { effect: { path, action: "leave", problem }, content: undefined };
}

/**
 * True where each change began with what the one before it had written, and the file is as the last
 * one left it. A change that a killed process has noted and not made counts as none.
 */
function isOnlyOurs(changes: readonly FileChangeRecord[], now: string | null): boolean {
  let possible: (string | null)[] = [changes[0]?.before ?? null];
  for (const { before, after } of changes) {
    if (!possible.includes(before)) return false;
    possible = [before, after];
  }
  return possible.includes(now);
}
