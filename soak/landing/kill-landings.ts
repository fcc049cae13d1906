import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bundle } from "../../bench/lib/bundle.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitIn, makeRepository, writeFiles } from "../../test/support/repository.ts";
import type { Random } from "../random.ts";
import { type Habit, type Phase, placesIn } from "./contract.ts";
import { Life, type Steps } from "./life.ts";
import { firstFiles, solveConflict, workInCheckout } from "./member-work.ts";
import { openStores } from "./stores.ts";
import { Witness, type Wrongs, wrongs } from "./verify.ts";

export interface LandingKillOptions {
  /** Stories are told until this number of kills is reached. */
  kills: number;
  random: Random;
  habit?: Habit;
}

export interface LandingTally extends Wrongs, Record<string, number> {
  kills: number;
  /** Kills that ended git, too. */
  withGit: number;
  stories: number;
  landings: number;
  landed: number;
  conflicts: number;
  rejected: number;
}

const members = ["alice", "bob", "carol"].map((name) => MemberName.parse(name));
const rounds = 3;
/** A life ends by itself afterwards. */
const killsPerPhase = 4;
const counted = ["landings", "landed", "conflicts", "rejected"] as const;

/**
 * Members work in checkouts, and the process that keeps and lands their work is killed at random moments and started
 * again until it is done.
 */
export async function killLandings(options: LandingKillOptions): Promise<LandingTally> {
  const total = { kills: 0, withGit: 0, stories: 0, landings: 0, landed: 0, conflicts: 0 };
  const tally: LandingTally = { ...total, rejected: 0, ...new Witness("", () => {}).counts };
  await using programs = await temporaryDirectory();
  const pathOf = await bundle({ life: "soak/landing/programs/life.ts" }, programs.path);
  while (tally.kills < options.kills) {
    const story = new Story(pathOf("life"), { ...options, kills: options.kills - tally.kills });
    const told = await story.tell();
    for (const key of [...wrongs, ...counted]) tally[key] += told[key];
    tally.kills += story.kills;
    tally.withGit += story.withGit;
    tally.stories++;
  }
  return tally;
}

class Story {
  kills = 0;
  withGit = 0;
  readonly #program: string;
  readonly #options: LandingKillOptions;
  /** Of a life of each phase that was not killed. */
  readonly #steps: Record<Phase, Steps> = {
    make: { runs: 40, moves: 6 },
    work: { runs: 60, moves: 8 },
    retire: { runs: 30, moves: 3 },
  };

  constructor(program: string, options: LandingKillOptions) {
    this.#program = program;
    this.#options = options;
  }

  async tell(): Promise<Wrongs & Record<(typeof counted)[number], number>> {
    await using place = await temporaryDirectory();
    const directory = place.path;
    const { root, temporary } = placesIn(directory);
    await mkdir(temporary);
    await makeRepository(root, firstFiles);
    // What the person is in the middle of.
    await writeFiles(root, { "shared.txt": "the person's\n", "untracked.txt": "mine\n" });
    await gitIn(root, "add", "shared.txt");
    await writeFiles(root, { "windows.txt": "the person's, not staged\n" });
    const habit = this.#options.habit ?? "right";
    const witness = new Witness(directory, (problem) => {
      if (habit === "right") console.error(`  ${problem}`);
    });
    await witness.begin();
    await this.#live(directory, "make", witness);
    for (let round = 1; round <= rounds; round++) {
      await this.#work(directory, round);
      await this.#live(directory, "work", witness);
    }
    await this.#work(directory, rounds + 1);
    await this.#live(directory, "retire", witness);
    await witness.finish();
    return { ...witness.counts, ...(await this.#outcomes(directory)) };
  }

  /** One round of all members, between two lives of the runtime. */
  async #work(directory: string, round: number): Promise<void> {
    const { random } = this.#options;
    const stores = openStores(placesIn(directory).records, console.error);
    const landings = await stores.landings.list();
    for (const { id: member, path } of await stores.checkouts.list()) {
      const newest = landings.filter((landing) => landing.member === member).at(-1);
      if (newest?.state === "conflict" && random.fraction() < 0.7) await solveConflict(path);
      if (random.fraction() < 0.9) await workInCheckout({ path, member, round, random });
    }
  }

  /** Lives of one phase, all of which but the last one are killed. */
  async #live(directory: string, phase: Phase, witness: Witness): Promise<void> {
    const { random, kills: most, habit = "right" } = this.#options;
    for (let lives = 1; ; lives++) {
      const seed = random.below(2 ** 31);
      await using life = new Life(this.#program, { directory, phase, members, habit, seed });
      if (lives > killsPerPhase || this.kills >= most) {
        this.#steps[phase] = await life.ended();
        return await witness.judge();
      }
      const kind = random.pick(["runs", "moves"] as const);
      const isOver = await life.reaches(kind, 1 + random.below(this.#steps[phase][kind]));
      // Git itself takes some milliseconds.
      await setTimeout(random.below(8));
      const isWithGit = random.fraction() < 0.3;
      if (isOver || !(await life.kill({ isWithGit }))) continue;
      this.kills++;
      if (isWithGit) this.withGit++;
      await removeLocks(directory);
      await witness.look();
    }
  }

  async #outcomes(directory: string) {
    const stores = openStores(placesIn(directory).records, console.error);
    const states = (await stores.landings.list()).map(({ state }) => state);
    const of = (state: string) => states.filter((each) => each === state).length;
    return {
      ...{ landings: states.length, landed: of("landed") },
      ...{ conflicts: of("conflict"), rejected: of("rejected") },
    };
  }
}

/** What git tells a person to do about the lock of a branch that a killed git has left. */
async function removeLocks(directory: string): Promise<void> {
  const heads = join(placesIn(directory).root, ".git", "refs", "heads");
  for (const name of await readdir(heads, { recursive: true })) {
    if (name.endsWith(".lock")) await rm(join(heads, name), { force: true });
  }
}
