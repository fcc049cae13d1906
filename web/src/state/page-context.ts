import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";
import type { AwayView, RequestView } from "../../../src/protocol/dashboard.ts";
import { SourceError } from "../source/source.ts";
import { type Draft, draftFor } from "./address.ts";
import { awaySince, isEventful } from "./away.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import { type AnswerKey, answerKeys } from "./keys.ts";
import type { KnownRoom } from "./known-room.ts";
import { askingMembers, everybody, type MemberFilter } from "./members.ts";
import type { Page } from "./page.ts";
import { Store, useStore } from "./store.ts";
import { nextTheme, type Theme, themeOf } from "./theme.ts";

/** The overlay that is open. */
export type Overlay = { type: "help" } | { type: "stop"; member: string | null };

/** The state of the page itself, besides the team that it shows. */
export class PageContext {
  readonly page: Page;
  /** The clock for everything that counts seconds. */
  readonly now = new Store(Date.now());
  /** The members with a question for the person. */
  readonly asking = new Store<ReadonlySet<string>>(new Set());
  readonly filter = new Store<MemberFilter>(everybody);
  readonly isDrawerOpen = new Store(false);
  readonly overlay = new Store<Overlay | null>(null);
  readonly away = new Store<AwayView | null>(null);
  readonly draft: Store<Draft>;
  readonly theme: Store<Theme>;
  readonly #storage: BrowserStorage;
  readonly #tabStorage: BrowserStorage;
  #version: string | null = null;
  /** Since when the person has been away, if the summary could not be fetched yet. */
  #untoldSince: string | null = null;
  #requests: KnownRoom["requests"] | null = null;

  /** `storage` is shared by all tabs; `tabStorage` is for this tab only. */
  constructor({
    page,
    storage,
    tabStorage,
  }: { page: Page; storage: BrowserStorage; tabStorage: BrowserStorage }) {
    this.page = page;
    this.#storage = storage;
    this.theme = new Store(themeOf(storage.get("theme")));
    this.#tabStorage = tabStorage;
    const text = tabStorage.get("draft") ?? "";
    this.draft = new Store({ to: tabStorage.get("draft-to") ?? "lead", text });
    this.draft.subscribe(() => {
      tabStorage.set("draft", this.draft.value.text);
      tabStorage.set("draft-to", this.draft.value.to);
    });
    page.room.subscribe(() => this.#followRequests());
    page.route.subscribe(() => this.#followRoute());
    page.connection.subscribe(() => this.#tellUntold());
    this.#followRoute();
  }

  switchTheme(): void {
    this.theme.set(nextTheme(this.theme.value));
    this.#storage.set("theme", this.theme.value);
  }

  write(to: string): void {
    this.draft.set({ ...this.draft.value, to });
    document.getElementById("composer-text")?.focus();
  }

  /**
   * The answer that the person gave to exactly this question in this tab; null if there is none.
   */
  answerTo({ id, hash }: RequestView): AnswerKey | null {
    return answerKeys.find((key) => key === this.#tabStorage.get(`answer-${id}-${hash}`)) ?? null;
  }

  /** Stores the answer in case the page is reloaded before the team has carried it out. */
  keepAnswer({ id, hash }: RequestView, answer: AnswerKey): void {
    this.#tabStorage.set(`answer-${id}-${hash}`, answer);
  }

  /** True if the server has another version than this page. */
  isOutdatedBy({ version }: KnownRoom): boolean {
    this.#version ??= version;
    return version !== this.#version;
  }

  /** Shows a summary of the time since the person last looked at the page. */
  async look(): Promise<void> {
    const id = this.page.room.value?.team?.id;
    if (id === undefined || !this.page.source.canAct) return;
    const since = this.#untoldSince ?? awaySince(this.#storage.get(`seen-${id}`), Date.now());
    this.leave();
    if (since === null) return;
    this.#untoldSince = null;
    try {
      const away = await this.page.source.away(since);
      if (isEventful(away)) this.away.set(away);
    } catch (error) {
      // The summary is optional, and the page reports a lost connection anyway.
      if (!(error instanceof SourceError)) throw error;
      this.#untoldSince = since;
    }
  }

  /** Records when the person last looked at the page. */
  leave(): void {
    const id = this.page.room.value?.team?.id;
    if (id !== undefined) this.#storage.set(`seen-${id}`, new Date().toISOString());
  }

  /** Fetches the summary again if it failed because the connection was lost. */
  #tellUntold(): void {
    const isThere = this.page.connection.value.type === "connected";
    if (!isThere || this.#untoldSince === null) return;
    void this.look().catch((error) => reportError(error));
  }

  #followRequests(): void {
    const room = this.page.room.value;
    if (!room || room.requests === this.#requests) return;
    this.#requests = room.requests;
    this.asking.set(askingMembers(room));
  }

  #followRoute(): void {
    const route = this.page.route.value;
    const inView = route.view === "member" ? route.name : null;
    this.draft.set(draftFor(this.draft.value, inView, "lead"));
  }
}

const PageReactContext = createContext<PageContext | null>(null);
export const PageContextProvider = PageReactContext.Provider;

export function usePageContext(): PageContext {
  const pageContext = useContext(PageReactContext);
  if (!pageContext) throw new Error("There is no page context");
  return pageContext;
}

/** The result of `select` for the room; null before there is one. */
export function useRoom<S>(select: (room: KnownRoom) => S): S | null {
  return useStore(usePageContext().page.room, (room) => room && select(room));
}

/** Like `useRoom` for a list: the same items give the same list. */
export function useRoomList<S>(select: (room: KnownRoom) => readonly S[]): readonly S[] {
  const last = useRef<readonly S[]>([]);
  return useStore(usePageContext().page.room, (room) => {
    const list = room ? select(room) : [];
    const isSame =
      list.length === last.current.length &&
      list.every((item, index) => Object.is(item, last.current[index]));
    if (!isSame) last.current = list;
    return last.current;
  });
}

/** Why nothing can be sent at present; null if it can. */
export function useHindrance(): string | null {
  const { page } = usePageContext();
  const hasTeam = useRoom((room) => room.team !== null) ?? false;
  const connection = useStore(page.connection, ({ type }) => type);
  switch (connection) {
    case "connected":
      return hasTeam ? null : "There is no team yet";
    case "connecting":
      return "The page is still connecting";
    case "lost":
      return "The connection is lost";
    case "locked":
      return "This page has no access";
    case "recorded":
      return "This is a recording";
  }
}
