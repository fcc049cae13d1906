import { TeamError } from "../errors.ts";
import { isAncestor } from "../git/ancestry.ts";
import type { Git } from "../git/git.ts";
import { mergeTrees } from "../git/merge.ts";
import { moveRef, readRef } from "../git/refs.ts";
import { CommitId } from "../protocol/ids.ts";
import type { Landing, LandingCheck } from "../protocol/landing.ts";
import type { LandingMove, Landings } from "./landings.ts";
import { openTarget, targetRef } from "./target.ts";
import { whyAsk } from "./why-ask.ts";

export interface LandingStepOptions {
  landings: Landings;
  /** In the person's repository. */
  git: Git;
  /** Whether work waits for the person's decision, even if it touches nothing protected. */
  asks: boolean;
  /** Whether a path of the repository tells other programs what to run. */
  isProtected(path: string): boolean;
  /** Runs the check on exactly the tree of a commit (default: nothing is checked). Returns why it has not passed. */
  check?:
    | ((
        commit: CommitId,
        signal: AbortSignal,
        landing: Landing,
      ) => Promise<LandingCheck | undefined>)
    | undefined;
  /**
   * Says what has become of a landing: `landed`, `conflict`, `rejected`, `failed`, or `taken` with the reason why it waits.
   * The same may be told again after a crash.
   */
  tell(landing: Landing): Promise<void>;
  /** The number of attempts, after which a member's work is given up (default: 3). */
  maxAttempts?: number;
}

/** How a step is coordinated with what others decide meanwhile. */
interface StepRun {
  signal: AbortSignal;
  /** Runs `change` while nobody else decides anything. */
  alone<T>(change: () => Promise<T>): Promise<T>;
}

/** The part of a step by which a decision finds out whether it comes too late. */
export interface LandedStep {
  /** Records that a landing has landed, where its work is in the target already. */
  noteLanded(landing: Landing): Promise<Landing>;
}

const usualAttempts = 3;

/** Moves one landing on as far as possible. */
export class LandingStep implements LandedStep {
  readonly #options: LandingStepOptions;

  constructor(options: LandingStepOptions) {
    this.#options = options;
  }

  /** Throws where somebody else changes the landing, and where its state cannot be written. */
  async bringOn(landing: Landing, run: StepRun): Promise<void> {
    try {
      let current = landing;
      while (!run.signal.aborted) {
        const merged = await this.#merge(current);
        if (merged.state !== "merged") return;
        const failure = await this.#check(merged, run.signal);
        if (run.signal.aborted) return;
        if (failure)
          return void (await this.#sendBack(merged, { state: "rejected", check: failure }));
        if (await run.alone(() => this.#moveTarget(merged))) return;
        // The target has moved meanwhile, so that something else would land than what was checked.
        current = merged;
      }
    } catch (error) {
      const isToBeTold =
        error instanceof TeamError &&
        ["git-failed", "target-refused", "check-failed"].includes(error.code);
      if (!isToBeTold) throw error;
      const { landings } = this.#options;
      const reason = [error.message, error.hint].filter(Boolean).join(". ");
      await this.#wait(await landings.get(landing.id), reason);
    }
  }

  /** Does again what may not have been done after a landing was sent back, or had to wait. */
  async repeat(landing: Landing): Promise<void> {
    const { landings, tell, maxAttempts = usualAttempts } = this.#options;
    const { state, attempt, reason, approved } = landing;
    const isBack = state === "conflict" || state === "rejected";
    if (isBack && attempt >= maxAttempts) {
      await tell(await landings.move(landing, givenUp(landing)));
    } else if (
      isBack ||
      state === "failed" ||
      (state === "taken" && reason !== null && !approved)
    ) {
      await tell(landing);
    }
  }

  async noteLanded(landing: Landing): Promise<Landing> {
    if (landing.state !== "taken" && landing.state !== "merged") return landing;
    const tip = await readRef(this.#options.git, targetRef(landing.target));
    if (tip === undefined || !(await isAncestor(this.#options.git, landing.commit, tip))) {
      return landing;
    }
    return await this.#land(landing);
  }

  /** The landing as it is afterwards: `merged`, or in a state in which nothing more is to be done for it now. */
  async #merge(landing: Landing): Promise<Landing> {
    const { git, landings } = this.#options;
    const { commit, target, state } = landing;
    const tip = CommitId.parse(await openTarget(git, target));
    if (await isAncestor(git, commit, tip)) return await this.#land(landing);
    if (state === "merged" && landing.onto === tip) return landing;
    const merged = await mergeTrees(git, [tip, commit]);
    if (merged.type === "conflict") {
      const { files } = merged;
      return await this.#sendBack(landing, { state: "conflict", onto: tip, files });
    }
    const { tree } = merged;
    const reason = landing.approved ? undefined : await whyAsk({ ...this.#options, tip, tree });
    if (reason !== undefined) return await this.#wait(landing, reason);
    const merge_commit = await this.#commit(landing, { tip, tree });
    return await landings.move(landing, { state: "merged", onto: tip, merge_commit });
  }

  /** Always the same commit for the same merge, so that a repeated step leaves no second one. */
  async #commit(
    { id, member, commit, created_at }: Landing,
    { tip, tree }: { tip: string; tree: string },
  ): Promise<CommitId> {
    const author = { name: member, email: `${member}@troupe.invalid`, at: new Date(created_at) };
    const input = `Land the work of ${member} (landing ${id})\n`;
    const argv = ["commit-tree", tree, "-p", tip, "-p", commit];
    return CommitId.parse(await this.#options.git.text(argv, { author, input }));
  }

  #check(landing: Landing, signal: AbortSignal): Promise<LandingCheck | undefined> {
    const { check } = this.#options;
    const { merge_commit: commit } = landing;
    return check && commit ? check(commit, signal, landing) : Promise.resolve(undefined);
  }

  async #sendBack(landing: Landing, move: LandingMove): Promise<Landing> {
    const { landings, tell, maxAttempts = usualAttempts } = this.#options;
    let moved = await landings.move(landing, move);
    if (moved.attempt >= maxAttempts) moved = await landings.move(moved, givenUp(moved));
    await tell(moved);
    return moved;
  }

  async #wait(landing: Landing, reason: string): Promise<Landing> {
    const { landings, tell } = this.#options;
    const moved = await landings.move(landing, { state: "taken", reason, approved: false });
    await tell(moved);
    return moved;
  }

  /** False where the target has moved since the merge. */
  async #moveTarget(merged: Landing): Promise<boolean> {
    const { git, landings } = this.#options;
    const { id, version, target, onto, merge_commit } = merged;
    if ((await landings.get(id)).version !== version) {
      throw new TeamError("landing-changed", `Landing ${id} has changed meanwhile`);
    }
    if (onto === null || merge_commit === null) return false;
    // Again: it may have been checked out while the check ran.
    if ((await openTarget(git, target)) !== onto) return false;
    const moved = await moveRef(git, { ref: targetRef(target), from: onto, to: merge_commit });
    if (moved) await this.#land(merged);
    return moved;
  }

  async #land(landing: Landing): Promise<Landing> {
    const { landings, tell } = this.#options;
    // Before it is on record, after which nothing would be told again.
    await tell({ ...landing, state: "landed", reason: null });
    return await landings.move(landing, { state: "landed" });
  }
}

/** What a landing becomes that was sent back too often. */
function givenUp({ attempt, state }: Landing): LandingMove {
  const why = state === "conflict" ? "it conflicts with the target" : "it has not passed the check";
  return { state: "failed", reason: `Given up after ${attempt} attempts: ${why}` };
}
