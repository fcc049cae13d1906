import { expect, test } from "vitest";
import type { AwayView, RecordedRun } from "../../src/protocol/dashboard.ts";
import { RecordedSource } from "../../web/src/source/recorded-source.ts";
import { type Source, SourceError } from "../../web/src/source/source.ts";
import { BrowserStorage } from "../../web/src/state/browser-storage.ts";
import { Page } from "../../web/src/state/page.ts";
import { PageContext } from "../../web/src/state/page-context.ts";
import type { Route } from "../../web/src/state/route.ts";
import { request, state } from "./views.ts";

/** What a tab's storage does for the page, in memory. */
class TabStorage {
  readonly #items = new Map<string, string>();
  readonly length = 0;

  clear(): void {
    this.#items.clear();
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  key(): null {
    return null;
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
}

const run: RecordedRun = {
  ...{ exported_at: "", state: state({}), messages: [], transcripts: [], left_out: [] },
  ...{ cost: { times: [], members: [] }, masked: 0 },
};

/** The page as a tab loads it, with the tab's storage. */
function loaded(tab: TabStorage, route: Route = { view: "room" }): PageContext {
  const page = new Page(new RecordedSource(run), route);
  return new PageContext({
    page,
    storage: new BrowserStorage(() => new TabStorage()),
    tabStorage: new BrowserStorage(() => tab),
  });
}

/** A server that tells what happened since, once it is there. */
class ReturningSource implements Source {
  readonly canAct = true;
  readonly asked: string[] = [];
  isThere = false;
  readonly #recorded = new RecordedSource(run);

  async away(since: string): Promise<AwayView> {
    this.asked.push(since);
    if (!this.isThere) throw new SourceError({ code: "connection-lost", message: "", hint: null });
    return { ...(await this.#recorded.away(since)), messages: 3 };
  }

  listen = this.#recorded.listen.bind(this.#recorded);
  watch = this.#recorded.watch.bind(this.#recorded);
  messages = this.#recorded.messages.bind(this.#recorded);
  message = this.#recorded.message.bind(this.#recorded);
  transcript = this.#recorded.transcript.bind(this.#recorded);
  cost = this.#recorded.cost.bind(this.#recorded);
  send = this.#recorded.send.bind(this.#recorded);
  answer = this.#recorded.answer.bind(this.#recorded);
  stop = this.#recorded.stop.bind(this.#recorded);
}

test("a draft and its recipient are restored after a reload", () => {
  const tab = new TabStorage();

  loaded(tab).draft.set({ to: "zoe", text: "Half a" });

  const again = loaded(tab, { view: "member", name: "alice" });
  expect(again.draft.value).toEqual({ to: "zoe", text: "Half a" });
});

test("without a draft, the recipient is the viewed member", () => {
  const tab = new TabStorage();

  loaded(tab).draft.set({ to: "zoe", text: "" });

  expect(loaded(tab).draft.value.to).toBe("lead");
  expect(loaded(tab, { view: "member", name: "alice" }).draft.value.to).toBe("alice");
});

test("an answer is known after a reload, and only for exactly the same question", () => {
  const tab = new TabStorage();

  loaded(tab).keepAnswer(request({ id: "r1", hash: "a" }), "deny");

  const again = loaded(tab);
  expect(again.answerTo(request({ id: "r1", hash: "a" }))).toBe("deny");
  expect(again.answerTo(request({ id: "r1", hash: "b" }))).toBeNull();
  expect(again.answerTo(request({ id: "r2", hash: "a" }))).toBeNull();
});

test("the summary is shown once the server is available again", async () => {
  const source = new ReturningSource();
  const browser = new TabStorage();
  const page = new Page(source, { view: "room" });
  const storage = new BrowserStorage(() => browser);
  const pageContext = new PageContext({
    page,
    storage,
    tabStorage: new BrowserStorage(() => new TabStorage()),
  });
  page.onState(state({}));
  storage.set("seen-t", "2026-01-01T09:00:00.000Z");

  await pageContext.look();
  expect(pageContext.away.value).toBeNull();
  source.isThere = true;
  const told = new Promise<void>((resolve) => pageContext.away.subscribe(resolve));
  page.onConnection({ type: "connected" });
  await told;

  expect(pageContext.away.value?.messages).toBe(3);
  expect(source.asked).toEqual(["2026-01-01T09:00:00.000Z", "2026-01-01T09:00:00.000Z"]);
});
