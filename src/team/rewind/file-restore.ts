import { hasErrno, reasonOf, TeamError } from "../../errors.ts";
import { hashOf } from "../../lib/content-file.ts";
import { user } from "../../protocol/ids.ts";
import type { ChangeHistory, KnownChange } from "../../workspace/change-history.ts";
import type { ChangeKeeper } from "../../workspace/change-keepers.ts";
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
  history: Pick<ChangeHistory, "since" | "content">;
  /** Notes what a restore changes. */
  keeper: ChangeKeeper;
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
  changes: readonly KnownChange[];
  /** False where there may have been earlier ones that are no longer known. */
  isWhole: boolean;
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
    return !(await this.#options.history.since(since)).isWhole;
  }

  /**
   * Restores the files, and returns the paths of those that it has changed. A file that something else
   * has changed since is left, unless `overwrites` is true for it. To repeat it restores the rest.
   */
  async restore(since: Date, overwrites: (path: string) => boolean): Promise<string[]> {
    const restored: string[] = [];
    for (const file of await this.#changed(since)) {
      const isForced = overwrites(file.path);
      const isDone = await this.#at(file, isForced, async (plan, target, current) => {
        if (!target || !isWanted(plan, isForced)) return false;
        return this.#carryOut(file, { after: plan.content, target, current });
      });
      if (isDone === true) restored.push(file.path);
    }
    return restored;
  }

  /** As any change, it is noted before it is made. */
  async #carryOut({ root, path }: ChangedFile, change: Restoring): Promise<boolean> {
    const { after, target, current } = change;
    if (root === undefined) return false;
    const before = current?.content;
    await this.#options.keeper.keep({ root, path, before, after });
    if (after) return target.replace(current, after);
    return current !== undefined && (await target.remove(current));
  }

  async #changed(since: Date): Promise<ChangedFile[]> {
    const files = new Map<string, KnownChange[]>();
    const known = await this.#options.history.since(since);
    for (const change of known.changes) {
      files.set(change.path, [...(files.get(change.path) ?? []), change]);
    }
    const roots = await this.#options.roots();
    return [...files].map(([path, changes]) => {
      const root = changes.find((change) => roots.includes(change.root))?.root;
      return { path, root, changes, isWhole: known.isWhole };
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
        return await act(await this.#plan(file, current?.content), target, current);
      } catch (error) {
        const isGone = hasErrno(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP");
        if (error instanceof TeamError || isGone) return left(path, reasonOf(error));
        throw error;
      }
    });
  }

  async #plan({ path, changes, isWhole }: ChangedFile, current: Buffer | undefined): Promise<Plan> {
    if (!isWhole) return left(path, "its content at that time is no longer known");
    const before = changes[0]?.before ?? null;
    const now = current ? hashOf(current) : null;
    if (now === before) return { effect: undefined, content: undefined };
    const content = before === null ? undefined : await this.#options.history.content(before);
    if (before !== null && !content) return left(path, "its earlier content is not kept");
    const action = content ? "restore" : "remove";
    const isOnlyOurs = possibleContents(changes).includes(now);
    const problem = isOnlyOurs ? undefined : "something else has changed it since";
    return { effect: { path, action, ...(problem && { problem }) }, content };
  }
}

/** A hash; null where there is no such file. */
type ContentHash = KnownChange["after"];

interface Restoring {
  /** Undefined where the file is to be removed. */
  after: Buffer | undefined;
  target: TargetFile;
  current: FileVersion | undefined;
}

function isWanted({ effect }: Plan, isForced: boolean): boolean {
  if (!effect || effect.action === "leave") return false;
  return effect.problem === undefined || isForced;
}

function left(path: string, problem: string): Plan {
  return { effect: { path, action: "leave", problem }, content: undefined };
}

/**
 * What the file can be now, if nothing but these changes was made: each began with what the one before
 * had left, and one that a killed process has noted may not have been made. A restore takes back what
 * was done since the file had that content, by the team or by others: the person agreed.
 */
function possibleContents(changes: readonly KnownChange[]): ContentHash[] {
  const steps: ContentHash[][] = [[changes[0]?.before ?? null]];
  for (const { member, before, after } of changes) {
    const possible = steps.at(-1)?.includes(before) ? [before] : [];
    const earlier = changes.slice(0, steps.length - 1).findIndex((each) => each.before === after);
    const isRestored = member === user && (steps[earlier]?.includes(after) ?? true);
    if (possible.length > 0 || isRestored) possible.push(after);
    steps.push(possible);
  }
  return steps.at(-1) ?? [];
}
