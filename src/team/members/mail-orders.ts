import { TeamError } from "../../errors.ts";
import { Listeners } from "../../lib/listeners.ts";
import { Serial } from "../../lib/serial.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { isOrder, type MessageOf, type OrderType } from "../../protocol/message-types.ts";
import type { TeamRequest } from "../../protocol/request.ts";

/** So many orders are known to be carried out: many more than lie unread at once. */
const maxRemembered = 4_096;

/** How the runtime carries out what the person or the lead orders by mail to a member. */
export type OrderHandlers = {
  [Type in OrderType]: (
    member: MemberName,
    order: MessageOf<Type>,
    receipt: OrderReceipt,
  ) => Promise<void>;
};

/** How an order came. */
export interface OrderReceipt {
  /** True where it was in the mailbox before this process looked there for the first time. */
  isFromBefore: boolean;
}

export interface MailOrdersOptions {
  /** Whose mail it is. */
  member: MemberName;
  orders: OrderHandlers;
  onWarning(message: string): void;
}

/**
 * Carries out the orders in one member's signed mail, at once: also in the middle of a run. The mail
 * itself is delivered like any other, later. An order that is met a second time after a restart
 * finds that it was carried out, and does nothing.
 */
export class MailOrders {
  readonly #options: MailOrdersOptions;
  readonly #serial = new Serial();
  readonly #done = new Set<MessageId>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #settled = new Listeners<void>();
  #hasLooked = false;

  constructor(options: MailOrdersOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Calls back whenever nothing is left to carry out. */
  onSettled(listener: () => void): () => void {
    return this.#settled.add(listener);
  }

  /** Resolves when nothing is left to carry out. */
  async settled(): Promise<void> {
    while (!this.isIdle) await Promise.allSettled(this.#underWay);
  }

  /**
   * Carries out the orders among `mail`. Must be called before mail is taken out of a mailbox,
   * because it cannot be found there afterwards.
   */
  async carryOut(mail: readonly Message[]): Promise<void> {
    const orders = mail.filter(isOrder);
    const receipt = { isFromBefore: !this.#hasLooked };
    this.#hasLooked = true;
    if (orders.length === 0) return;
    await this.during(() =>
      this.#serial.run(async () => {
        for (const order of orders) await this.#carryOut(order, receipt);
      }),
    );
  }

  /** Counts `work` among what is under way. */
  async during(work: () => Promise<unknown>): Promise<void> {
    const working = work();
    this.#underWay.add(working);
    try {
      await working;
    } finally {
      this.#underWay.delete(working);
      if (this.isIdle) this.#settled.emit();
    }
  }

  async #carryOut(order: MessageOf<OrderType>, receipt: OrderReceipt): Promise<void> {
    if (this.#done.has(order.id)) return;
    this.#remember(order.id);
    const work = this.during(() =>
      this.#unlessRefused(() => this.#obey(order.type, order, receipt)),
    ).catch((error: unknown) => {
      // It is tried again when it is read again.
      this.#done.delete(order.id);
      throw error;
    });
    // A member that takes this very mail is waited for by its own end.
    if (order.type !== "shutdown_request") await work;
    else work.catch((error: unknown) => this.#options.onWarning(String(error)));
  }

  #remember(id: MessageId): void {
    this.#done.add(id);
    const [oldest] = this.#done;
    if (this.#done.size > maxRemembered && oldest) this.#done.delete(oldest);
  }

  /**
   * A refused order is reported and done with. One that could not be written is still to be carried
   * out.
   */
  async #unlessRefused(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TeamError) || error.code === "write-failed") throw error;
      this.#options.onWarning([`${error.message}.`, error.hint].filter(Boolean).join(" "));
    }
  }

  #obey<Type extends OrderType>(
    type: Type,
    order: MessageOf<Type>,
    receipt: OrderReceipt,
  ): Promise<void> {
    const { orders, member } = this.#options;
    return orders[type](member, order, receipt);
  }
}

/** True for an answer that a process before this one has carried out. */
export function isCarriedOut({ decision }: TeamRequest, { id, timestamp, from }: Message): boolean {
  if (decision?.cause !== undefined) return decision.cause === id;
  // Decisions without a cause are of older versions, which ran in one process by one clock.
  return decision?.by === from && timestamp * 1000 <= Date.parse(decision.at);
}
