import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { Serial } from "../../lib/serial.ts";
import type {
  AwayView,
  BroughtView,
  CheckoutsView,
  CleanedView,
  CostView,
  EntriesPage,
  LandingChangesView,
  MessagesPage,
  MessageView,
  RoomState,
} from "../../protocol/dashboard.ts";
import type {
  AnswerBody,
  EntriesQuery,
  LandingBody,
  MessagesQuery,
  ModeBody,
  RuleBody,
  SendBody,
} from "../../protocol/dashboard-requests.ts";
import { LandingId, RequestId, type TeamId } from "../../protocol/ids.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { Refused } from "../refusal.ts";
import { awayView } from "./away.ts";
import { type ChangesOptions, changesOf, type RoomEvent } from "./changes.ts";
import { CostHistory } from "./cost-history.ts";
import { broughtView, checkoutsView, cleanedView, landingChangesView } from "./landing-view.ts";
import { messagesPage, wholeMessage } from "./message-pages.ts";
import { TeamFollower, type TeamFollowerOptions } from "./team-follower.ts";
import { transcriptPage } from "./transcript-pages.ts";

export interface RoomOptions extends Omit<TeamFollowerOptions, "newEpoch"> {
  /** How long the team is followed after the last reader has gone. */
  lingerMs?: number;
}

/**
 * Everything a dashboard knows of a team and does for a person, shared by all pages of a server.
 * The team is followed only while a page is open.
 */
export class Room implements AsyncDisposable {
  readonly #options: RoomOptions;
  readonly #lingerMs: number;
  /** For actions, and for queries while the team is not followed. */
  readonly #view: TeamView;
  /** Part of all ids, so that ids of another room with the same revision are not valid here. */
  readonly #name = randomBytes(4).toString("hex");
  readonly #closing = new AbortController();
  readonly #costs = new Serial();
  #costHistory: { team: TeamId; history: CostHistory } | undefined;
  #epochs = 0;
  #readers = 0;
  #follower: TeamFollower | undefined;
  #cancelClose = () => {};
  #closed: Promise<void> = Promise.resolve();

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#lingerMs = options.lingerMs ?? 10_000;
    this.#view = options.view.reopen(() => undefined);
  }

  /** True while the team is followed. */
  get isOpen(): boolean {
    return this.#follower !== undefined;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /**
   * Everything that a page lacks, and all later changes, until the iteration ends or `signal`
   * aborts.
   */
  async *changes(options: ChangesOptions): AsyncGenerator<RoomEvent> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    if (signal.aborted) return;
    const follower = this.#enter();
    try {
      yield* changesOf(follower, this.clock, { ...options, signal });
    } finally {
      this.#leave();
    }
  }

  /** Everything that the first screen shows, when all of it is known. */
  async state(): Promise<RoomState> {
    const follower = this.#enter();
    try {
      await follower.ready;
      await follower.updater?.complete();
      return follower.records.state();
    } finally {
      this.#leave();
    }
  }

  async messages(query: MessagesQuery): Promise<MessagesPage> {
    return messagesPage(this.#current, query);
  }

  async message(to: string, id: string): Promise<MessageView> {
    return wholeMessage(this.#current, to, id);
  }

  async transcript(member: string, query: EntriesQuery): Promise<EntriesPage> {
    return transcriptPage(this.#current, member, query);
  }

  async cost(): Promise<CostView> {
    return (await this.#readCosts(this.#current)).view();
  }

  async away(since: string): Promise<AwayView> {
    const view = this.#current;
    return awayView(view, await this.#readCosts(view), since);
  }

  /** Sends mail of the person to one member or, for `all`, to all living members. */
  async send({ to, content }: SendBody): Promise<void> {
    if (to === "all") await this.#view.broadcast(content);
    else await this.#view.send(to, content);
  }

  /** Answers a question, if it is the one that the person was shown. */
  async answer(id: string, { hash, decision, reason }: AnswerBody): Promise<void> {
    const known = RequestId.safeParse(id);
    const request = known.success ? await this.#view.request(known.data) : undefined;
    if (request && request.hash !== hash) {
      throw new Refused(
        409,
        "request-changed",
        "The question has changed since you were shown it",
        "Look at it again before you answer.",
      );
    }
    await this.#view.answer(id, { decision, reason, hash });
  }

  async landingChanges(id: string): Promise<LandingChangesView> {
    return landingChangesView(await this.#current.landingChanges(landingId(id)));
  }

  checkouts(): Promise<CheckoutsView> {
    return checkoutsView(this.#current);
  }

  /** Says whether work may land, if it is the work that the person was shown. */
  async decideLanding(id: string, { commit, decision }: LandingBody): Promise<void> {
    await this.#view.decideLanding({ id: landingId(id), commit, decision });
  }

  /** Brings what has landed to the branch that the person has checked out. */
  async bringLanded(): Promise<BroughtView> {
    return broughtView(await this.#view.bringLanded());
  }

  /** Removes retired checkouts, as far as their work is kept. */
  async cleanCheckouts(): Promise<CleanedView> {
    return cleanedView(await this.#view.cleanCheckouts());
  }

  /** Ends one member (default: all of them, and the lead's run). */
  async stop(member: string | undefined): Promise<void> {
    await this.#view.stop(member);
  }

  /** Adds a permission rule for all members, or removes one that was added. */
  async changeRule({ change, ...draft }: RuleBody): Promise<void> {
    if (change === "added") await this.#view.addRule(draft);
    else await this.#view.removeRule(draft);
  }

  /** Changes a member's permission mode; teammates that follow the lead change with it. */
  async setMode({ member, mode }: ModeBody): Promise<void> {
    await this.#view.setMode(member, mode);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#close();
    await this.#closed;
  }

  #enter(): TeamFollower {
    this.#cancelClose();
    this.#readers += 1;
    this.#follower ??= new TeamFollower({
      ...this.#options,
      newEpoch: () => `${this.#name}-${++this.#epochs}`,
    });
    return this.#follower;
  }

  #leave(): void {
    this.#readers -= 1;
    if (this.#readers > 0 || this.#closing.signal.aborted) return;
    this.#cancelClose = this.clock.schedule(this.#lingerMs, () => this.#close());
  }

  #close(): void {
    this.#cancelClose();
    const follower = this.#follower;
    this.#follower = undefined;
    this.#costHistory = undefined;
    if (!follower) return;
    const closing = follower[Symbol.asyncDispose]();
    this.#closed = Promise.all([this.#closed, closing]).then(() => undefined);
    // It is awaited when the room is closed; until then nobody waits for it.
    this.#closed.catch(() => undefined);
  }

  /** The follower's view, if there is one: it has already read much of the team. */
  get #current(): TeamView {
    return this.#follower?.view ?? this.#view;
  }

  #readCosts(view: TeamView): Promise<CostHistory> {
    return this.#costs.run(async () => {
      const { team_id: team } = await view.team();
      if (this.#costHistory?.team !== team) {
        this.#costHistory = { team, history: new CostHistory(view) };
      }
      const { history } = this.#costHistory;
      await history.refresh();
      // Without a reader, nobody would close it.
      if (!this.#follower) this.#costHistory = undefined;
      return history;
    });
  }
}

function landingId(id: string): LandingId {
  const known = LandingId.safeParse(id);
  if (known.success) return known.data;
  throw new Refused(404, "landing-unknown", "There is no such landing", null);
}
