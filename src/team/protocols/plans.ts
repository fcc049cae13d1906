import { TeamError } from "../../errors.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { type MemberName, type MessageId, type RequestId, user } from "../../protocol/ids.ts";
import { isContentSize } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { TaskLease } from "../../protocol/task.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { findRequest, type Requests, unlessDecided } from "../../requests/requests.ts";
import type { RosterKeeper } from "../members/roster-keeper.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface PlanAnswer {
  approve: boolean;
  feedback?: string | undefined;
}

/** The hash and the message of an answer that came by mail. */
export interface PlanReceipt {
  hash?: string | undefined;
  cause?: MessageId | undefined;
}

/** Whether a member may change anything yet. */
export interface PlanGate {
  /** Why it may not; undefined while the gate is open. */
  closed(): string | undefined;
}

/** The permissions of a member that, while its plan gate is closed, may only look and coordinate. */
export function gated(
  permissions: Pick<Permissions, "judge">,
  gate: PlanGate,
): Pick<Permissions, "judge"> {
  return {
    async judge(call) {
      const verdict = await permissions.judge(call);
      const reason = gate.closed();
      const { action } = call;
      const isGated = action.type === "command" && action.isGated === true;
      const isHarmless = verdict.isReadOnly && !isGated;
      if (reason === undefined || isHarmless) return verdict;
      const denied = { decision: "deny", reason, isReadOnly: false } as const;
      const mayBeTried = verdict.confinement === "trial" && !isGated;
      return mayBeTried ? { ...denied, confinement: "trial" } : denied;
    },
  };
}

interface PlanState {
  isRequired: boolean;
  /** The plan that counts, if one was submitted. */
  request: Pick<TeamRequest, "id" | "state" | "version" | "created_at"> | undefined;
}

export interface PlansOptions {
  requests: Requests;
  keeper: Pick<RosterKeeper, "change">;
  post: { send(...given: Parameters<Post["send"]>): Promise<unknown> };
  /** The lead or the person. */
  approver: MemberName;
}

/** The plans that teammates hand in, and the gates that stay closed until one is approved. */
export class Plans {
  readonly #options: PlansOptions;
  readonly #states = new Map<MemberName, PlanState>();

