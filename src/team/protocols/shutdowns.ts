import { TeamError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { lead, type MemberName, type RequestId } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { findRequest, type Requests, unlessDecided } from "../../requests/requests.ts";
import type { RosterKeeper } from "../members/roster-keeper.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface ShutdownsOptions {
  requests: Requests;
  keeper: Pick<RosterKeeper, "read">;
  post: Post;
  clock: Clock;
  /** How long a member has to answer. */
  graceMs: number;
  /** Ends a member for good. Resolves when the member is gone. */
  end(name: MemberName, reason: string): Promise<void>;
  onWarning(message: string): void;
}

const agreed = "it agreed to shut down";

/** Asks members to end, and sees to it that they do, unless they refuse. */
export class Shutdowns implements Disposable {
  readonly #options: ShutdownsOptions;
  readonly #graces = new Map<MemberName, () => void>();

  constructor(options: ShutdownsOptions) {
    this.#options = options;
    // Another process may have written the member's answer.
    options.requests.onChange(({ type, state, to }) => {
      if (type === "shutdown" && state === "rejected") this.#endGrace(to);
    });
  }

  /** Asks. A member that was asked already, and has not answered, is not asked twice. */
  async ask(by: MemberName, teammate: MemberName): Promise<TeamRequest> {
    const { requests } = this.#options;
    const known = (await requests.list({ state: "pending", type: "shutdown" })).find(
      ({ to }) => to === teammate,
    );
    if (known) return known;
    const subject = { teammate, incarnation: await this.#incarnationOf(teammate) };
    const request = await requests.open({ type: "shutdown", from: by, to: teammate, subject });
    await this.#send(request);
    this.#grant(request);
    return request;
  }

  /**
   * After a restart: open requests are sent again, once; agreed ones are carried out, and refusals
   * are reported to the lead again. Requests to an earlier member of the same name are void.
   */
  async restore(members: readonly MemberRecord[]): Promise<void> {
    const all = await this.#options.requests.list({ type: "shutdown" });
    for (const { name, incarnation } of members) {
      const isOfThis = (request: TeamRequest) =>
        request.type === "shutdown" && request.subject.incarnation === incarnation;
      const own = all.filter(({ to }) => to === name);
      for (const { id, state } of own.filter((request) => !isOfThis(request))) {
        if (state === "pending") await this.#expire(id);
      }
      const newest = own.filter(isOfThis).at(-1);
      if (newest) await this.#goOn(newest);
    }
  }

  /** A member's answer. Throws where the request is not its own open one. */
  async answer(
    by: MemberName,
    id: string,
    { approve, reason }: { approve: boolean; reason?: string | undefined },
  ): Promise<void> {
    const request = await this.find(id);
    if (!request || request.to !== by) throw await this.#unknown(by, id);
    const state = approve ? "approved" : "rejected";
    const { hash } = request;
    const decided = await this.#options.requests.decide(request.id, { by, state, hash, reason });
    this.#endGrace(by);
    // Not awaited: the member is in the middle of the very call that ends it.
    if (approve) void this.#end(by, agreed);
    await this.#reply(decided);
  }

  async find(id: string): Promise<TeamRequest | undefined> {
    const request = await findRequest(this.#options.requests, id);
    return request?.type === "shutdown" ? request : undefined;
  }

  /** Closes the open shutdown requests to a member that has ended. */
  async settle(name: MemberName): Promise<void> {
    this.#endGrace(name);
    const open = await this.#options.requests.list({ state: "pending", type: "shutdown" });
    for (const { id } of open.filter(({ to }) => to === name)) await this.#expire(id);
  }

  /** True while a member is given time to answer. */
  get isAnyOpen(): boolean {
    return this.#graces.size > 0;
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#graces.keys()]) this.#endGrace(name);
  }

  async #goOn(request: TeamRequest): Promise<void> {
    switch (request.state) {
      case "approved":
        return this.#end(request.to, agreed);
      case "rejected":
        return this.#reply(request);
      case "pending":
        await this.#send(request);
        this.#grant(request);
    }
  }

  async #send({ id, from, to, created_at }: TeamRequest): Promise<void> {
    await this.#options.post.send(to, {
      id: messageIdFor(`shutdown ${id}`, new Date(created_at)),
      type: "shutdown_request",
      from,
      request_id: id,
      content:
        "You are asked to shut down. Answer with shutdown_response: approve, or refuse with a reason.",
    });
  }

  /** Always the same message for one answer: it is shown once, however often it is sent. */
  async #reply({ id, to: by, state, decision, created_at }: TeamRequest): Promise<void> {
    const approve = state === "approved";
    await this.#options.post.send(lead, {
      id: messageIdFor(`shutdown answered ${id}`, new Date(created_at)),
      type: "shutdown_response",
      from: by,
      request_id: id,
      approve,
      reason: decision?.reason ?? (approve ? undefined : "no reason given"),
      content: approve ? `${by} shuts down.` : `${by} refuses to shut down.`,
    });
  }

  async #incarnationOf(name: MemberName): Promise<string | undefined> {
    const { members } = await this.#options.keeper.read();
    return members.find((member) => member.name === name)?.incarnation;
  }

  #grant({ to }: TeamRequest): void {
    const { clock, graceMs } = this.#options;
    this.#endGrace(to);
    const reason = `it did not answer within ${graceMs / 1000} s`;
    this.#graces.set(
      to,
      clock.schedule(graceMs, () => {
        this.#graces.delete(to);
        void this.#end(to, reason);
      }),
    );
  }

  async #end(name: MemberName, reason: string): Promise<void> {
    const { end, onWarning } = this.#options;
    await end(name, reason).catch((error: unknown) =>
      onWarning(`'${name}' could not be shut down: ${String(error)}`),
    );
  }

  async #expire(id: RequestId): Promise<void> {
    await unlessDecided(this.#options.requests.expire(id, "the member has ended"));
  }

  #endGrace(name: MemberName): void {
    this.#graces.get(name)?.();
    this.#graces.delete(name);
  }

  async #unknown(by: MemberName, id: string): Promise<TeamError> {
    const open = await this.#options.requests.list({ state: "pending", type: "shutdown" });
    const own = open.filter(({ to }) => to === by).map((request) => request.id);
    return new TeamError("request-unknown", `No shutdown request '${id}' is open for you`, {
      hint: own.length > 0 ? `Open for you: ${own.join(", ")}.` : "Nobody asks you to shut down.",
    });
  }
}
