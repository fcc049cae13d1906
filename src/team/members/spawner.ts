import { TeamError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Effort } from "../../protocol/effort.ts";
import { MemberName } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import type { SpawnRequest } from "../../tools/team/team-access.ts";
import type { MemberCheckouts } from "../member-checkouts.ts";
import type { Protocols } from "../protocols/protocols.ts";
import { type RoleTerms, withRole } from "../roles/role-terms.ts";
import type { TeamRoles } from "../roles/team-roles.ts";
import type { TeamStore } from "../team-store.ts";
import { followLead, ownModeLimit } from "./inherited-fields.ts";
import type { LeadSettings } from "./member-definition.ts";
import type { MemberHandle } from "./member-handle.ts";
import type { Members } from "./members.ts";
import { isolationOf, isSameMember, spawnedRecord } from "./spawning.ts";

export interface SpawnerOptions {
  store: TeamStore;
  clock: Clock;
  lead: LeadSettings;
  members: Members;
  protocols: Protocols;
  toolNames: readonly string[];
  maxTeammates: number;
  roles: Pick<TeamRoles, "termsOf" | "changeOf">;
  checkModel(id: string): void;
  /** The whole id of a model that was asked for. Throws where it cannot be used. */
  resolveModel(id: string): Promise<string>;
  /** Why a model certainly cannot be asked for an effort; undefined if it can, or nobody knows. */
  effortProblem(list: string, effort: Effort): Promise<string | undefined>;
  /** Throws where a member could not be opened as its record says. */
  check(record: MemberRecord): Promise<void>;
  /** Throws where a skill or an MCP server is missing that it is to have. */
  checkGiven(record: MemberRecord): Promise<void>;
  open(record: MemberRecord): Promise<MemberHandle>;
  leadsMode(): PermissionMode;
  checkouts: Pick<MemberCheckouts, "isolation" | "make" | "abandon" | "retire">;
  /** The request as the program leaves it. Throws where the program refuses it. */
  review(spawn: SpawnReview): Promise<SpawnRequest>;
  /** Told before the prompt is sent. */
  onSpawn(name: MemberName): void;
}

/** A spawn that a program may refuse or change. */
export interface SpawnReview {
  /** The member that wants the teammate, or the person. */
  readonly by: MemberName;
  /** The teammate as it was asked for. */
  readonly request: SpawnRequest;
  /** Aborted when the team is closed. */
  readonly signal: AbortSignal;
}

/** A teammate as it was spawned. */
export interface SpawnedMember {
  record: MemberRecord;
  /** What of its role has no effect, and what its checkout lacks although it may be expected there. */
  notes: readonly string[];
}

/** A member that is open and not in the team yet. */
interface PreparedMember extends SpawnedMember {
  member: MemberHandle;
}

interface SpawnStart {
  by: MemberName;
  /** The record of the one that had the name. */
  before: MemberRecord | undefined;
  request: SpawnRequest;
  /** Resolves when the records of all earlier spawns are on the way to the roster. */
  turn: Promise<void>;
  endTurn(): void;
}

