import { realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { describeError, onErrno, reasonOf, TeamError } from "../errors.ts";
import type { Git } from "../git/git.ts";
import { removeOwnLocks } from "../git/own-locks.ts";
import { moveRef, readRef } from "../git/refs.ts";
import { type Repository, requireRepository } from "../git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import { contains } from "../lib/contains.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { isThere } from "../lib/is-there.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { Serial } from "../lib/serial.ts";
import { unlessDiskFails } from "../lib/unless-disk-fails.ts";
import { counted } from "../protocol/amounts.ts";
import type {
  CheckoutBase,
  CheckoutRecord,
  EarlierCheckout,
  MemberCheckout,
} from "../protocol/checkout.ts";
import { CommitId, type MemberName } from "../protocol/ids.ts";
import type { CheckoutRecords } from "./checkout-records.ts";
import type { Checkouts, KeptWork } from "./checkouts.ts";
import { commitWorking } from "./commit-working.ts";
import { directoryIn } from "./directory-in.ts";
import { type CheckoutToKeep, keepWork, newestKept, removeLinks } from "./keep-work.ts";
import { listCheckouts } from "./listed-checkouts.ts";
import {
  indexPath,
  type MissingInCheckout,
  makeCheckout,
  removeCheckout,
} from "./make-checkout.ts";
import { type OpenGit, objectDirectories } from "./own-repository.ts";
import { removeRetired, removingDirectory, retiredDirectory } from "./remove-retired.ts";
import { repairRepository } from "./repair-repository.ts";
import { removeScratch } from "./scratch.ts";
import { unkeptFiles } from "./unkept-files.ts";

export interface TeamCheckoutsOptions {
  records: CheckoutRecords;
  openGit: OpenGit;
  /** The directory of this team's checkouts. */
  directory: string;
  teamId: string;
  /** The team directory, which no checkout has. */
  teamDirectory: string;
  /** What checkouts begin with: the last commit, or that and what the person has not committed. */
  base: CheckoutBase;
  /** The branch that work is to land on. */
  target: string;
  /** Paths in the repository that become links to the person's files. */
  links: readonly string[];
  /** For how many days a retired checkout stays. */
  keepDays: number;
  clock: Clock;
  onWarning(message: string): void;
  /** Tells a member something about its checkout. */
  tell(member: MemberName, text: string): Promise<void>;
}

export interface NewCheckout {
  member: MemberName;
  incarnation: string;
  /** The workspace that the member would have without a checkout, and where in it it would work. */
  from: string;
  cwd: string;
  /** Prepares the new checkout before anybody works in it. Throws where that fails. */
  setUp?: ((checkout: MadeCheckout) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

/** A checkout in which its member works. */
export interface ReadyCheckout {
  record: CheckoutRecord;
  checkout: CheckoutToKeep;
  openGit: OpenGit;
  /** Keeps what it holds. */
  keep(): Promise<KeptWork | undefined>;
}

export interface MadeCheckout {
  checkout: MemberCheckout;
  /** The directory in it that the member works in. */
  cwd: string;
  missing: MissingInCheckout;
}

/** The checkouts of one team, in the process that runs it. */
export class TeamCheckouts implements Checkouts {
  readonly #options: TeamCheckoutsOptions;
  /** One change at a time for each member. */
  readonly #turns = new Map<MemberName, Serial>();

  constructor(options: TeamCheckoutsOptions) {
    this.#options = options;
  }

  list(): Promise<CheckoutRecord[]> {
    return this.#options.records.list();
  }

  /** Makes a checkout for a member, whole or not at all; an earlier one of it is retired. */
  make(options: NewCheckout): Promise<MadeCheckout> {
    return this.#inTurn(options.member, () => this.#make(options));
  }

  keep(member: MemberName, signal?: AbortSignal): Promise<KeptWork | undefined> {
    return this.#inTurn(member, async () => {
      const record = await this.#options.records.get(member);
      return record?.state === "ready" ? await this.#keep(record, signal) : undefined;
    });
  }

  async latest(member: MemberName): Promise<KeptWork | undefined> {
    const record = await this.#options.records.get(member);
    if (!record) return undefined;
    const newest = await this.#newestOf(record);
    if (!newest) return undefined;
    const { base, target } = record;
    return { ref: newest.ref, commit: newest.commit, base, target };
  }

  /** Runs `work` with the checkout of a member, to which nothing else is done meanwhile. */
  async during<T>(member: MemberName, work: (ready: ReadyCheckout) => Promise<T>): Promise<T> {
    return await this.#inTurn(member, async () => {
      const record = await this.#options.records.get(member);
      if (record?.state !== "ready") throw noCheckout(member, record !== undefined);
      const { openGit } = this.#options;
      const checkout = await this.#toKeep(record, (await this.#newestOf(record))?.commit);
      return await work({ record, checkout, openGit, keep: () => this.#keep(record) });
    });
  }

  /**
   * Retires the checkout of a member that no longer works in it: what it holds is kept, and it is moved to where
   * checkouts wait to be removed. Repeating it changes nothing.
   */
  retire(member: MemberName): Promise<KeptWork | undefined> {
    return this.#inTurn(member, async () => {
      const record = await this.#options.records.get(member);
      return record?.state === "ready" ? (await this.#retire(record)).kept : undefined;
    });
  }

  /** Removes a checkout in which nobody has worked. */
  abandon(member: MemberName): Promise<void> {
    return this.#inTurn(member, async () => {
      const record = await this.#options.records.get(member);
      if (record?.state === "ready") await this.#remove(record);
    });
  }

  /**
   * Restores order after a process that was killed. `inUse` are the checkouts that members
   * still have.
   */
  async recover(inUse: ReadonlyMap<MemberName, string>): Promise<void> {
    const { directory, records, teamId, onWarning } = this.#options;
    await removeScratch(directory);
    const listed = await records.list();
    for (const repository of new Set(listed.map((record) => record.repository))) {
      await removeOwnLocks(repository, `refs/troupe/${teamId}`);
    }
    for (const record of listed) {
      const { id, path, state } = record;
      await this.#inTurn(id, async () => {
        if (state === "making") return await this.#remove(record);
        if (state === "ready" && inUse.get(id) !== path) await this.#retire(record);
        await this.#noteRemoved(id);
      }).catch((error: unknown) => {
        onWarning(`The checkout of '${id}' could not be restored: ${reasonOf(error)}`);
      });
    }
    await removeTree(join(directory, removingDirectory));
  }

  /**
   * Removes checkouts that were retired long enough ago. One whose work cannot be kept, or in which something runs, stays
   * for the next start.
   */
  async removeOld(signal: AbortSignal): Promise<void> {
    const { records, clock, keepDays, openGit, teamId, onWarning } = this.#options;
    const now = clock.now();
    for (const checkout of await listCheckouts(await records.list())) {
      const { member, state, since } = checkout;
      const isOld = now.getTime() - Date.parse(since) >= keepDays * dayMs;
      if (state !== "retired" || !isOld) continue;
      if (signal.aborted) return;
      try {
        await removeRetired(openGit, { checkout, teamId, now, signal });
      } catch (error) {
        if (!(error instanceof TeamError)) throw error;
        if (!signal.aborted) onWarning(describeError(error));
      }
      await this.#inTurn(member, () => this.#noteRemoved(member));
    }
  }

  /** The directories outside of a checkout that its commands must be able to read. */
  async readable(member: MemberName): Promise<string[]> {
    const record = await this.#options.records.get(member);
    if (!record) return [];
    const { repository, links = [] } = record;
    const objects = await objectDirectories(repository);
    return [repository, ...objects, ...links.map(({ to }) => to)];
  }

  async #make({
    member,
    incarnation,
    from,
    cwd,
    setUp,
    signal,
  }: NewCheckout): Promise<MadeCheckout> {
    const { openGit, directory, target, records, links, clock } = this.#options;
    const git = await openGit({ cwd: from });
    const repository = await requireRepository(git);
    await this.#requireOutside(repository);
    const known = await records.get(member);
    const earlier = known ? await this.#earlierOf(known) : [];
    const path = join(directory, `${member}-${incarnation.slice(0, incarnationCharacters)}`);
    await ensurePrivateDirectory(directory);
    const base = CommitId.parse(await this.#baseOf(git, repository, { path, member, signal }));
    const newest = await newestKept(git, this.#refsOf(member));
    const branch = `troupe/${member}`;
    const draft = {
      ...{ id: member, path, repository: repository.commonDirectory, base, target, branch },
      ...{ incarnation, earlier, first_ref: (newest?.number ?? 0) + 1 },
      links: links.map((link) => ({ path: link, to: join(repository.top, link) })),
    };
    const making = await records.put({ ...draft, state: "making" });
    try {
      // Before anything relies on it: the person may remove the branch that has the commit.
      await moveRef(git, { ref: this.#baseRef(making), from: undefined, to: base });
      const missing = await makeCheckout(openGit, {
        ...{ path, git, repository, base, branch, links, signal },
        committer: { name: member, email: `${member}@troupe.invalid` },
        without: this.#teamPaths(repository),
      });
      const place = await placeIn(path, { top: repository.top, from, cwd });
      const made = { checkout: { path, base, target }, cwd: place, missing };
      await setUp?.(made);
      await records.put({ ...making, state: "ready", created_at: clock.now().toISOString() });
      return made;
    } catch (error) {
      await this.#remove(making);
      throw error;
    }
  }

  /** The commit that a checkout begins with. */
  async #baseOf(
    git: Git,
    repository: Repository,
    options: { path: string; member: MemberName; signal?: AbortSignal | undefined },
  ): Promise<string> {
    const { base, openGit, clock } = this.#options;
    if (base === "head") return repository.head;
    const without = this.#teamPaths(repository);
    return await commitWorking(openGit, {
      ...{ ...options, git, repository, without, at: clock.now() },
    });
  }

  async #requireOutside({ top, commonDirectory }: Repository): Promise<void> {
    const { directory } = this.#options;
    const real = await realDirectory(directory);
    const around = [top, commonDirectory].find((it) => contains(it, real));
    if (around === undefined) return;
    throw new TeamError(
      "checkout-failed",
      `Checkouts would be made in ${directory}, which is in the repository ${around}`,
      { hint: "Choose a directory outside of it: the setting checkouts-dir." },
    );
  }

  #teamPaths({ top }: Repository): string[] {
    const { teamDirectory } = this.#options;
    const path = relative(top, teamDirectory);
    return path !== "" && !path.startsWith("..") && !isAbsolute(path) ? [path] : [];
  }

  async #keep(record: CheckoutRecord, signal?: AbortSignal): Promise<KeptWork | undefined> {
    const { openGit, onWarning, tell } = this.#options;
    const { id, path, base, target, branch } = record;
    const last = (await this.#newestOf(record))?.commit;
    const { kept, problem } = await keepWork(openGit, await this.#toKeep(record, last, signal));
    if (problem !== undefined) {
      onWarning(
        `Of the checkout of '${id}', the files are kept but not the commits: ${problem} (${path})`,
      );
      const isRepaired = await repairRepository(openGit, {
        ...{ path, branch, repository: record.repository, member: id },
        commit: kept?.commit ?? last ?? base,
      });
      await tell(id, damagedText(problem, isRepaired));
    }
    return kept && { ref: kept.ref, commit: kept.commit, base, target };
  }

  async #toKeep(
    { id, path, repository, base, links = [] }: CheckoutRecord,
    last: string | undefined,
    signal?: AbortSignal,
  ): Promise<CheckoutToKeep> {
    const author = { name: id, email: `${id}@troupe.invalid`, at: this.#options.clock.now() };
    const paths = links.map((link) => link.path);
    return { path, repository, base, refs: this.#refsOf(id), last, links: paths, author, signal };
  }

  async #newestOf({ id, repository, first_ref: first = 1 }: CheckoutRecord) {
    const { openGit } = this.#options;
    const git = await openGit({ cwd: repository, repository: { gitDirectory: repository } });
    const newest = await newestKept(git, this.#refsOf(id));
    return newest && newest.number >= first ? newest : undefined;
  }

  /** The checkouts of a member that come before its next one. */
  async #earlierOf(known: CheckoutRecord): Promise<EarlierCheckout[]> {
    const { state, earlier } = known;
    if (state === "making") await this.#remove(known);
    if (state === "making" || state === "removed") return earlier;
    const { path, base, updated_at } =
      state === "ready" ? (await this.#retire(known)).record : known;
    const newest = await this.#newestOf(known);
    const kept = newest && { kept: newest.commit };
    return [...earlier, { path, base, retired_at: updated_at, ...kept }];
  }

  async #retire(
    record: CheckoutRecord,
  ): Promise<{ record: CheckoutRecord; kept: KeptWork | undefined }> {
    const { directory, records } = this.#options;
    const { path } = record;
    const to = join(directory, retiredDirectory, basename(path));
    let kept: KeptWork | undefined;
    if (await isThere(path)) {
      kept = await this.#keep(record);
      await removeLinks(await this.#toKeep(record, undefined));
      await this.#nameUnkept(record);
      await ensurePrivateDirectory(dirname(to));
      await rename(path, to);
    }
    await rm(indexPath(path), { force: true });
    const changed = { ...record, path: to, links: [] };
    return { record: await records.put({ ...changed, state: "retired" }), kept };
  }

  /** Long before they are removed with the checkout. */
  async #nameUnkept(record: CheckoutRecord): Promise<void> {
    const { openGit, onWarning, keepDays } = this.#options;
    const unkept = await unkeptFiles(openGit, record).catch((error: unknown) => {
      // Its repository may be damaged. What is in it is listed later, too.
      if (error instanceof TeamError) return [];
      throw error;
    });
    if (unkept.length === 0) return;
    const named = unkept.slice(0, maxNamed).join(", ");
    const more = unkept.length > maxNamed ? ` and ${unkept.length - maxNamed} more` : "";
    onWarning(
      `The checkout of '${record.id}' is retired. Its work is kept, but not what git ignores: ${named}${more}. It is removed after ${counted(keepDays, "day")} (checkouts-keep).`,
    );
  }

  /** Any process may have removed a retired checkout. */
  async #noteRemoved(member: MemberName): Promise<void> {
    const { records } = this.#options;
    const record = await records.get(member);
    if (!record) return;
    const isLeft = await Promise.all(record.earlier.map(({ path }) => isThere(path)));
    const earlier = record.earlier.filter((_, index) => isLeft[index]);
    const isGone = record.state === "retired" && !(await isThere(record.path));
    if (!isGone && earlier.length === record.earlier.length) return;
    await records.put({ ...record, earlier, ...(isGone && { state: "removed" }) });
  }

  /** Only for a checkout that nobody has worked in. */
  async #remove(record: CheckoutRecord): Promise<void> {
    const { openGit, records } = this.#options;
    const { path, repository } = record;
    await removeCheckout(path);
    const git = await openGit({ cwd: repository, repository: { gitDirectory: repository } });
    const ref = this.#baseRef(record);
    if ((await readRef(git, ref)) !== undefined) await git.text(["update-ref", "-d", ref]);
    await records.put({ ...record, state: "removed" });
  }

  #refsOf(member: MemberName): string {
    return `refs/troupe/${this.#options.teamId}/${member}`;
  }

  #baseRef({ path }: Pick<CheckoutRecord, "path">): string {
    return `refs/troupe/${this.#options.teamId}/base/${basename(path)}`;
  }

  #inTurn<T>(member: MemberName, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(member) ?? new Serial();
    this.#turns.set(member, turn);
    return turn.run(() => unlessDiskFails("checkout-failed", work));
  }
}

