import { join } from "node:path";
import type { Checkouts, KeptWork } from "../checkouts/checkouts.ts";
import type { GoingBack, KeptState, WentBack } from "../checkouts/go-back.ts";
import type { MissingInCheckout } from "../checkouts/make-checkout.ts";
import type { TeamCheckouts } from "../checkouts/team-checkouts.ts";
import { describeError, reasonOf, TeamError } from "../errors.ts";
import { stateDirectory } from "../keys/team-key.ts";
import { runCommand } from "../processes/command-runner.ts";
import { describeEnd, hasSucceeded } from "../processes/describe-end.ts";
import type {
  CheckoutBase,
  CheckoutRecord,
  Isolation,
  MemberCheckout,
} from "../protocol/checkout.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { MemberRecord } from "../protocol/team.ts";
import { commandRunner } from "./command-runner-of.ts";
import type { Equipment } from "./equipment.ts";
import { refusalOf } from "./hooks/team-hooks.ts";
import { defaults } from "./team-options.ts";

/** The checkouts of members. */
export interface CheckoutOptions {
  /** Whether new teammates have one, unless their spawn says something else (default: `shared`, no). */
  isolation?: Isolation | undefined;
  /** What one begins with (default: `head`, the last commit); `working` adds what the person has not committed. */
  base?: CheckoutBase | undefined;
  /** Paths in the repository that are links to the person's files in every checkout, such as `node_modules`. */
  link?: readonly string[] | undefined;
  /** A command that is run in a new checkout before its member works there. */
  setup?: string | undefined;
  /** An absolute path of a directory for them (default: `checkouts` in the person's state directory). */
  directory?: string | undefined;
  /** The branch that their work is to land on (default: `troupe/` and the team's name). */
  target?: string | undefined;
  /** For how many days the checkout of a member that has ended stays (default: 7). */
  keepDays?: number | undefined;
}

interface MemberCheckoutsParts {
  equipment: Equipment;
  options: CheckoutOptions;
  /** The workspace of the lead. */
  root: string;
}

/** A command that prepares a checkout may install all that a project needs. */
const setupPatienceMs = 1_800_000;
const shownOfSetup = 4_000;

/** Gives members their checkouts, and keeps what is in them. What it needs for that is loaded with the first checkout. */
export class MemberCheckouts implements Checkouts, AsyncDisposable {
  readonly #parts: MemberCheckoutsParts;
  readonly #closing = new AbortController();
  #removing: Promise<void> | undefined;
  #opened: Promise<TeamCheckouts> | undefined;

  constructor(parts: MemberCheckoutsParts) {
    this.#parts = parts;
  }

  /** Where new teammates work unless something else is asked for. */
  get isolation(): Isolation {
    return this.#parts.options.isolation ?? "shared";
  }

  list(): Promise<CheckoutRecord[]> {
    return this.#parts.equipment.store.checkouts.list();
  }

  /** Makes a checkout for a new teammate. Returns its record with it, and what the checkout lacks. */
  async make(
    record: MemberRecord,
    signal: AbortSignal,
  ): Promise<{ record: MemberRecord; notes: string[] }> {
    const { root, options, equipment } = this.#parts;
    const { name, incarnation = "" } = record;
    const from = record.root ?? root;
    const checkouts = await this.#open();
    const made = await checkouts.make({
      ...{ member: name, incarnation, from, signal },
      cwd: record.cwd ?? from,
      setUp: async ({ checkout, cwd }) => {
        if (options.setup)
          await runSetup(equipment, options.setup, { record, checkout, cwd, signal });
        await reviewCheckout(equipment, { record, path: checkout.path, signal });
      },
    });
    const { checkout, cwd, missing } = made;
    return { record: { ...record, root: checkout.path, cwd, checkout }, notes: notesOn(missing) };
  }

