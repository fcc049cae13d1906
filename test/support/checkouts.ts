import { join } from "node:path";
import { StoredCheckouts } from "../../src/checkouts/stored-checkouts.ts";
import { TeamCheckouts, type TeamCheckoutsOptions } from "../../src/checkouts/team-checkouts.ts";
import { Git } from "../../src/git/git.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { Programs } from "../../src/processes/programs.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { gitEnvironment, makeRepository } from "./repository.ts";

export const alice = MemberName.parse("alice");
const teamId = "0198aaaa-0000-7000-8000-000000000000";

/** The checkouts of a team whose lead works in a repository. */
export class CheckoutBench {
  /** The person's repository. */
  readonly root: string;
  /** Where the checkouts are. */
  readonly directory: string;
  readonly records: StoredCheckouts;
  readonly checkouts: TeamCheckouts;
  readonly warnings: string[] = [];
  readonly told: string[] = [];
  readonly clock = new ManualClock();
  #spawns = 0;

  constructor(parts: { root: string; directory: string }, options: Partial<TeamCheckoutsOptions>) {
    this.root = parts.root;
    this.directory = join(parts.directory, "checkouts");
    const signature = hmacSignature(Buffer.alloc(32, 7));
    this.records = new StoredCheckouts({ clock: this.clock, signature });
    this.checkouts = this.open(options);
  }

  /** A repository with one commit of `files`, in a directory. */
  static async make(
    directory: string,
    files?: Parameters<typeof makeRepository>[1],
    options: Partial<TeamCheckoutsOptions> = {},
  ): Promise<CheckoutBench> {
    const root = await makeRepository(join(directory, "work"), files);
    return new CheckoutBench({ root, directory }, options);
  }

  /** The checkouts as the next process has them. */
  open(options: Partial<TeamCheckoutsOptions> = {}): TeamCheckouts {
    const programs = new Programs({ path: process.env.PATH, workspace: this.root });
    return new TeamCheckouts({
      ...{ records: this.records, directory: this.directory, teamId, clock: this.clock },
      openGit: (git) => Git.open({ ...git, env: gitEnvironment, programs }),
      ...{ teamDirectory: join(this.root, ".team"), base: "head", target: "troupe/default" },
      ...{ links: [], keepDays: 7 },
      onWarning: (message) => void this.warnings.push(message),
      tell: async (member, text) => void this.told.push(`${member}: ${text}`),
      ...options,
    });
  }

  /** Makes a checkout for alice. */
  make(checkouts = this.checkouts, place: { from?: string; cwd?: string } = {}) {
    const { from = this.root, cwd = from } = place;
    const incarnation = `${String(++this.#spawns).padStart(8, "0")}-0000-4000-8000-000000000000`;
    return checkouts.make({ member: alice, incarnation, from, cwd });
  }
}
