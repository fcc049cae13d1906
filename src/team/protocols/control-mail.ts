import { TeamError } from "../../errors.ts";
import { Serial } from "../../lib/serial.ts";
import type { MailboxReader } from "../../mailbox/mailbox.ts";
import { lead, type MemberName, type MessageId, user } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { Request } from "../../protocol/request.ts";

/** So many orders are known to be carried out: many more than lie unread at once. */
const maxRemembered = 4_096;

/** What the person or the lead wants the runtime to do, by mail to a member. */
export interface Orders {
  answerPermission(
    member: MemberName,
    order: Extract<Message, { type: "permission_response" }>,
  ): Promise<void>;
  answerPlan(
    member: MemberName,
    order: Extract<Message, { type: "plan_approval_response" }>,
  ): Promise<void>;
  stop(member: MemberName, order: Extract<Message, { type: "shutdown_request" }>): Promise<void>;
  setMode(member: MemberName, order: Extract<Message, { type: "mode_set_request" }>): Promise<void>;
  addRule(
    member: MemberName,
    order: Extract<Message, { type: "team_permission_update" }>,
  ): Promise<void>;
}

export interface ControlMailOptions {
  orders: Orders;
  /** Told when nothing is left to carry out. */
  onSettled(): void;
  onWarning(message: string): void;
}

/**
 * Carries out what comes by signed mail and concerns the runtime, at once: also for a member that
 * is in the middle of a run. The mail itself is delivered like any other, later; an order that is
 * met a second time after a restart finds that it was carried out, and does nothing.
 */
export class ControlMail {
  readonly #options: ControlMailOptions;
  readonly #serial = new Serial();
  readonly #done = new Set<MessageId>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ControlMailOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Resolves when nothing is left to carry out. */
  async settled(): Promise<void> {
    while (!this.isIdle) await Promise.allSettled(this.#underWay);
  }

  /** Looks at what a member has not read. */
  async look(name: MemberName, reader: MailboxReader): Promise<void> {
    await this.#during(async () => {
      try {
        await this.heed(
          name,
          (await reader.unread()).map(({ message }) => message),
        );
      } catch (error) {
        this.#options.onWarning(`The mail of '${name}' cannot be read: ${String(error)}`);
      }
    });
  }

  /**
   * Carries out the orders among a member's mail. Whoever takes mail out of a mailbox has it heeded
   * before, because nobody finds it there afterwards.
   */
  async heed(name: MemberName, mail: readonly Message[]): Promise<void> {
    const orders = mail.filter(isOrder);
    if (orders.length === 0) return;
    await this.#during(() =>
      this.#serial.run(async () => {
        for (const order of orders) await this.#carryOut(name, order);
      }),
    );
  }

  async #carryOut(name: MemberName, order: Order): Promise<void> {
    if (this.#done.has(order.id)) return;
    this.#remember(order.id);
    const work = this.#during(() => this.#unlessRefused(() => this.#order(name, order))).catch(
      (error: unknown) => {
        // Whoever meets it again tries again.
        this.#done.delete(order.id);
        throw error;
      },
    );
    // A member that takes this very mail is waited for by its own end.
    if (order.type !== "shutdown_request") await work;
    else work.catch((error: unknown) => this.#options.onWarning(String(error)));
  }

  #remember(id: MessageId): void {
    this.#done.add(id);
    const [oldest] = this.#done;
    if (this.#done.size > maxRemembered && oldest) this.#done.delete(oldest);
  }

  /** What cannot be done is told, and over. What only could not be written is still to be done. */
  async #unlessRefused(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TeamError) || error.code === "write-failed") throw error;
      this.#options.onWarning([`${error.message}.`, error.hint].filter(Boolean).join(" "));
    }
  }

  async #during(work: () => Promise<void>): Promise<void> {
    const working = work();
    this.#underWay.add(working);
    try {
      await working;
    } finally {
      this.#underWay.delete(working);
      if (this.isIdle) this.#options.onSettled();
    }
  }

  async #order(name: MemberName, message: Order): Promise<void> {
    const { orders } = this.#options;
    switch (message.type) {
      case "permission_response":
        return orders.answerPermission(name, message);
      case "plan_approval_response":
        return orders.answerPlan(name, message);
      case "shutdown_request":
        return orders.stop(name, message);
      case "mode_set_request":
        return orders.setMode(name, message);
      case "team_permission_update":
        return orders.addRule(name, message);
    }
  }
}

type Order = Extract<
  Message,
  {
    type:
      | "permission_response"
      | "plan_approval_response"
      | "shutdown_request"
      | "mode_set_request"
      | "team_permission_update";
  }
>;

/** Of the lead, only a change of mode is for the runtime: the rest it has done by its tools. */
export function isOrder(message: Message): message is Order {
  switch (message.type) {
    case "permission_response":
    case "plan_approval_response":
    case "shutdown_request":
    case "team_permission_update":
      return message.from === user;
    case "mode_set_request":
      return message.from === user || message.from === lead;
    default:
      return false;
  }
}

/** True for an answer that a process before this one has carried out: the decision came after it. */
export function isCarriedOut({ decision }: Request, { timestamp, from }: Message): boolean {
  return decision?.by === from && timestamp * 1000 <= Date.parse(decision.at);
}
