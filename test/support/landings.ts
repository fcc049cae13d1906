import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "../../src/git/git.ts";
import { readRef } from "../../src/git/refs.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { LandingQueue, type LandingQueueOptions } from "../../src/landing/landing-queue.ts";
import type { LandingDraft } from "../../src/landing/landings.ts";
import { type StoredLanding, StoredLandings } from "../../src/landing/stored-landings.ts";
import { MemoryRecords } from "../../src/lib/memory-records.ts";
import { CommitId, MemberName } from "../../src/protocol/ids.ts";
import type { Landing } from "../../src/protocol/landing.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { gitIn, openGit } from "./repository.ts";

export const target = "troupe/default";
export const alice = MemberName.parse("alice");
export const bob = MemberName.parse("bob");

/** Files by their paths; null where a file is removed. */
export type FileEdits = Readonly<Record<string, string | Buffer | FileEdit | null>>;

interface FileEdit {
  content: string | Buffer;
  mode: "100755" | "120000" | "160000";
}

/** A commit of edited files, made without touching any file, as a snapshot of a member is. */
export async function commitEdits(
  git: Git,
  { parents, edits, index }: { parents: readonly string[]; edits: FileEdits; index: string },
): Promise<CommitId> {
  const [parent = "HEAD"] = parents;
  const run = { index };
  await git.text(["read-tree", parent], run);
  for (const [path, edit] of Object.entries(edits)) {
    if (edit === null) {
      await git.text(["update-index", "--force-remove", path], run);
      continue;
    }
    const { content, mode } =
      typeof edit === "string" || Buffer.isBuffer(edit) ? { content: edit, mode: "100644" } : edit;
    // The content of a submodule is the id of a commit.
    const object =
      mode === "160000"
        ? String(content)
        : await git.text(["hash-object", "-w", "--stdin"], { input: content });
    await git.text(["update-index", "--add", "--cacheinfo", `${mode},${object},${path}`], run);
  }
  const tree = await git.text(["write-tree"], run);
  const author = { name: "Ann", email: "ann@example.com", at: new Date(0) };
  const argv = ["commit-tree", tree, ...parents.flatMap((each) => ["-p", each])];
  return CommitId.parse(await git.text(argv, { author, input: "work" }));
}

export interface LandingBenchOptions extends Partial<LandingQueueOptions> {
  /** Each names a member and what it has changed, from where the repository is. */
  works?: readonly { member: MemberName; edits: FileEdits }[];
}

/** A repository with a queue, over records in memory. */
export class LandingBench {
  readonly root: string;
  readonly git: Git;
  readonly base: CommitId;
  readonly landings: StoredLandings;
  readonly queue: LandingQueue;
  readonly told: Landing[] = [];
  readonly warnings: string[] = [];
  readonly #clock = new ManualClock();
  #snapshots = 0;

  private constructor(
    parts: { root: string; git: Git; base: CommitId },
    options: LandingBenchOptions,
  ) {
    this.root = parts.root;
    this.git = parts.git;
    this.base = parts.base;
    this.landings = new StoredLandings({
      clock: this.#clock,
      signature: hmacSignature(Buffer.alloc(32, 7)),
      records: new MemoryRecords<StoredLanding>(),
    });
    this.queue = this.openQueue(options);
  }

  static async open(root: string, options: LandingBenchOptions = {}): Promise<LandingBench> {
    const git = await openGit(root);
    const base = CommitId.parse(await gitIn(root, "rev-parse", "HEAD"));
    const bench = new LandingBench({ root, git, base }, options);
    for (const { member, edits } of options.works ?? []) await bench.take(member, edits);
    return bench;
  }

  /** Another queue over the same records, as the next process has it. */
  openQueue(options: Partial<LandingQueueOptions> = {}): LandingQueue {
    return new LandingQueue({
      ...{ landings: this.landings, git: this.git, asks: false, isProtected: () => false },
      tell: async (landing) => void this.told.push(landing),
      onWarning: (message) => void this.warnings.push(message),
      ...options,
    });
  }

  /** Hands in what a member has changed. */
  async take(
    member: MemberName,
    edits: FileEdits,
    { parents = [this.base], ...draft }: Partial<LandingDraft> & { parents?: string[] } = {},
  ): Promise<Landing> {
    const index = join(this.root, ".git", "work-index");
    const commit = await commitEdits(this.git, { parents, edits, index });
    return await this.takeCommit(member, { ...draft, commit });
  }

  /** Hands in a commit of a member. */
  async takeCommit(
    member: MemberName,
    draft: Partial<LandingDraft> & Pick<LandingDraft, "commit">,
  ): Promise<Landing> {
    const { base } = this;
    const ref = `refs/troupe/team/kept/${member}/${++this.#snapshots}`;
    await this.git.text(["update-ref", ref, draft.commit]);
    return await this.landings.take({ member, ref, base, target, ...draft });
  }

  /** Runs the queue until it has nothing more to do, and returns the landings. */
  async run(queue: LandingQueue = this.queue): Promise<Landing[]> {
    queue.wake();
    await queue.settled();
    return await this.landings.list();
  }

  tip(branch = target): Promise<string | undefined> {
    return readRef(this.git, `refs/heads/${branch}`);
  }

  /** The content of a file on the target. */
  show(path: string, commit = target): Promise<string> {
    return gitIn(this.root, "show", `${commit}:${path}`);
  }

  /** The commits that were landed, oldest first. */
  async landed(): Promise<string[]> {
    const merges = await gitIn(
      this.root,
      ...["log", "--first-parent", "--merges", "--reverse", "--format=%P", target],
    );
    return merges.split("\n").flatMap((line) => line.split(" ")[1] ?? []);
  }
}

/** All of a directory, so that any change of it shows; without the objects and refs of its repository. */
export async function pictureOf(directory: string): Promise<Record<string, string>> {
  const picture: Record<string, string> = {};
  const names = await readdir(directory, { recursive: true });
  for (const name of names.sort()) {
    if (/^\.git\/(objects|refs|logs|work-index)(\/|$)|^\.git\/packed-refs$/.test(name)) continue;
    const path = join(directory, name);
    const stats = await lstat(path);
    const mode = stats.mode.toString(8);
    if (stats.isFile()) picture[name] = `${mode} ${hashOf(await readFile(path))} ${stats.mtimeMs}`;
    else picture[name] = stats.isSymbolicLink() ? `-> ${await readlink(path)}` : mode;
  }
  return picture;
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