const dayMs = 86_400_000;
const maxNamed = 10;

/** A path must stay short: some programs make sockets in a checkout. */
const incarnationCharacters = 8;

/** Where in a checkout a member works. If git has no files in that directory, it is made. */
async function placeIn(
  path: string,
  { top, from, cwd }: { top: string; from: string; cwd: string },
): Promise<string> {
  const root = relative(top, await realpath(from));
  const place = join(root, relative(from, cwd));
  if (place.startsWith("..")) {
    throw new TeamError("checkout-failed", `${cwd} is not in the repository ${top}`, {
      hint: "Name a directory in the repository as cwd, or leave it out.",
    });
  }
  if ((await directoryIn(path, root)) === undefined) {
    throw new TeamError("checkout-failed", `${root} leads out of the checkout`, {
      hint: "It is a link in the commit that the checkout begins with. Name another directory as root.",
    });
  }
  return join(path, place);
}

function noCheckout(member: MemberName, hadOne: boolean): TeamError {
  return new TeamError("checkout-failed", `'${member}' has no checkout`, {
    hint: hadOne
      ? "It no longer works there. Its kept work is in the repository: see troupe changes."
      : "It works in the lead's directory.",
  });
}

function damagedText(problem: string, isRepaired: boolean): string {
  const made = isRepaired
    ? "A new repository was made there, at the last commit that was kept."
    : "Report what happened, and stop working in it.";
  return `Your checkout no longer has a working repository: ${problem}. Your files and the commits of earlier runs are kept. ${made}`;
}

/** Where a directory is, or would be if it were made. */
async function realDirectory(path: string): Promise<string> {
  const real = await realpath(path).catch(onErrno(undefined, "ENOENT"));
  if (real !== undefined) return real;
  const parent = dirname(resolve(path));
  return join(await realDirectory(parent), basename(path));
}
