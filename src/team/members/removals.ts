import { TeamError } from "../../errors.ts";
import { makeOnce } from "../../lib/make-once.ts";
import type { MailboxReader, MailDelivery } from "../../mailbox/mailbox.ts";
import {
  lead,
  type MemberName,
  type MessageId,
  outside,
  system,
  user,
} from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { bodyOf, isReturned, isWithdrawable } from "../../protocol/message-types.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { type Requests, unlessDecided } from "../../requests/requests.ts";
import type { EventHub } from "../event-hub.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import type { Plans } from "../protocols/plans.ts";
import type { Shutdowns } from "../protocols/shutdowns.ts";
import type { TeamTasks } from "../protocols/team-tasks.ts";
import type { SentEvents } from "../sent-events.ts";
import type { TeamStore } from "../team-store.ts";
import type { RosterKeeper } from "./roster-keeper.ts";

/** Why a member ends, and whether that was requested. */
export interface Removal {
  reason: string;
  expected: boolean;
}

export interface RemovalsOptions {
  store: Pick<TeamStore, "openMember">;
  keeper: RosterKeeper;
  post: Post;
  hub: EventHub;
  sent: SentEvents;
  tasks: TeamTasks;
  plans: Plans;
  shutdowns: Shutdowns;
  requests: Requests;
  /** Keeps the work of a member that has ended, and retires its checkout. */
  checkouts: { retire(name: MemberName): Promise<unknown> };
  onWarning(message: string): void;
}

/**
 * Ends members: nothing of them runs any longer, their mail goes back, their tasks are free, and the
 * lead knows. A removal that a crash has interrupted is finished at the next start.
 */
export class Removals {
  readonly #options: RemovalsOptions;
  readonly #underWay = new Map<MemberName, Promise<void>>();
  /** Late mail that is going back. */
  readonly #returns = new Map<MemberName, Promise<void>>();
  readonly #returned: MessageId[] = [];

  constructor(options: RemovalsOptions) {
    this.#options = options;
  }

