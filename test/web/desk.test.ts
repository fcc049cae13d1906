import { expect, test } from "vitest";
import { RecordedSource } from "../../web/src/source/recorded-source.ts";
import { Desk } from "../../web/src/state/desk.ts";
import { Kept } from "../../web/src/state/kept.ts";
import { Page } from "../../web/src/state/page.ts";
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

/** The page as a tab loads it, with what the tab has kept. */
function loaded(tab: TabStorage, route: Route = { view: "room" }): Desk {
  const run = {
    ...{ exported_at: "", state: state({}), messages: [], transcripts: [], left_out: [] },
    ...{ cost: { times: [], members: [] }, masked: 0 },
  };
  const page = new Page(new RecordedSource(run), route);
  return new Desk({ page, kept: new Kept(() => new TabStorage()), keptHere: new Kept(() => tab) });
}

test("a text that was begun is there again after loading anew, and to whom it was", () => {
  const tab = new TabStorage();

  loaded(tab).draft.set({ to: "zoe", text: "Half a" });

  const again = loaded(tab, { view: "member", name: "alice" });
  expect(again.draft.value).toEqual({ to: "zoe", text: "Half a" });
});

test("without a text, it is to whoever is in view", () => {
  const tab = new TabStorage();

  loaded(tab).draft.set({ to: "zoe", text: "" });

  expect(loaded(tab).draft.value.to).toBe("lead");
  expect(loaded(tab, { view: "member", name: "alice" }).draft.value.to).toBe("alice");
});

test("an answer is known after loading anew, and counts for exactly what was asked", () => {
  const tab = new TabStorage();

  loaded(tab).keepAnswer(request({ id: "r1", hash: "a" }), "deny");

  const again = loaded(tab);
  expect(again.answerTo(request({ id: "r1", hash: "a" }))).toBe("deny");
  expect(again.answerTo(request({ id: "r1", hash: "b" }))).toBeNull();
  expect(again.answerTo(request({ id: "r2", hash: "a" }))).toBeNull();
});
