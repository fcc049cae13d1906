import type { KeptWork } from "../../checkouts/checkouts.ts";
import { describeError, TeamError } from "../../errors.ts";
import type { LandingQueue, LandingQueueOptions } from "../../landing/landing-queue.ts";
import type { LandedStep } from "../../landing/landing-step.ts";
import type { LandingId, MemberName } from "../../protocol/ids.ts";
import {
  isOnItsWay,
  isUnlanded,
  type Landing,
  type LandingMode,
  landingIsOff,
} from "../../protocol/landing.ts";
import type { TeamStore } from "../team-store.ts";
import { type LandingDecision, otherCommit } from "./landing-order.ts";

/** What brings landings to the target, made when there is one. */
export interface LandingWorks extends AsyncDisposable {
  readonly queue: LandingQueue;
}

/** What the team gives to its queue. */
export type QueueParts = Pick<LandingQueueOptions, "landings" | "asks" | "onWarning" | "onRest"> & {
  /** Tells the members concerned. `files` are those that it has changed in the target, as far as they are known. */
  tell(landing: Landing, files: readonly string[]): Promise<void>;
};

export interface TeamLandingsOptions {
  store: Pick<TeamStore, "landings">;
  mode: LandingMode;
  /** Keeps what the checkout of a member holds, as `Checkouts.keep` does. */
  keep(member: MemberName): Promise<KeptWork | undefined>;
  openWorks(parts: QueueParts): Promise<LandingWorks>;
  tell: QueueParts["tell"];
  /** Tells the lead why the work of a member is not in the queue. */
  tellProblem(problem: string): Promise<void>;
  /** Called when nothing is under way. */
  onRest(): void;
  onWarning(message: string): void;
}

/**
 * The work of a team's members on its way to the target. Nothing of what brings it there is loaded before there
 * is a landing.
 */
export class TeamLandings {
  readonly #options: TeamLandingsOptions;
  #works: Promise<LandingWorks> | undefined;
  #queue: LandingQueue | undefined;
  #starting: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: TeamLandingsOptions) {
    this.#options = options;
  }

  /** False while a landing is on its way. */
  get isAtRest(): boolean {
    return this.#starting === undefined && (this.#queue?.isAtRest ?? true);
  }

  /** Continues the landings of an earlier process. */
  start(): void {
    const { onWarning, onRest } = this.#options;
    this.#starting = this.#resume()
      .catch((error: unknown) => onWarning(`Landings cannot continue: ${describeError(error)}`))
      .finally(() => {
        this.#starting = undefined;
        onRest();
      });
  }

  /** Keeps what the checkout of a member holds, and puts it into the queue. Repeating it changes nothing. */
  async handIn(member: MemberName): Promise<void> {
    try {
      const kept = await this.#options.keep(member);
      if (kept) await this.take(member, kept);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      const problem = `The work of ${member} is not handed in: ${describeError(error)}`;
      this.#options.onWarning(problem);
      await this.#options.tellProblem(problem);
    }
  }

  /** Puts kept work into the queue, in the place of what the member has handed in before. */
  async take(member: MemberName, kept: KeptWork): Promise<Landing> {
    const { store, mode } = this.#options;
    const { queue } = await this.#open();
    const earlier = await this.#earlierOf(member);
    const taken = await store.landings.take({
      ...{ member, ...kept, attempt: attemptAfter(earlier.at(-1)) },
      ...(mode === "never" && { reason: landingIsOff }),
    });
    await this.#replaceEarlier(queue, taken);
    queue.wake();
    return taken;
  }

  /** Carries out what the person has decided. What is so already stays so. */
  async decide(given: LandingDecision): Promise<void> {
    const { id, commit, decision } = given;
    const { queue } = await this.#open();
    if ((await this.#options.store.landings.get(id)).commit !== commit) throw otherCommit(id);
    await queue.decide(decision === "discard" ? id : undefined, (step) =>
      whileItChanges(() => this.#carryOut(step, given)),
    );
    queue.wake();
  }

  /** Ends a check that runs. The next start continues from the records. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    const works = await this.#works?.catch(() => undefined);
    await works?.queue.close();
    await works?.[Symbol.asyncDispose]();
  }

  async #carryOut(step: LandedStep, { id, decision, reason }: LandingDecision): Promise<void> {
    const { landings } = this.#options.store;
    const landing = await step.noteLanded(await landings.get(id));
    if (isSoAlready(landing, decision)) return;
    if (decision === "land") {
      await landings.move(landing, { state: "taken", approved: true });
    } else {
      const discarded = await landings.move(landing, { state: "discarded", reason });
      await this.#options.tell(discarded, []);
    }
  }

  async #resume(): Promise<void> {
    const landings = await this.#options.store.landings.list();
    if (!landings.some(isUnlanded)) return;
    const { queue } = await this.#open();
    const newest = new Map(landings.map((landing) => [landing.member, landing]));
    for (const landing of newest.values()) await this.#replaceEarlier(queue, landing);
    await queue.resume();
  }

  /** After a failure it is tried again when it is needed next. */
  async #open(): Promise<LandingWorks> {
    if (this.#isClosed) throw new TeamError("team-closed", "The team is closed");
    const { store, mode, openWorks, tell, onWarning, onRest } = this.#options;
    this.#works ??= openWorks({
      ...{ landings: store.landings, asks: mode !== "auto", tell, onWarning, onRest },
    });
    try {
      const works = await this.#works;
      this.#queue = works.queue;
      return works;
    } catch (error) {
      this.#works = undefined;
      throw error;
    }
  }

  async #earlierOf(member: MemberName): Promise<Landing[]> {
    const landings = await this.#options.store.landings.list();
    return landings.filter((landing) => landing.member === member);
  }

  /** The newest work of a member has what it handed in before. */
  async #replaceEarlier(queue: LandingQueue, newest: Landing): Promise<void> {
    for (const landing of await this.#earlierOf(newest.member)) {
      const isEarlier = Number(landing.id) < Number(newest.id);
      if (!isEarlier || !isUnlanded(landing)) continue;
      await queue.decide(landing.id, (step) => this.#replace(step, landing.id, newest.id));
    }
  }

  async #replace(step: LandedStep, id: LandingId, by: LandingId): Promise<void> {
    const { landings } = this.#options.store;
    await whileItChanges(async () => {
      const landing = await step.noteLanded(await landings.get(id));
      if (isUnlanded(landing)) await landings.move(landing, { state: "replaced", by });
    });
  }
}

/** Work that was sent back is tried again; what waits in the queue is the same attempt. */
function attemptAfter(last: Landing | undefined): number {
  switch (last?.state) {
    case "conflict":
    case "rejected":
      return last.attempt + 1;
    case "taken":
    case "merged":
      return last.attempt;
    default:
      return 1;
  }
}

function isSoAlready(landing: Landing, decision: "land" | "discard"): boolean {
  const { state } = landing;
  if (decision === "discard") return state === "discarded";
  return state === "landed" || isOnItsWay(landing);
}

/** Repeats a change of a landing that the queue moves on at the same time. */
async function whileItChanges(change: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof TeamError) || error.code !== "landing-changed") throw error;
    }
  }
}
