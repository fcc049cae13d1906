import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import type { OrderReceipt } from "./mail-orders.ts";
import type { Members } from "./members.ts";
import type { Removal, Removals } from "./removals.ts";
import type { RosterKeeper } from "./roster-keeper.ts";
import type { Spawner } from "./spawner.ts";

/** An order of the person to stop, which came by mail. */
export interface StopOrder extends OrderReceipt {
  id: MessageId;
}

interface TeamStopOptions {
  members: Members;
  keeper: RosterKeeper;
  removals: Removals;
  spawner: Spawner;
  /** True for a teammate that an earlier process has spawned, and this one has not spawned again. */
  isRestored(name: MemberName): boolean;
  /** Ends a teammate for good. Resolves when it is gone. */
  end(name: MemberName, removal: Removal): Promise<void>;
}

type StoppedMember = Pick<MemberRecord, "name" | "incarnation">;

/** Ends the lead's run and all teammates for the person: those that are there or are being spawned. */
export class TeamStop {
  readonly #options: TeamStopOptions;

  constructor(options: TeamStopOptions) {
    this.#options = options;
  }

  /**
   * An `order` by mail is carried out once, over restarts too, and one from before this process began
   * is for those who were there then.
   */
  async stopAll(removal: Removal, order?: StopOrder): Promise<void> {
    const { members, keeper, removals, spawner, isRestored } = this.#options;
    if (order && (await keeper.read()).stops?.includes(order.id)) return;
    if (!order?.isFromBefore) await members.lead.order({ type: "interrupt" });
    const coming = order?.isFromBefore ? [] : spawner.underWay;
    const stopped = await this.#presentTeammates();
    const isMeant = ({ name }: StoppedMember) => !order?.isFromBefore || isRestored(name);
    await this.#endAll(stopped.filter(isMeant), removal);
    const spawned = await Promise.allSettled(coming);
    const arrived = spawned.flatMap((each) =>
      each.status === "fulfilled" ? each.value.record : [],
    );
    await this.#endAll(arrived, removal);
    // Removals that were under way already are finished, too.
    await removals.settled();
    if (order) await keeper.noteStop(order.id);
  }

  /** Everybody who is there, open or not, as of this call. */
  async #presentTeammates(): Promise<StoppedMember[]> {
    const { members: handles, keeper, spawner } = this.#options;
    const open = handles.livingTeammates.map(({ name }) => name);
    const { members } = await keeper.read();
    const isUnopened = ({ name, status }: MemberRecord) =>
      status !== "shutdown" && !handles.get(name) && !spawner.isSpawning(name);
    const unopened = members.filter(isUnopened).map(({ name }) => name);
    const recordOf = (name: MemberName) => members.find((each) => each.name === name);
    return [...open, ...unopened].map((name) => recordOf(name) ?? { name });
  }

  /** Ends those that have not been spawned again meanwhile. */
  async #endAll(stopped: readonly StoppedMember[], removal: Removal): Promise<void> {
    const { keeper, spawner, end } = this.#options;
    await Promise.all(
      stopped.map(async ({ name, incarnation }) => {
        await spawner.settled(name);
        const { members } = await keeper.read();
        const current = members.find((each) => each.name === name);
        if (current?.incarnation === incarnation) await end(name, removal);
      }),
    );
  }
}
