import { expect, test } from "vitest";
import type { MessagesPage, MessageView } from "../../src/protocol/dashboard.ts";
import { type MessagesPageQuery, type Source, SourceError } from "../../web/src/source/source.ts";
import { type Filter, match, usualGroups, wishOf } from "../../web/src/views/messages/filter.ts";
import { MessageFeed } from "../../web/src/views/messages/message-feed.ts";
import { messageGroups } from "../../web/src/views/messages/message-groups.ts";
import { at, mail, message } from "./messages.ts";

const everything: Filter = {
  member: null,
  groups: new Set(messageGroups.map(({ group }) => group)),
  search: "",
};

/** A server that has all mail, and gives it in pages of ten whatever is wished for. */
class History {
  readonly wishes: MessagesPageQuery[] = [];
  all: MessageView[];
  refusal: SourceError | null = null;

  constructor(all: MessageView[]) {
    this.all = all;
  }

  async messages(wish: MessagesPageQuery): Promise<MessagesPage> {
    this.wishes.push(wish);
    if (this.refusal) throw this.refusal;
    const end = wish.before === undefined ? this.all.length : Number(wish.before);
    const start = Math.max(0, end - 10);
    return { messages: this.all.slice(start, end), before: start > 0 ? String(start) : null };
  }

  feed(filter = everything): MessageFeed {
    return new MessageFeed({ ...noSource, messages: (wish) => this.messages(wish) }, filter);
  }
}

const refused = () => Promise.reject(new Error("not asked for in these tests"));
const noSource: Source = {
  canAct: false,
  listen: () => () => {},
  watch: () => {},
  messages: refused,
  message: refused,
  transcript: refused,
  cost: refused,
  away: refused,
  send: refused,
  answer: refused,
  changeRule: refused,
  setMode: refused,
  stop: refused,
};

const idsOf = (feed: MessageFeed) => feed.state.value.messages.map(({ id }) => id);

test("known messages are shown at once, and the source fills in the others", async () => {
  const all = mail(0, 30);
  const feed = new History(all).feed();

  feed.take(all.slice(-3));
  const atOnce = idsOf(feed);
  feed.refresh();
  await feed.settled();

  expect(atOnce).toEqual(all.slice(-3).map(({ id }) => id));
  expect(idsOf(feed)).toEqual(all.slice(-10).map(({ id }) => id));
  expect(feed.state.value.hasOlder).toBe(true);
});

test("older pages are loaded to the beginning, each message once", async () => {
  const all = mail(0, 25);
  const feed = new History(all).feed();
  feed.take(all.slice(-3));
  feed.refresh();
  await feed.settled();

  while (feed.state.value.hasOlder) {
    feed.older();
    await feed.settled();
  }

  expect(idsOf(feed)).toEqual(all.map(({ id }) => id));
});

test("new mail and changed states are applied", async () => {
  const [first, second, third] = mail(0, 3);
  if (!first || !second || !third) throw new Error("three were made");
  const feed = new History([first, second]).feed();
  feed.take([first, second]);
  feed.refresh();
  await feed.settled();

  const seen: MessageView = { ...second, state: "delivered", seen_at: at(9) };
  feed.take([first, seen, third]);

  expect(feed.state.value.messages).toEqual([first, seen, third]);
});

test("after a pause with more mail than is kept, no messages are shown across a gap", async () => {
  const all = mail(0, 100);
  const history = new History(all.slice(0, 20));
  const feed = history.feed();
  feed.take(all.slice(15, 20));
  feed.refresh();
  await feed.settled();

  history.all = all;
  feed.take(all.slice(95));
  await feed.settled();
  const afterPause = idsOf(feed);
  while (feed.state.value.hasOlder) {
    feed.older();
    await feed.settled();
  }

  expect(afterPause).toEqual(all.slice(90).map(({ id }) => id));
  expect(idsOf(feed)).toEqual(all.map(({ id }) => id));
});

test("an older page that was requested before a gap appeared is not added to it", async () => {
  const all = mail(0, 100);
  const history = new History(all.slice(0, 20));
  const feed = history.feed();
  feed.take(all.slice(15, 20));
  feed.refresh();
  await feed.settled();

  feed.older();
  history.all = all;
  feed.take(all.slice(95));
  await feed.settled();

  expect(idsOf(feed)).toEqual(all.slice(90).map(({ id }) => id));
});

