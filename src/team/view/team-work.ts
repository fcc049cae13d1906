import { basename, dirname } from "node:path";
import type { ListedCheckout } from "../../checkouts/listed-checkouts.ts";
import type { OpenGit } from "../../checkouts/own-repository.ts";
import { describeError, TeamError } from "../../errors.ts";
import { unknownLanding } from "../../landing/landing-rules.ts";
import type { Clock } from "../../lib/clock.ts";
import { isThere } from "../../lib/is-there.ts";
import { Programs } from "../../processes/programs.ts";
import type { CheckoutRecord } from "../../protocol/checkout.ts";
import type { LandingId } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { BroughtWork } from "../landings/bring-landed.ts";
import type { LandingChanges } from "../landings/landing-changes.ts";
import { systemEnvironment } from "../system-place.ts";
import type { CheckoutContents, CleanedCheckouts } from "./team-view.ts";

/** What is on record of the work of members with checkouts. */
export interface WorkRecords {
  landings(): Promise<Landing[]>;
  checkouts(): Promise<CheckoutRecord[]>;
  teamId(): Promise<string>;
}

/** The part of a view that is in the person's repository, and in the checkouts. It is the same for every store. */
export class TeamWork {
  readonly #records: WorkRecords;
  readonly #clock: Clock;

  constructor(records: WorkRecords, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  async landingChanges(id: LandingId): Promise<LandingChanges> {
    const landings = await this.#records.landings();
    const landing = landings.find((each) => each.id === id);
    if (!landing) throw unknownLanding(id, landings);
    const { repository } = await this.#recordOf(landing);
    const git = await (await opener(repository))({ cwd: repository, ...at(repository) });
    const { findLandingChanges } = await import("../landings/landing-changes.ts");
    return await findLandingChanges(git, landing);
  }

  async checkouts(): Promise<ListedCheckout[]> {
    const { listCheckouts } = await import("../../checkouts/listed-checkouts.ts");
    return await listCheckouts(await this.#records.checkouts());
  }

  async inspectCheckout(path: string): Promise<CheckoutContents> {
    const checkout = (await this.checkouts()).find((each) => each.path === path);
    if (!checkout) throw unknownCheckout(path);
    const { diskUse } = await import("../../lib/disk-use.ts");
    const { unkeptFiles } = await import("../../checkouts/unkept-files.ts");
    // Its size is known without git.
    const looking = opener(checkout.repository).then((openGit) => unkeptFiles(openGit, checkout));
    const [bytes, unkept] = await Promise.all([
      diskUse(path),
      looking.catch((error: unknown) => {
        if (error instanceof TeamError) return null;
        throw error;
      }),
    ]);
    return { bytes, unkept };
  }

  async cleanCheckouts(paths?: readonly string[]): Promise<CleanedCheckouts> {
    const { removeRetired } = await import("../../checkouts/remove-retired.ts");
    const result: CleanedCheckouts = { removed: [], stayed: [] };
    const teamId = await this.#records.teamId();
    for (const checkout of await this.checkouts()) {
      const isMeant = paths ? paths.includes(checkout.path) : checkout.state === "retired";
      if (!isMeant) continue;
      try {
        const openGit = await opener(checkout.repository);
        await removeRetired(openGit, { checkout, teamId, now: this.#clock.now() });
        result.removed.push(checkout);
      } catch (error) {
        if (!(error instanceof TeamError)) throw error;
        result.stayed.push({ checkout, reason: describeError(error) });
      }
    }
    return result;
  }

  async bringLanded(given?: string): Promise<BroughtWork[]> {
    const landings = await this.#records.landings();
    const landed = landings.filter(({ state }) => state === "landed");
    const targets = new Set(landed.map(({ target }) => target));
    const [first] = landed;
    if (!first) return [];
    const workspace = given ?? filesOf((await this.#recordOf(first)).repository);
    const { bringLanded } = await import("../landings/bring-landed.ts");
    const { requireRepository } = await import("../../git/repository.ts");
    const openGit = await openerIn(workspace);
    const around = await openGit({ cwd: workspace });
    const brought: BroughtWork[] = [];
    for (const target of targets) {
      // The one before may have moved the branch.
      const repository = await requireRepository(around);
      const { top, gitDirectory } = repository;
      const git = await openGit({ cwd: top, repository: { gitDirectory, workTree: top } });
      brought.push(await bringLanded({ git, repository, target }));
    }
    return brought;
  }

  async #recordOf({ id, member }: Landing): Promise<CheckoutRecord> {
    const records = await this.#records.checkouts();
    const record = records.find((each) => each.id === member);
    if (record) return record;
    throw new TeamError("repository-unusable", `The repository of landing ${id} is not on record`, {
      hint: `The record of the checkout of '${member}' is missing.`,
    });
  }
}

/** The files of a repository, as far as they are beside it: other worktrees are not on record. */
function filesOf(repository: string): string {
  if (basename(repository) === ".git") return dirname(repository);
  throw new TeamError(
    "repository-unusable",
    `It is not known where the files of ${repository} are`,
    {
      hint: "Run troupe land where they are.",
    },
  );
}

function at(repository: string) {
  return { repository: { gitDirectory: repository } };
}

/** Git, found outside of the directory whose repository it is. */
async function opener(repository: string): Promise<OpenGit> {
  if (!(await isThere(repository))) {
    throw new TeamError("repository-unusable", `The repository ${repository} is gone`, {
      hint: "Move it back to where it was.",
    });
  }
  return await openerIn(basename(repository) === ".git" ? dirname(repository) : repository);
}

async function openerIn(workspace: string): Promise<OpenGit> {
  const { Git } = await import("../../git/git.ts");
  const env = systemEnvironment();
  const programs = new Programs({ path: env.PATH, workspace });
  return (options) => Git.open({ ...options, env, programs });
}

function unknownCheckout(path: string): TeamError {
  return new TeamError("checkout-failed", `There is no checkout ${path}`, {
    hint: "troupe checkouts lists those that are there.",
  });
}
