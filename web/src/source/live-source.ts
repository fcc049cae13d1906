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
  StreamEvents,
} from "../../../src/protocol/dashboard.ts";
import type {
  AnswerBody,
  LandingBody,
  ModeBody,
  RuleBody,
  SendBody,
} from "../../../src/protocol/dashboard-requests.ts";
import {
  ask,
  getJson,
  LockedError,
  openSession,
  postForJson,
  postJson,
  queryOf,
  unreachable,
} from "./api.ts";
import { connect } from "./connection.ts";
import { LiveStream, type StreamDependencies } from "./live-stream.ts";
import { isSession } from "./session.ts";
import {
  type Listener,
  type MessagesPageQuery,
  type Source,
  SourceError,
  type TranscriptPageQuery,
} from "./source.ts";

/**
 * The token in the address. It is removed from the address at once, so that neither the history nor
 * a copied address contains it.
 */
export function takeToken(): string | null {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return null;
  history.replaceState(null, "", `${location.pathname}#/`);
  return token;
}

/** A live team, from the server of this page. */
export class LiveSource implements Source {
  readonly canAct = true;
  readonly #token: string | null;
  #stream: LiveStream | null = null;
  #watched: string | null = null;

  constructor(token: string | null) {
    this.#token = token;
  }

  listen(listener: Listener): () => void {
    const teller = {
      onConnection: listener.onConnection.bind(listener),
      onEvent: (name: keyof StreamEvents, data: string) => tell(listener, name, data),
    };
    const stream = new LiveStream(browserWorld, teller, this.#token);
    this.#stream = stream;
    stream.watch(this.#watched);
    stream.start();
    const ends = new AbortController();
    const { signal } = ends;
    const hurry = () => document.visibilityState === "visible" && stream.hurry();
    document.addEventListener("visibilitychange", hurry, { signal });
    window.addEventListener("online", () => stream.hurry(), { signal });
    // A new address in the same tab: only the part after `#` changes, and nothing is loaded.
    window.addEventListener("hashchange", () => unlockBy(stream), { signal });
    window.addEventListener("storage", (event) => isSession(event) && stream.retry(), { signal });
    return () => {
      ends.abort();
      stream.stop();
    };
  }

  watch(member: string | null): void {
    this.#watched = member;
    this.#stream?.watch(member);
  }

  messages({ types, ...wish }: MessagesPageQuery): Promise<MessagesPage> {
    return this.#get(`/api/messages${queryOf({ ...wish, types: types?.join(",") })}`);
  }

  message(to: string, id: string): Promise<MessageView> {
    return this.#get(`/api/messages/${encodeURIComponent(to)}/${encodeURIComponent(id)}`);
  }

  transcript(member: string, wish: TranscriptPageQuery): Promise<EntriesPage> {
    return this.#get(
      `/api/members/${encodeURIComponent(member)}/transcript${queryOf({ ...wish })}`,
    );
  }

  cost(): Promise<CostView> {
    return this.#get("/api/cost");
  }

  away(since: string): Promise<AwayView> {
    return this.#get(`/api/away${queryOf({ since })}`);
  }

  send(body: SendBody): Promise<void> {
    return this.#guarded(() => postJson("/api/messages", body));
  }

  answer(request: string, body: AnswerBody): Promise<void> {
    return this.#guarded(() =>
      postJson(`/api/requests/${encodeURIComponent(request)}/answer`, body),
    );
  }

  changeRule(body: RuleBody): Promise<void> {
    return this.#guarded(() => postJson("/api/rules", body));
  }

  setMode(body: ModeBody): Promise<void> {
    return this.#guarded(() => postJson("/api/mode", body));
  }

  landingChanges(landing: string): Promise<LandingChangesView> {
    return this.#get(`/api/landings/${encodeURIComponent(landing)}/changes`);
  }

  decideLanding(landing: string, body: LandingBody): Promise<void> {
    return this.#guarded(() =>
      postJson(`/api/landings/${encodeURIComponent(landing)}/decision`, body),
    );
  }

  bringLanded(): Promise<BroughtView> {
    return this.#guarded(() => postForJson("/api/landings/bring"));
  }

  checkouts(): Promise<CheckoutsView> {
    return this.#get("/api/checkouts");
  }

  cleanCheckouts(): Promise<CleanedView> {
    return this.#guarded(() => postForJson("/api/checkouts/clean"));
  }

  stop(member: string | undefined): Promise<void> {
    return this.#guarded(() => postJson("/api/stop", member === undefined ? {} : { member }));
  }

  #get<T>(path: string): Promise<T> {
    return this.#guarded(() => getJson<T>(path));
  }

  async #guarded<T>(ask: () => Promise<T>): Promise<T> {
    // Another program may use the port now: only the stream detects that.
    if (this.#stream?.isLost) throw new SourceError(unreachable);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      this.#stream?.lock();
      throw new SourceError({
        code: "session-missing",
        message: "The dashboard of this page has ended.",
        hint: "Run `troupe web` in your terminal, and open the address that it prints.",
      });
    }
  }
}

function unlockBy(stream: LiveStream): void {
  const token = takeToken();
  if (token !== null) stream.unlock(token);
}

function tell(listener: Listener, name: keyof StreamEvents, data: string): void {
  switch (name) {
    case "state":
      listener.onState(JSON.parse(data));
      return;
    case "change":
      listener.onChange(JSON.parse(data));
      return;
    case "live":
      listener.onLive(JSON.parse(data));
      return;
  }
}

function later(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

const browserWorld: StreamDependencies = {
  open: (url, ends) => connect(url, ends, { ask, later }),
  async admit(token) {
    try {
      await openSession(token);
      return "admitted";
    } catch (error) {
      if (error instanceof LockedError) return "refused";
      if (!(error instanceof SourceError)) throw error;
      return error.code === "connection-lost" ? "unreachable" : "refused";
    }
  },
  later,
  now: () => new Date(),
};
