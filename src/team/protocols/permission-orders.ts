import { TeamError } from "../../errors.ts";
import { ruleOf } from "../../permissions/persons-question.ts";
import { lead, type MemberName, user } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { MessageOf } from "../../protocol/message-types.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Requests } from "../../requests/requests.ts";
import { followLead, withLeads, withOwn } from "../members/inherited-fields.ts";
import { isCarriedOut } from "../members/mail-orders.ts";
import type { MemberHandle } from "../members/member-handle.ts";
import { modeInForce, requireNotWider } from "./member-modes.ts";
import { TeamRules, type TeamRulesOptions } from "./team-rules.ts";

export interface PermissionOrdersOptions extends TeamRulesOptions {
  requests: Requests;
}

/** The person's decisions about calls: answers to questions, rules for all members, and modes. */
export class PermissionOrders {
  readonly #options: PermissionOrdersOptions;
  readonly rules: TeamRules;

  constructor(options: PermissionOrdersOptions) {
    this.#options = options;
    this.rules = new TeamRules(options);
  }

  async answer(member: MemberName, order: MessageOf<"permission_response">): Promise<void> {
    const { requests } = this.#options;
    const request = await requests.get(order.request_id);
    if (request.type !== "permission" || request.from !== member) throw notTheirs(request, member);
    if (isCarriedOut(request, order)) return;
    const isAllowed = order.decision !== "deny";
    const rule = order.decision === "allow-always" ? ruleOf(request) : undefined;
    const decided = await requests.decide(request.id, {
      by: user,
      state: isAllowed ? "approved" : "rejected",
      hash: order.hash ?? request.hash,
      reason: order.reason ?? (isAllowed ? undefined : "the person said no"),
      rule,
      cause: order.id,
    });
    if (rule) {
      const { at } = decided.decision ?? { at: decided.created_at };
      await this.rules.takeFromAnswer(rule, at, request.id);
    }
  }

  /**
   * Changes a member's mode; never to one that is wider than `widest`. Teammates that have their mode
   * from the lead follow the lead's by themselves; their records then show it.
   */
  async setMode(member: MemberHandle, mode: PermissionMode, widest: PermissionMode): Promise<void> {
    requireNotWider(member.name, mode, widest);
    await this.#announcing(async () => {
      await member.order({ type: "set-mode", mode });
      const { keeper } = this.#options;
      if (member.name === lead) await this.#keepLeadsMode(mode);
      else await keeper.change(member.name, (record) => withOwn(record, { permission_mode: mode }));
    });
  }

  /** Changes the mode of everybody: teammates have the lead's from now on. */
  async setModeOfAll(mode: PermissionMode): Promise<void> {
    const { members, keeper } = this.#options;
    await this.#announcing(async () => {
      for (const member of members()) {
        // Of a teammate that follows the lead, nothing but the lead's mode limits the mode.
        const own = member.name === lead ? mode : "bypassPermissions";
        await member.order({ type: "set-mode", mode: own });
      }
      await keeper.changeAll((record) => withLeads(record, { permission_mode: mode }));
      await this.#keepLeadsMode(mode);
    });
  }

  /** Writes down the lead's mode at the start, for other processes, if they would take it for another one. */
  async noteMode(mode: PermissionMode): Promise<void> {
    const { keeper } = this.#options;
    if (modeInForce(await keeper.permissions()) === mode) return;
    await keeper.changePermissions((known) => ({ ...known, mode_in_force: mode }));
  }

  /**
   * Keeps the lead's mode for the next start, but for the one without any question: that is to be
   * chosen at each start.
   */
  async #keepLeadsMode(mode: PermissionMode): Promise<void> {
    const { keeper } = this.#options;
    await keeper.changePermissions(({ mode: _, ...others }) => ({
      ...{ ...others, mode_in_force: mode },
      ...(mode !== "bypassPermissions" && { mode }),
    }));
    await keeper.changeAll((record) => followLead(record, { mode }));
  }

  /** Shows each mode that `change` changes. */
  async #announcing(change: () => Promise<void>): Promise<void> {
    const { members, hub } = this.#options;
    const before = new Map(members().map(({ name, state }) => [name, state.mode]));
    await change();
    for (const { name, state } of members()) {
      const { mode } = state;
      const known = before.get(name);
      if (known !== mode) hub.say({ type: "mode-change", member: name, mode });
    }
  }
}

/** The error for an answer that came to another member than the one that asked. */
export function notTheirs({ id }: TeamRequest, member: MemberName): TeamError {
  return new TeamError("request-refused", `Request ${id} is not a question of '${member}'`, {
    hint: `Look at the open questions again. Only the ${lead}'s person answers them.`,
  });
}