/** Spawns teammates, and wakes those again that are known. */
export class Spawner {
  readonly #options: SpawnerOptions;
  /** The members that are being spawned, and may not be in the roster yet. */
  readonly #underWay = new Map<MemberName, { record: MemberRecord; work: Promise<unknown> }>();
  /** Every spawn that was asked for, from its first moment on. */
  readonly #all = new Set<Promise<SpawnedMember>>();
  readonly #preparing = new Set<Promise<PreparedMember>>();
  #lastTurn: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: SpawnerOptions) {
    this.#options = options;
  }

  /** Throws where it cannot be as asked; then everything is as it was. */
  async spawn(by: MemberName, request: SpawnRequest): Promise<SpawnedMember> {
    const spawning = this.#spawn(by, request);
    this.#all.add(spawning);
    try {
      return await spawning;
    } finally {
      this.#all.delete(spawning);
    }
  }

  async #spawn(by: MemberName, asked: SpawnRequest): Promise<SpawnedMember> {
    // An order to stop all members stops this one from now on, too.
    const askedAt = this.#options.clock.now();
    const { signal } = this.#closing;
    const reviewed = await this.#options.review({ by, request: asked, signal });
    const terms = await this.#termsOf(reviewed);
    const { leadsMode } = this.#options;
    const request = await this.#withWholeModel(
      terms ? withRole(reviewed, terms, leadsMode()) : reviewed,
    );
    const called = MemberName.safeParse(request.name.toLowerCase());
    let team = await this.#options.protocols.keeper.read();
    // From the last check on nothing is awaited until the spawn is under way: of two spawns of one
    // name in the same moment, only one may pass.
    while (called.success && this.#underWay.has(called.data)) {
      await this.settled(called.data);
      team = await this.#options.protocols.keeper.read();
    }
    const record = this.#recordOf(request, { team, terms, now: askedAt });
    const { name } = record;
    const before = team.members.find((each) => each.name === name);
    const work = this.#begin(record, { by, before, request, ...this.#takeTurn() });
    this.#underWay.set(name, { record, work });
    try {
      const spawned = await work;
      const notes = terms?.notes ?? (await this.#changesOf(record));
      return { ...spawned, notes: [...notes, ...spawned.notes] };
    } finally {
      this.#underWay.delete(name);
    }
  }

  /** The role that the request names, as it is now. */
  async #termsOf({ agent }: SpawnRequest): Promise<RoleTerms | undefined> {
    if (agent === undefined) return undefined;
    const { roles, toolNames, lead } = this.#options;
    return await roles.termsOf(agent, { toolNames, leadsModel: lead.model });
  }

  /** Says so where a member continues with a role whose file is another one now. */
  async #changesOf({ agent }: MemberRecord): Promise<string[]> {
    const change = agent && (await this.#options.roles.changeOf(agent));
    if (change === undefined) return [];
    const { name, path } = agent ?? {};
    return [
      `Role ${name}: ${path} ${change} since it was spawned; it keeps what it had. Spawn it with agent to change that.`,
    ];
  }

  async #withWholeModel(request: SpawnRequest): Promise<SpawnRequest> {
    if (request.model === undefined) return request;
    return { ...request, model: await this.#options.resolveModel(request.model) };
  }

  /** Resolves when no spawn is under way, or none of this member. */
  async settled(name?: MemberName): Promise<void> {
    const one = name && this.#underWay.get(name)?.work;
    await Promise.allSettled<unknown>(name === undefined ? this.#all : [one]);
  }

  isSpawning(name: MemberName): boolean {
    return this.#underWay.has(name);
  }

  /** Every spawn that was asked for and is not finished. */
  get underWay(): Promise<SpawnedMember>[] {
    return [...this.#all];
  }

  get isAnyUnderWay(): boolean {
    return this.#all.size > 0;
  }

  /** Refuses further spawns. Resolves when no spawn is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  #recordOf(
    request: SpawnRequest,
    { team, terms, now }: { team: TeamRecord; terms: RoleTerms | undefined; now: Date },
  ): MemberRecord {
    const { members, lead, leadsMode, ...options } = this.#options;
    if (this.#closing.signal.aborted) {
      const hint = "Its members continue at the next start.";
      throw new TeamError("team-closed", "The team is being closed", { hint });
    }
    const isInRoster = ({ name }: MemberRecord) => team.members.some((each) => each.name === name);
    const underWay = [...this.#underWay.values()].map(({ record }) => record);
    const coming = underWay.filter((record) => !isInRoster(record));
    const surroundings = {
      ...options,
      isolation: options.checkouts.isolation,
      team: { ...team, members: [...team.members, ...coming] },
      lead: { ...lead, mode: leadsMode() },
      isBusy: (name: MemberName) => members.isBusy(name),
      now,
    };
    const record = spawnedRecord(request, surroundings, terms?.record);
    const exhausted = members.get(record.name)?.state.exhausted;
    if (!exhausted) return record;
    const hint = "Nothing wakes it again in this run. Spawn another name.";
    throw new TeamError("spawn-refused", `'${record.name}' cannot work: ${exhausted}`, { hint });
  }

  async #begin(
    asked: MemberRecord,
    { by, before, request, turn, endTurn }: SpawnStart,
  ): Promise<SpawnedMember> {
    const { members, protocols, onSpawn } = this.#options;
    const { hub, post } = protocols;
    const { name } = asked;
    try {
      const prepared = await this.#prepareWithOthers(asked, { before, request });
      const { member, record, notes } = prepared;
      await turn;
      // The lead's mode may have changed since the spawn was asked for.
      const { lead, leadsMode } = this.#options;
      const writing = protocols.keeper.upsert(followLead(record, { ...lead, mode: leadsMode() }));
      endTurn();
      await writing;
      hub.say({ type: "member-change", member: name, status: "working" });
      onSpawn(name);
      const isNew = members.get(name) !== member;
      members.add(member);
      await protocols.permissions.rules.giveTo(member);
      await this.#giveModel(member, record);
      try {
        await post.send(name, { type: "message", from: by, content: request.prompt });
      } finally {
        if (isNew) await member.order({ type: "start" });
      }
      return { record, notes };
    } finally {
      endTurn();
    }
  }

  /** The lead's model may have been changed while a member that follows it was opened. */
  async #giveModel(member: MemberHandle, record: MemberRecord): Promise<void> {
    const { model = "", effort } = followLead(record, this.#options.lead);
    if (model === record.model && effort === record.effort) return;
    await member.order({ type: "set-model", model, effort });
  }

  /** Members are opened in parallel, and enter the roster in the order of their spawns. */
  #takeTurn(): Pick<SpawnStart, "turn" | "endTurn"> {
    const turn = this.#lastTurn;
    let endTurn = () => {};
    this.#lastTurn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    return { turn, endTurn };
  }

  /** Waits for the members that are being prepared already, also for those that fail. */
  async #prepareWithOthers(record: MemberRecord, start: Pick<SpawnStart, "before" | "request">) {
    const preparing = this.#prepare(record, start);
    this.#preparing.add(preparing);
    try {
      await Promise.allSettled([...this.#preparing]);
      return await preparing;
    } finally {
      this.#preparing.delete(preparing);
    }
  }

  async #prepare(
    asked: MemberRecord,
    { before, request }: Pick<SpawnStart, "before" | "request">,
  ): Promise<PreparedMember> {
    const { checkouts, protocols } = this.#options;
    const { plans, shutdowns, removals } = protocols;
    const { name } = asked;
    // An effort that was asked for is never left out: the lead would not learn of it.
    if (request.effort) await this.#requireEffort(asked.model ?? "", request.effort);
    // The removal of the earlier member of this name must not affect its successor.
    await removals.settled(name);
    const isApart = isolationOf(request, before, checkouts.isolation) === "checkout";
    const isNew = isApart && asked.checkout === undefined;
    const { record, notes } = isNew
      ? await checkouts.make(asked, this.#closing.signal)
      : { record: asked, notes: [] };
    try {
      await this.#options.checkGiven(record);
      const member = await this.#openOrReuse(record, before, request.fresh === true);
      if (before?.checkout && !record.checkout) await checkouts.retire(name);
      await plans.begin(name, record.plan_required === true);
      // Shutdown requests to its predecessor are over.
      await shutdowns.settle(name);
      return { member, record, notes };
    } catch (error) {
      if (isNew) await checkouts.abandon(name);
      throw error;
    }
  }

  async #requireEffort(model: string, effort: Effort): Promise<void> {
    const problem = await this.#options.effortProblem(model, effort);
    if (problem === undefined) return;
    throw new TeamError("spawn-refused", `The effort ${effort} is not possible: ${problem}`, {
      hint: "Choose one that the model takes, or another model, or leave it out.",
    });
  }

  /** The member that is open already, where it can continue as it is, or a newly opened one. */
  async #openOrReuse(
    record: MemberRecord,
    before: MemberRecord | undefined,
    isFresh: boolean,
  ): Promise<MemberHandle> {
    const { members, store, check, open } = this.#options;
    const known = members.get(record.name);
    if (known && before && !known.state.hasEnded && !isFresh && isSameMember(record, before)) {
      await known.order({ type: "respawn", mode: ownModeLimit(record) });
      return known;
    }
    if (known) {
      // Before the one that is there is given up for it.
      await check(record);
      await known.order({ type: isFresh ? "make-way" : "leave" });
    }
    if (isFresh) await store.forget(record.name);
    return open(record);
  }
}
