import { TeamError } from "../../errors.ts";
import { Serial } from "../../lib/serial.ts";
import type { MailboxReader } from "../../mailbox/mailbox.ts";
import { lead, type MemberName, type MessageId, user } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";

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
  stop(member: MemberName): Promise<void>;
  setMode(member: MemberName, order: Extract<Message, { type: "mode_set_request" }>): Promise<void>;
  addRule(
    member: MemberName,
    order: Extract<Message, { type: "team_permission_update" }>,
  ): Promise<void>;
}

export interface ControlMailOptions {
  orders: Orders;
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
  #looks = 0;

  constructor(options: ControlMailOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#looks === 0;
  }

  /** Looks at what a member has not read. */
  async look(name: MemberName, reader: MailboxReader): Promise<void> {
    this.#looks++;
    try {
      await this.#serial.run(async () => {
        for (const { message } of await reader.unread()) await this.#carryOut(name, message);
      });
    } catch (error) {
      this.#options.onWarning(`The mail of '${name}' cannot be read: ${String(error)}`);
    } finally {
      this.#looks--;
    }
  }

  async #carryOut(name: MemberName, message: Message): Promise<void> {
    if (!isOrder(message) || this.#done.has(message.id)) return;
    this.#done.add(message.id);
    try {
      await this.#order(name, message);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#options.onWarning([`${error.message}.`, error.hint].filter(Boolean).join(" "));
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
        return orders.stop(name);
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
function isOrder(message: Message): message is Order {
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