  /** Removes the checkout of a member that could not be spawned. */
  async abandon(name: MemberName): Promise<void> {
    await (await this.#open()).abandon(name);
  }

  async keep(member: MemberName, signal?: AbortSignal): Promise<KeptWork | undefined> {
    if (!(await this.#has(member))) return undefined;
    return await (await this.#open()).keep(member, signal);
  }

  async latest(member: MemberName): Promise<KeptWork | undefined> {
    if (!(await this.#has(member))) return undefined;
    return await (await this.#open()).latest(member);
  }

  /** As `keep`; what prevents it is told to the person, and does not stop the member. */
  async tryToKeep(member: MemberName): Promise<KeptWork | undefined> {
    return await this.#orWarn(member, "kept", () => this.keep(member));
  }

  /** Keeps the work of a member that has ended, or has left its checkout, and retires the checkout. */
  async retire(member: MemberName): Promise<KeptWork | undefined> {
    if (!(await this.#has(member))) return undefined;
    const checkouts = await this.#open();
    return await this.#orWarn(member, "retired", () => checkouts.retire(member));
  }

  /** Brings in order what a process has left that was killed. */
  async recover(members: readonly MemberRecord[]): Promise<void> {
    if ((await this.list()).length === 0) return;
    const inUse = members.flatMap(({ name, status, checkout }) =>
      checkout && status !== "shutdown" ? [[name, checkout.path] as const] : [],
    );
    const checkouts = await this.#open();
    await checkouts.recover(new Map(inUse));
    this.#removing = this.#removeOld(checkouts);
  }

  /** The states that a member's checkout can go back to, newest first. */
  async states(member: MemberName): Promise<KeptState[]> {
    const { keptStates } = await import("../checkouts/go-back.ts");
    return await (await this.#open()).during(member, keptStates);
  }

  /** What `goBack` would do. Changes nothing. */
  async previewGoingBack(member: MemberName, number: number): Promise<GoingBack> {
    const { previewGoingBack } = await import("../checkouts/go-back.ts");
    return await (await this.#open()).during(member, (ready) => previewGoingBack(ready, number));
  }

  /** Keeps what a checkout holds, and takes its files back to a state. Nobody may work there. */
  async goBack(member: MemberName, number: number): Promise<WentBack> {
    const { goBack } = await import("../checkouts/go-back.ts");
    return await (await this.#open()).during(member, (ready) => goBack(ready, number));
  }

  /** What the commands of a member with a checkout must be able to read. */
  async readable(member: MemberName): Promise<string[]> {
    return await (await this.#open()).readable(member);
  }

  /** Ends what is still being removed. The next start goes on with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#removing;
  }

  /** Nobody waits for it: to remove a large checkout takes its time. */
  async #removeOld(checkouts: TeamCheckouts): Promise<void> {
    try {
      await checkouts.removeOld(this.#closing.signal);
    } catch (error) {
      const { onWarning } = this.#parts.equipment.place;
      onWarning(`Retired checkouts could not be removed: ${reasonOf(error)}`);
    }
  }

  async #has(member: MemberName): Promise<boolean> {
    return (await this.#parts.equipment.store.checkouts.get(member)) !== undefined;
  }

  async #orWarn<T>(
    member: MemberName,
    done: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const record = await this.#parts.equipment.store.checkouts.get(member);
      const problem = describeError(error);
      this.#parts.equipment.place.onWarning(
        `The checkout of '${member}' could not be ${done}: ${problem}. Its files are in ${record?.path}.`,
      );
      return undefined;
    }
  }

  #open(): Promise<TeamCheckouts> {
    this.#opened ??= this.#load();
    return this.#opened;
  }

  async #load(): Promise<TeamCheckouts> {
    const { equipment, options } = this.#parts;
    const { store, place, environment: env, programs, layout } = equipment;
    const [{ TeamCheckouts }, { Git }] = await Promise.all([
      import("../checkouts/team-checkouts.ts"),
      import("../git/git.ts"),
    ]);
    const { team_id: teamId, team_name: teamName } = await store.roster.read();
    const { base = "head", link: links = [], target = `troupe/${teamName}` } = options;
    const { keepDays = defaults.checkoutsKeepDays } = options;
    return new TeamCheckouts({
      ...{ records: store.checkouts, clock: place.clock, teamId, base, links, target, keepDays },
      openGit: (git) => Git.open({ ...git, env, programs }),
      directory: checkoutsDirectory(place.keyPlace, options.directory, teamId),
      teamDirectory: layout.directory,
      onWarning: (message) => place.onWarning(message),
      tell: async (member, content) => {
        await store.send(member, { type: "message", from: system, content });
      },
    });
  }
}

/** The directory of a team's checkouts. */
function checkoutsDirectory(
  place: { stateHome: string | undefined; home: string },
  directory: string | undefined,
  teamId: string,
): string {
  return join(directory ?? join(stateDirectory(place), "checkouts"), teamId);
}

async function runSetup(
  equipment: Equipment,
  command: string,
  {
    record,
    checkout,
    cwd,
    signal,
  }: { record: MemberRecord; checkout: MemberCheckout; cwd: string; signal: AbortSignal },
): Promise<void> {
  const { name, sandbox } = record;
  const runner = commandRunner(equipment, { name, sandbox, checkout, cwd, root: checkout.path });
  const end = await runCommand(runner, {
    ...{ command, name: `setup-${name}`, timeoutMs: setupPatienceMs, signal },
    onOutput: () => undefined,
  });
  if (end.type === "not-started") throw setupFailed(command, end.problem);
  if (!hasSucceeded(end)) throw setupFailed(command, describeEnd(end).slice(-shownOfSetup));
}

/** Throws where a hook refuses the checkout. */
async function reviewCheckout(
  { hooks, place }: Equipment,
  { record, path, signal }: { record: MemberRecord; path: string; signal: AbortSignal },
): Promise<void> {
  const { onCheckout } = hooks;
  if (!onCheckout) return;
  const { name: member, role } = record;
  const ask = () => onCheckout({ member, role, path, signal });
  const refusal = await refusalOf("onCheckout", ask, place.onWarning);
  if (refusal === undefined) return;
  throw new TeamError("checkout-failed", `A hook refuses the checkout: ${refusal}`, {
    hint: "Do the work another way, or ask the person.",
  });
}

function setupFailed(command: string, problem: string): TeamError {
  return new TeamError(
    "checkout-failed",
    `The setup of the checkout has failed: ${command}\n${problem}`,
    {
      hint: "Correct the setting checkout.setup, or what it runs.",
    },
  );
}

function notesOn({ submodules, included, links }: MissingInCheckout): string[] {
  return [
    ...(submodules.length > 0
      ? [
          `Its checkout lacks the files of the submodules ${submodules.join(", ")}: your repository does not have them.`,
        ]
      : []),
    ...(included.length > 0
      ? [
          `Its checkout lacks ${included.join(", ")} of .worktreeinclude: links out of the repository are not copied.`,
        ]
      : []),
    ...(links.length > 0
      ? [
          `Its checkout has no link to ${links.join(", ")}: there is nothing to link to, or it has files there.`,
        ]
      : []),
  ];
}
