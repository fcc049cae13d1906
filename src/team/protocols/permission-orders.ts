import { TeamError } from "../../errors.ts";
import { isWiderMode } from "../../permissions/modes.ts";
import { ruleOf } from "../../permissions/persons-question.ts";
import { parseRule, type Rule } from "../../permissions/rule.ts";
import { lead, type MemberName, user } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { MessageOf } from "../../protocol/message-types.ts";
import type { Request } from "../../protocol/request.ts";
import type { Requests } from "../../requests/requests.ts";
import { followLead, withOwnMode } from "../members/inherited-fields.ts";
import { isCarriedOut } from "../members/mail-orders.ts";
import type { MemberHandle } from "../members/member-handle.ts";
import type { RosterKeeper } from "../members/roster-keeper.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface PermissionOrdersOptions {
  requests: Requests;
  keeper: RosterKeeper;
  post: Post;
  /** Everybody who is alive, the lead too. */
  members(): readonly MemberHandle[];
  /** The rules that the team was started with. */
  rules: readonly Rule[];
}

/** The person's decisions about calls: answers to questions, rules for all members, and modes. */
export class PermissionOrders {
  readonly #options: PermissionOrdersOptions;
  #rules: readonly Rule[];

  constructor(options: PermissionOrdersOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** The rules for all members, including those that the person added by "always". */
  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** Restores the rules that the person added by "always". */
  async restore(): Promise<void> {
    const approved = await this.#options.requests.list({ state: "approved", type: "permission" });
    for (const { decision } of approved) this.#add(decision?.rule);
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
    if (rule) await this.#spread(rule, decided);
  }

  /** An update that came by mail: nothing where the rule is known. */
  addRule({ rule, decision }: MessageOf<"team_permission_update">): void {
    this.#add(rule, decision);
  }

  /**
   * Changes a member's mode; never to one that is wider than `widest`. Teammates that have their mode
   * from the lead follow the lead's by themselves; their records then show it.
   */
  async setMode(member: MemberHandle, mode: PermissionMode, widest: PermissionMode): Promise<void> {
    if (isWiderMode(mode, widest)) {
      throw new TeamError(
        "config-invalid",
        `'${member.name}' cannot have the mode '${mode}': it is wider than the lead's`,
        { hint: `The lead's mode is '${widest}'.` },
      );
    }
    await member.order({ type: "set-mode", mode });
    const { keeper } = this.#options;
    if (member.name === lead) await keeper.changeAll((record) => followLead(record, { mode }));
    else await keeper.change(member.name, (record) => withOwnMode(record, mode));
  }

  /** Sends the rule to all members; members that are spawned later have it from the start. */
  async #spread(rule: string, { id, decision }: Request): Promise<void> {
    this.#add(rule);
    const at = new Date(decision?.at ?? 0);
    for (const { name } of this.#options.members()) {
      await this.#options.post.send(name, {
        id: messageIdFor(`rule of ${id} for ${name}`, at),
        type: "team_permission_update",
        from: user,
        rule,
        decision: "allow",
      });
    }
  }

  /** Gives a member the rules that were added while it was being opened. */
  async catchUp(member: MemberHandle): Promise<void> {
    await member.order({ type: "add-rules", rules: this.#rules });
  }

  #add(text: string | undefined, decision: Rule["decision"] = "allow"): void {
    if (text === undefined) return;
    const isKnown = this.#rules.some((rule) => rule.text === text && rule.decision === decision);
    if (isKnown) return;
    const rule = parseRule(decision, text);
    this.#rules = [...this.#rules, rule];
    for (const member of this.#options.members())
      void member.order({ type: "add-rules", rules: [rule] });
  }
}

/** The error for an answer that came to another member than the one that asked. */
export function notTheirs({ id }: Request, member: MemberName): TeamError {
  return new TeamError("request-refused", `Request ${id} is not a question of '${member}'`, {
    hint: `Look at the open questions again. Only the ${lead}'s person answers them.`,
  });
}
