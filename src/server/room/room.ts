import { randomBytes } from "node:crypto";
import { Serial } from "../../lib/serial.ts";
import type {
  AwayView,
  CostView,
  MessagesPage,
  MessageView,
  RoomState,
  TranscriptPage,
} from "../../protocol/dashboard.ts";
import type {
  AnswerBody,
  MessagesQuery,
  SendBody,
  TranscriptQuery,
} from "../../protocol/dashboard-requests.ts";
import { RequestId, type TeamId } from "../../protocol/ids.ts";
import { TeamObserver } from "../../team/team-observer.ts";
import type { TeamPlace } from "../../team/team-place.ts";
import { awayView } from "./away.ts";
import { type ChangesOptions, changesOf, type RoomEvent } from "./changes.ts";
import { CostHistory } from "./cost-history.ts";
import { Following } from "./following.ts";
import { messagesPage, wholeMessage } from "./message-pages.ts";
import { Refused } from "./refused.ts";
import { transcriptPage } from "./transcript-pages.ts";

export interface RoomOptions {
  place: TeamPlace;
  /** The program's own. */
  version: string;
  /** So long after the last reader has gone the team is still followed. */
  lingerMs?: number;
}

/**
 * What a dashboard knows of a team and does for a person: one for all pages of a server. The team
 * is followed while anybody reads, and not otherwise.
 */
export class Room implements AsyncDisposable {
  readonly #options: RoomOptions;
  readonly #lingerMs: number;
  /** Ids of another room are none of this one, though its revisions are. */
  readonly #name = randomBytes(4).toString("hex");
  readonly #closing = new AbortController();
  readonly #costs = new Serial();
  #costHistory: { team: TeamId; history: CostHistory } | undefined;
  #epochs = 0;
  #readers = 0;
  #following: Following | undefined;
  #cancelClose = () => {};
  #closed: Promise<void> = Promise.resolve();

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#lingerMs = options.lingerMs ?? 10_000;
  }

  /** True while the team is followed. */
  get isOpen(): boolean {
    return this.#following !== undefined;
  }

  get clock(): TeamPlace["clock"] {
    return this.#options.place.clock;
  }

  /** All that a page lacks and what happens from then on, until it is left or `signal` aborts. */
  async *changes(options: ChangesOptions): AsyncGenerator<RoomEvent> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    if (signal.aborted) return;
    const following = this.#enter();
    try {
      yield* changesOf(following, this.clock, { ...options, signal });
    } finally {
      this.#leave();
    }
  }

  /** Everything that the first screen shows, when all of it is known. */
  async state(): Promise<RoomState> {
    const following = this.#enter();
    try {
      await following.ready;
      await following.sight?.complete();
      return following.records.state();
    } finally {
      this.#leave();
    }
  }

  async messages(query: MessagesQuery): Promise<MessagesPage> {
    return messagesPage(await this.#observe(), query);
  }

  /** One message whole. */
  async message(to: string, id: string): Promise<MessageView> {
    return wholeMessage(await this.#observe(), to, id);
  }

  async transcript(member: string, query: TranscriptQuery): Promise<TranscriptPage> {
    return transcriptPage(await this.#observe(), member, query);
  }

  async cost(): Promise<CostView> {
    return (await this.#readCosts(await this.#observe())).view();
  }

  async away(since: string): Promise<AwayView> {
    const observer = await this.#observe();
    return awayView(observer, await this.#readCosts(observer), since);
  }

  /** Leaves mail of the person, for one member or, for `all`, everybody who is alive. */
  async send({ to, content }: SendBody): Promise<void> {
    const observer = await this.#observeAnew();
    if (to === "all") await observer.broadcast(content);
    else await observer.send(to, content);
  }

  /** Answers a question, if it is the one that the person was shown. */
  async answer(id: string, { hash, decision, reason }: AnswerBody): Promise<void> {
    const observer = await this.#observeAnew();
    const known = RequestId.safeParse(id);
    const request = known.success ? await observer.request(known.data) : undefined;
    if (request && request.hash !== hash) {
      throw new Refused({
        status: 409,
        code: "request-changed",
        message: "What is asked is not what you were shown",
        hint: "Look at it again, and then answer.",
      });
    }
    await observer.answer(id, { decision, reason, hash });
  }

  /** Ends one member; all of them, and the lead's run, unless said. */
  async stop(member: string | undefined): Promise<void> {
    await (await this.#observeAnew()).stop(member);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#close();
    await this.#closed;
  }

  #enter(): Following {
    this.#cancelClose();
    this.#readers += 1;
    this.#following ??= new Following({
      ...this.#options,
      newEpoch: () => `${this.#name}-${++this.#epochs}`,
    });
    return this.#following;
  }

  #leave(): void {
    this.#readers -= 1;
    if (this.#readers > 0 || this.#closing.signal.aborted) return;
    this.#cancelClose = this.clock.schedule(this.#lingerMs, () => this.#close());
  }

  #close(): void {
    this.#cancelClose();
    const following = this.#following;
    this.#following = undefined;
    this.#costHistory = undefined;
    if (!following) return;
    const closing = following[Symbol.asyncDispose]();
    this.#closed = Promise.all([this.#closed, closing]).then(() => undefined);
    // It is awaited when the room is closed; until then nobody waits for it.
    this.#closed.catch(() => undefined);
  }

  /** The team as it is known, without reading its roster again where somebody follows it. */
  async #observe(): Promise<TeamObserver> {
    return this.#following?.sight?.observer ?? (await this.#observeAnew());
  }

  /** The team as it is: what is done is decided by this moment's roster. */
  #observeAnew(): Promise<TeamObserver> {
    return TeamObserver.open({ ...this.#options.place, onWarning: () => undefined });
  }

  #readCosts(observer: TeamObserver): Promise<CostHistory> {
    return this.#costs.run(async () => {
      const team = observer.team.team_id;
      if (this.#costHistory?.team !== team) {
        this.#costHistory = { team, history: new CostHistory(observer.usageHistory()) };
      }
      const { history } = this.#costHistory;
      await history.refresh();
      // Nobody would close it where nobody reads.
      if (!this.#following) this.#costHistory = undefined;
      return history;
    });
  }
}