  /**
   * Ends a member that `stop` stops. Resolves when it is gone. A member that is ending already is not
   * ended twice.
   */
  end(name: MemberName, removal: Removal, stop: () => Promise<void>): Promise<void> {
    return during(this.#underWay, name, async () => {
      const { keeper, hub } = this.#options;
      await this.#returns.get(name);
      await stop();
      await keeper.change(name, ({ detail: _, ...record }) => ({
        ...record,
        status: "shutdown",
        ending: removal,
      }));
      const { reason: detail } = removal;
      hub.say({ type: "member-change", member: name, status: "shutdown", detail });
      await this.finish(name, removal);
    });
  }

  /** Ends a member that is in the roster, and that this process could not open. */
  async endAbsent(name: MemberName, removal: Removal): Promise<void> {
    const { members } = await this.#options.keeper.read();
    const record = members.find((member) => member.name === name);
    if (!record || record.status === "shutdown") throw notThere(name, members);
    await this.end(name, removal, async () => undefined);
  }

  /**
   * Gives back mail that came for an ended member, once its removal is finished; not where `isGone`
   * no longer holds by then, because the mail is for its successor.
   */
  async returnLateMail(name: MemberName, isGone: () => boolean): Promise<void> {
    while (this.#underWay.has(name) || this.#returns.has(name)) await this.settled(name);
    if (isGone()) await during(this.#returns, name, () => this.#returnMail(name));
  }

  /** The messages that were given back in this process. */
  get returned(): readonly MessageId[] {
    return this.#returned;
  }

  get isAnyUnderWay(): boolean {
    return this.#underWay.size > 0 || this.#returns.size > 0;
  }

  /** Resolves when no removal is under way, or none of this member. */
  async settled(name?: MemberName): Promise<void> {
    const all = [...this.#underWay, ...this.#returns].filter(
      ([each]) => name === undefined || each === name,
    );
    await Promise.allSettled(all.map(([, removal]) => removal));
  }

  /** Does what is left to do for a member that is shut down on disk. To do it twice changes nothing. */
  async finish(name: MemberName, removal: Removal): Promise<void> {
    const { keeper, post, tasks, plans, shutdowns, requests, checkouts } = this.#options;
    // The roster refuses new mail for the member; mail that was on its way has arrived after this.
    await post.arrived(name);
    await this.#returnMail(name);
    await tasks.releaseAll(name);
    await plans.end(name);
    await shutdowns.settle(name);
    await cancelAll(requests, name);
    await checkouts.retire(name);
    const record = (await keeper.read()).members.find((each) => each.name === name);
    const since = record?.spawned_at ?? "";
    await post.send(lead, {
      id: messageIdFor(`${name} spawned ${since} ended`, new Date(since || 0)),
      type: "teammate_terminated",
      from: system,
      teammate: name,
      content: `${name} is shut down: ${removal.reason}.`,
      ...removal,
    });
    await keeper.change(name, ({ ending: _, ...rest }) => rest);
  }

  /** Gives back unread mail. Its senders know before it is settled. */
  async #returnMail(name: MemberName): Promise<void> {
    const reader = await this.#readerOf(name);
    while (reader) {
      const unread = await reader.unread();
      await this.#options.sent.report(
        name,
        unread.map(({ message }) => message),
      );
      const last = unread.at(-1);
      if (!last) return;
      if (await withdrawAmong(reader, unread)) continue;
      for (const { message } of unread) await this.#tellSender(name, message);
      await reader.giveBack(last.message.id);
    }
  }

  /** A member with damaged files can be ended, too. */
  async #readerOf(name: MemberName): Promise<MailboxReader | undefined> {
    const { store, onWarning } = this.#options;
    try {
      return (await store.openMember(name, { onSetAside: () => undefined })).reader;
    } catch (error) {
      onWarning(`The mail of '${name}' cannot be returned to its senders: ${String(error)}`);
      return undefined;
    }
  }

  async #tellSender(name: MemberName, message: Message): Promise<void> {
    const { post, hub, onWarning } = this.#options;
    if (!isReturned(message)) return;
    const { id, from, timestamp } = message;
    const text = bodyOf(message);
    this.#returned.push(id);
    hub.say({ type: "message-returned", member: name, id });
    if (from === user || from === outside) {
      onWarning(`'${name}' is shut down and has not read your message: ${text.slice(0, 200)}`);
    }
    try {
      await post.send(from, {
        id: messageIdFor(`returned ${id}`, new Date(timestamp * 1000)),
        type: "message",
        from: system,
        content: `Undelivered: '${name}' is shut down and has not read your message:\n${text.slice(0, 10_000)}`,
      });
    } catch (error) {
      // The sender has ended, too, or is no member.
      if (!(error instanceof TeamError) || !error.code.startsWith("member-")) throw error;
    }
  }
}

/** Carries out withdrawals that the member was not there for. Resolves to whether there were any. */
async function withdrawAmong(
  reader: MailboxReader,
  unread: readonly MailDelivery[],
): Promise<boolean> {
  const mail = unread.map(({ message }) => message);
  const orders = mail.filter((message) => message.type === "withdraw_request");
  const meant = mail.filter(
    (message) =>
      isWithdrawable(message) &&
      orders.some(({ message_id, from }) => message_id === message.id && from === message.from),
  );
  for (const { id } of meant) await reader.withdraw(id);
  return meant.length > 0;
}

/** One removal or return at a time for each member: mail must not be given back twice. */
function during(
  underWay: Map<MemberName, Promise<void>>,
  name: MemberName,
  work: () => Promise<void>,
): Promise<void> {
  return makeOnce(underWay, name, () => work().finally(() => underWay.delete(name)));
}

function notThere(name: MemberName, members: readonly MemberRecord[]): TeamError {
  const alive = members.filter(({ status }) => status !== "shutdown");
  const names = alive.map((member) => member.name).join(", ");
  const hint = names ? `Teammates: ${names}.` : "There are no teammates.";
  const isKnown = members.some((member) => member.name === name);
  if (isKnown) return new TeamError("member-ended", `'${name}' is shut down already`, { hint });
  return new TeamError("member-unknown", `No teammate is named '${name}'`, { hint });
}

/** Cancels the open requests of a member that has ended. */
async function cancelAll(requests: Requests, from: MemberName): Promise<void> {
  for (const { id } of await requests.list({ state: "pending", from })) {
    await unlessDecided(requests.cancel(id, from, "its member has ended"));
  }
}