test("windows that overlap leave no gap, so loaded messages stay", async () => {
  const all = mail(0, 100);
  const history = new History(all.slice(0, 20));
  const feed = history.feed();
  feed.take(all.slice(10, 20));
  feed.refresh();
  await feed.settled();
  feed.older();
  await feed.settled();

  feed.take(all.slice(19, 60));

  expect(idsOf(feed)).toEqual(all.slice(0, 60).map(({ id }) => id));
});

test("a line that was set aside keeps its position", async () => {
  const all = mail(0, 5);
  const line = message({
    id: "bob:hand-0-9",
    type: "set-aside",
    sent_at: null,
    state: "set-aside",
  });
  const feed = new History([...all.slice(0, 2), line, ...all.slice(2)]).feed();
  feed.take([...all, line]);
  feed.refresh();
  await feed.settled();

  feed.take([...all, ...mail(5, 1), line]);

  expect(idsOf(feed).indexOf(line.id)).toBe(2);
});

test("a line that is set aside live comes last", async () => {
  const all = mail(0, 2);
  const line = message({
    id: "bob:hand-0-9",
    type: "set-aside",
    sent_at: null,
    state: "set-aside",
  });
  const feed = new History(all).feed();
  feed.take(all);
  feed.refresh();
  await feed.settled();

  feed.take([...all, line]);
  feed.take([...all, ...mail(2, 1), line]);

  expect(idsOf(feed)).toEqual([all[0]?.id, all[1]?.id, line.id, "m000002"]);
});

test("a refusal is shown with its hint, and a retry continues", async () => {
  const history = new History(mail(0, 5));
  history.refusal = new SourceError({ code: "gone", message: "It is gone.", hint: "Try later." });
  const feed = history.feed();
  feed.refresh();
  await feed.settled();
  const told = feed.state.value.problem;

  history.refusal = null;
  feed.refresh();
  await feed.settled();

  expect(told).toBe("It is gone. Try later.");
  expect(feed.state.value).toMatchObject({ problem: null, loading: null });
  expect(idsOf(feed)).toHaveLength(5);
});

test("the source gets the filter as a query", async () => {
  const history = new History([]);
  const feed = history.feed({ member: "bob", groups: new Set(["plans"]), search: " tax " });

  feed.refresh();
  await feed.settled();

  expect(history.wishes).toEqual([
    {
      member: "bob",
      types: ["plan_approval_request", "plan_approval_response", "set-aside"],
      search: "tax",
      limit: 200,
    },
  ]);
});

test("if the omitted part of new mail may match, the source is asked", async () => {
  const history = new History(mail(0, 2));
  const feed = history.feed({ ...everything, search: "text" });
  feed.take(history.all);
  feed.refresh();
  await feed.settled();

  const cut = message({ id: "m9", sent_at: at(9), text: "beginning", is_cut: true });
  history.all = [...history.all, cut];
  feed.take(history.all);
  await feed.settled();

  expect(idsOf(feed)).toContain("m9");
  expect(history.wishes).toHaveLength(2);
});

test("a filter matches by participant, kind, and words", () => {
  const usual: Filter = { member: null, groups: usualGroups, search: "" };

  expect(match(usual, message({}))).toBe("yes");
  expect(match(usual, message({ type: "permission_request" }))).toBe("no");
  expect(match(usual, message({ type: "set-aside" }))).toBe("yes");
  expect(match({ ...usual, member: "carol" }, message({}))).toBe("no");
  expect(match({ ...usual, member: "bob" }, message({}))).toBe("yes");
  expect(match({ ...usual, search: "HELL" }, message({}))).toBe("yes");
  expect(match({ ...usual, search: "alice" }, message({}))).toBe("yes");
  expect(match({ ...usual, search: "tax" }, message({}))).toBe("no");
  expect(match({ ...usual, search: "tax" }, message({ is_cut: true }))).toBe("unknown");
});

test("an empty filter requests everything", () => {
  expect(wishOf(everything)).toEqual({});
});