  constructor(options: PlansOptions) {
    this.#options = options;
    options.requests.onChange((request) => this.#note(request));
  }

  gateOf(name: MemberName): PlanGate {
    return { closed: () => closedBy(this.#states.get(name)) };
  }

  /** The approved plan of a member that ends when it takes a task. */
  approvedPlanOf(name: MemberName): RequestId | undefined {
    const { isRequired, request } = this.#states.get(name) ?? {};
    return isRequired && request?.state === "approved" ? request.id : undefined;
  }

  /** True while a member waits for the answer to its plan. */
  isPending(name: MemberName): boolean {
    return this.#states.get(name)?.request?.state === "pending";
  }

  /** True while the person has a plan to decide. */
  get isAnyForPerson(): boolean {
    if (this.#options.approver !== user) return false;
    return [...this.#states.values()].some(({ request }) => request?.state === "pending");
  }

  /** Starts a member, or starts it again: its earlier plan is void. */
  async begin(name: MemberName, isRequired: boolean): Promise<void> {
    await this.#withdraw(name, "its member was spawned again");
    this.#states.set(name, { isRequired, request: undefined });
  }

  /**
   * Restores the plan of a member after a restart as it is on disk, and asks about it again. An
   * approval from before it took its task is void: the process may have died before it said so.
   */
  async restore(
    { name, plan_required: isRequired = false, plan_request: id }: MemberRecord,
    leases: readonly TaskLease[],
  ): Promise<void> {
    const known = id && (await findRequest(this.#options.requests, id));
    // The process may have died before the roster had its newest plan, and a question that was
    // signed with a key that is lost was asked again under another id.
    const newest = await this.#newestOpenPlanOf(name);
    const request = newest ?? (known && !isVoid(known) ? known : undefined);
    this.#states.set(name, { isRequired, request });
    if (!request) return;
    if (request.id !== id) await this.#keep(request);
    if (request.state === "pending") await this.#ask(request);
    else await this.#reply(request);
    if (leases.some((lease) => hasEndedBy(request, lease))) await this.onTaskTaken(name);
  }

  /** Hands in a plan; an older one of the same member is void. From now on the gate is closed. */
  async submit(from: MemberName, plan: string): Promise<TeamRequest> {
    const { requests, approver: to } = this.#options;
    if (!isContentSize(plan)) {
      throw new TeamError("content-too-large", "The plan is too long for a message", {
        hint: "Write the details to a file that you name, once you may, and hand in the gist.",
      });
    }
    const isRequired = this.#states.get(from)?.isRequired ?? false;
    const older = this.#states.get(from)?.request;
    const replaces = older?.state === "pending" ? older.id : undefined;
    const request = await requests.open({ type: "plan", from, to, subject: { plan }, replaces });
    this.#states.set(from, { isRequired, request });
    // The request may have been decided before it became the one that counts.
    this.#note(await requests.get(request.id));
    if (older?.state === "pending") await this.#cancel(older.id, from, superseded);
    await this.#keep(request);
    await this.#ask(request);
    return request;
  }

  /** Decides a plan, and tells its member. Throws where it is unknown or decided. */
  async decide(by: MemberName, id: string, answer: PlanAnswer): Promise<MemberName> {
    const request = await this.record(by, id, answer);
    await this.#reply(request);
    return request.from;
  }

  /** Decides a plan without a reply: its member has the answer by mail already. */
  async record(
    by: MemberName,
    id: string,
    { approve, feedback: reason, hash, cause }: PlanAnswer & PlanReceipt,
  ): Promise<TeamRequest> {
    const { requests } = this.#options;
    const request = await this.#require(id);
    const state = approve ? "approved" : "rejected";
    const decided = await requests.decide(request.id, {
      by,
      state,
      hash: hash ?? request.hash,
      reason,
      cause,
    });
    this.#note(decided);
    return decided;
  }

  /** A member has taken a task: an approval was for what it did before. */
  async onTaskTaken(name: MemberName): Promise<void> {
    const known = this.#states.get(name);
    if (!known?.isRequired || known.request?.state !== "approved") return;
    known.request = undefined;
    await this.#options.keeper.change(name, ({ plan_request: _, ...member }) => member);
  }

  /** The person went back: plans that were submitted since then are void, and so are their approvals. */
  async forgetSince(date: Date): Promise<void> {
    for (const [name, known] of this.#states) {
      if (!known.request || Date.parse(known.request.created_at) < date.getTime()) continue;
      await this.#withdraw(name, "the person went back to an earlier prompt");
      known.request = undefined;
      await this.#options.keeper.change(name, ({ plan_request: _, ...member }) => member);
    }
  }

  /** Withdraws the plan of a member that has ended. */
  async end(name: MemberName): Promise<void> {
    await this.#withdraw(name, "its member has ended");
    this.#states.delete(name);
  }

  /** Opens and closes a gate by the record of its plan, in whichever process it was decided. */
  #note(request: TeamRequest): void {
    const known = this.#states.get(request.from);
    if (known?.request?.id !== request.id || known.request.version > request.version) return;
    known.request = request;
  }

  async #withdraw(name: MemberName, reason: string): Promise<void> {
    const request = this.#states.get(name)?.request;
    if (request?.state === "pending") await this.#cancel(request.id, name, reason);
  }

  #cancel(id: RequestId, by: MemberName, reason: string): Promise<void> {
    return unlessDecided(this.#options.requests.cancel(id, by, reason));
  }

  async #ask({ id, type, from, to, subject, created_at }: TeamRequest): Promise<void> {
    if (type !== "plan" || to === user) return;
    await this.#options.post.send(to, {
      id: messageIdFor(`plan ${id}`, new Date(created_at)),
      type: "plan_approval_request",
      from,
      request_id: id,
      plan: subject.plan,
      content: `${from} asks you to approve a plan. Answer with plan_approval.`,
    });
  }

  async #reply({ id, from, state, decision }: TeamRequest): Promise<void> {
    if (!decision || decision.by === user) return;
    const approve = state === "approved";
    await this.#options.post.send(from, {
      id: messageIdFor(`plan decided ${id}`, new Date(decision.at)),
      type: "plan_approval_response",
      from: decision.by,
      request_id: id,
      approve,
      ...(decision.reason && { feedback: decision.reason }),
      content: approve ? "Your plan is approved: go ahead." : rejected,
    });
  }

  /** The plan that a member has submitted last; older ones are void. */
  async #newestOpenPlanOf(from: MemberName): Promise<TeamRequest | undefined> {
    const open = await this.#options.requests.list({ state: "pending", type: "plan", from });
    const replaced = new Set(open.map(({ replaces }) => replaces));
    const newest = open.findLast(({ id }) => !replaced.has(id));
    for (const { id } of open) if (id !== newest?.id) await this.#cancel(id, from, superseded);
    return newest;
  }

  async #keep({ id, from }: TeamRequest): Promise<void> {
    await this.#options.keeper.change(from, (member) => ({ ...member, plan_request: id }));
  }

  async #require(text: string): Promise<TeamRequest> {
    const request = await findRequest(this.#options.requests, text);
    if (request?.type === "plan") return request;
    const open = await this.#options.requests.list({ state: "pending", type: "plan" });
    const known = open.map(({ id: each, from }) => `${each} of '${from}'`).join(", ");
    throw new TeamError("request-unknown", `Unknown plan request_id '${text}'`, {
      hint: known ? `Undecided plans: ${known}.` : "No plan is undecided.",
    });
  }
}

/** True for the approval of a plan that has ended because its member took the task of `lease`. */
function hasEndedBy({ id, decision }: TeamRequest, { ended_plan, since }: TaskLease): boolean {
  if (ended_plan !== undefined) return ended_plan === id;
  // Leases that do not say so are of older versions, which ran in one process by one clock.
  return decision !== null && decision.at <= since;
}

function isVoid({ state }: TeamRequest): boolean {
  return state === "cancelled" || state === "expired";
}

const superseded = "a newer plan was submitted";

const rejected =
  "Your plan is rejected. Hand in another with plan_approval; until one is approved you cannot change anything.";

function closedBy(known: PlanState | undefined): string | undefined {
  const state = known?.request?.state;
  if (state === "approved" || (!known?.isRequired && state === undefined)) return undefined;
  switch (state) {
    case "pending":
      return "your plan waits for approval; end your turn, you are told the answer";
    case "rejected":
      return "your plan was rejected; hand in another with plan_approval";
    default:
      return "you need an approved plan first; look around, then hand one in with plan_approval";
  }
}
