import { Hono } from "hono";
import { expect, test } from "vitest";
import { MessagesQuery } from "../../../src/protocol/dashboard-requests.ts";
import { CommitId, lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { Room } from "../../../src/server/room/room.ts";
import { apiRoutes } from "../../../src/server/routes/api.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { openRoom } from "../room/page.ts";

const alice = MemberName.parse("alice");
const ignored = { onSetAside: () => undefined };

/** The API where a server has it. */
function appOf(room: Room): Hono {
  return new Hono().route("/api", apiRoutes(room));
}

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });

test("mail from the person goes to one member, or to all live members", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob", "shutdown"), member("carol"));
  await using room = openRoom(directory.path);
  const app = appOf(room);

  const one = await app.request("/api/messages", post({ to: "alice", content: "hi" }));
  const all = await app.request("/api/messages", post({ to: "all", content: "everybody" }));

  expect([one.status, all.status]).toEqual([204, 204]);
  const { messages } = await room.messages(MessagesQuery.parse({}));
  const recipients = messages.filter(({ type }) => type === "broadcast").map(({ to }) => to);
  expect(messages).toHaveLength(4);
  expect(recipients.sort()).toEqual(["alice", "carol", "lead"]);
});

test.each([
  ["somebody who is not there", { to: "nobody", content: "hi" }, 404, "member-unknown"],
  ["somebody who has ended", { to: "bob", content: "hi" }, 409, "member-ended"],
  ["no name", { to: "../x", content: "hi" }, 400, "name-invalid"],
  ["too much", { to: "alice", content: "x".repeat(300_000) }, 413, "content-too-large"],
  ["nothing", { to: "alice" }, 400, "input-invalid"],
])("mail to %s is refused with a reason", async (_, body, status, code) => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob", "shutdown"));
  await using room = openRoom(directory.path);

  const answer = await appOf(room).request("/api/messages", post(body));

  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({
    error: {
      code,
      message: expect.any(String),
      hint: expect.toBeOneOf([null, expect.any(String)]),
    },
  });
});

test("without a team every request is refused, and the stream waits", async () => {
  await using directory = await temporaryDirectory();
  await using room = openRoom(directory.path);
  const app = appOf(room);

  for (const path of ["/api/messages", "/api/cost", "/api/members/lead/transcript"]) {
    const answer = await app.request(path);
    expect([path, answer.status]).toEqual([path, 404]);
  }
  const stream = await app.request("/api/stream");
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  await stream.body?.cancel();
});

test("an answer is valid only for exactly what was shown", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const { reader } = await store.openMember(alice, ignored);
  const request = await store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "git push" } },
  });
  await using room = openRoom(directory.path);
  const app = appOf(room);
  const path = `/api/requests/${request.id}/answer`;

  const wrong = await app.request(path, post({ hash: "other", decision: "allow-once" }));
  const unread = await reader.unread();
  const right = await app.request(path, post({ hash: request.hash, decision: "allow-once" }));

  expect(wrong.status).toBe(409);
  expect(await wrong.json()).toMatchObject({ error: { code: "request-changed" } });
  expect(unread).toEqual([]);
  expect(right.status).toBe(204);
  expect(await reader.unread()).toMatchObject([
    {
      message: {
        ...{ type: "permission_response", from: "user", decision: "allow-once" },
        hash: request.hash,
      },
    },
  ]);
});

test("a question that is decided, or not for the person, cannot be answered", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const subject = { plan: "1. Do it." };
  const leads = await store.requests.open({ type: "plan", from: alice, to: lead, subject });
  await using room = openRoom(directory.path);
  const answerTo = (id: string, hash: string) =>
    appOf(room).request(`/api/requests/${id}/answer`, post({ hash, decision: "deny" }));

  expect((await answerTo(leads.id, leads.hash)).status).toBe(409);
  expect((await answerTo("nonsense", "x")).status).toBe(404);
  expect((await answerTo("019b78c9-0e68-7e41-9e5f-c7bf12af5b3f", "x")).status).toBe(404);
});

test("one member is stopped, or the lead for all", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const { reader } = await store.openMember(alice, ignored);
  const leads = await store.openMember(lead, ignored);
  await using room = openRoom(directory.path);
  const app = appOf(room);

  await app.request("/api/stop", post({ member: "alice" }));
  await app.request("/api/stop", post({}));

  expect(await reader.unread()).toMatchObject([{ message: { type: "shutdown_request" } }]);
  expect(await leads.reader.unread()).toMatchObject([{ message: { type: "shutdown_request" } }]);
  expect((await app.request("/api/stop", post({ member: "nobody" }))).status).toBe(404);
});

test("the events since the person last looked are summarized", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const since = "2026-01-01T09:00:00.000Z";
  const seconds = (time: string) => Date.parse(time) / 1000;
  const report = (at: string) =>
    store.send("lead", {
      ...{ type: "result", from: alice, content: at, outcome: "done", timestamp: seconds(at) },
    });
  await report("2026-01-01T08:00:00.000Z");
  await report("2026-01-01T10:00:00.000Z");
  const call = { type: "call", member: alice, model: "rehearsal", ...usage } as const;
  await store.usage.record({ ...call, at: "2026-01-01T08:00:00.000Z", cost_usd: 1 });
  await store.usage.record({ ...call, at: "2026-01-01T10:00:00.000Z", cost_usd: 2 });
  await store.tasks.create({ subject: "a task", created_by: lead });
  await using room = openRoom(directory.path);

  const away = await (await appOf(room).request(`/api/away?since=${since}`)).json();

  expect(away).toMatchObject({
    ...{ since, messages: 1, has_more: false, cost_usd: 2, requests: [] },
    results: [{ text: "2026-01-01T10:00:00.000Z" }],
    tasks: [{ subject: "a task" }],
  });
  expect((await appOf(room).request("/api/away?since=yesterday")).status).toBe(400);
});

const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };

test("cost over time adds up for each member, and continues with new calls", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const record = (name: MemberName, minute: number, cost_usd: number | undefined) =>
    store.usage.record({
      ...{ type: "call", member: name, model: "rehearsal", ...usage },
      at: new Date(Date.parse("2026-01-01T09:00:00.000Z") + minute * 60_000).toISOString(),
      ...(cost_usd !== undefined && { cost_usd }),
    });
  await record(lead, 0, 1);
  await record(alice, 60, 0.5);
  await record(lead, 120, undefined);
  await using room = openRoom(directory.path);

  const before = await room.cost();
  await record(alice, 240, 0.25);
  const after = await room.cost();

  expect(before.times).toHaveLength(120);
  expect(before.times.at(-1)).toBe("2026-01-01T11:00:00.000Z");
  expect(before.members).toMatchObject([
    { name: "lead", unpriced_calls: 1 },
    { name: "alice", unpriced_calls: 0 },
  ]);
  const [ofLead, ofAlice] = before.members;
  expect([ofLead?.cost_usd[0], ofLead?.cost_usd.at(-1), ofLead?.tokens.at(-1)]).toEqual([1, 1, 20]);
  expect([ofAlice?.cost_usd[58], ofAlice?.cost_usd[59], ofAlice?.cost_usd.at(-1)]).toEqual([
    0, 0.5, 0.5,
  ]);
  expect(after.times.at(-1)).toBe("2026-01-01T13:00:00.000Z");
  expect(after.members[1]?.cost_usd.at(-1)).toBe(0.75);
});

test("an unexpected failure is left to the server, without its message", async () => {
  await using directory = await temporaryDirectory();
  await using room = openRoom(directory.path);
  const failures: unknown[] = [];
  const app = appOf(room);
  app.onError((error, c) => {
    failures.push(error.message);
    return c.text("sorry", 500);
  });
  room.cost = async () => {
    throw new Error("a bug");
  };

  const answer = await app.request("/api/cost");

  expect([answer.status, await answer.text(), failures]).toEqual([500, "sorry", ["a bug"]]);
});

test("rules and modes are changed by orders of the person, and the page never asks for no questions", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const leads = await store.openMember(lead, ignored);
  const alices = await store.openMember(alice, ignored);
  await using room = openRoom(directory.path);
  const app = appOf(room);
  const ask = async (path: string, body: unknown) => (await app.request(path, post(body))).status;
  const rule = "read_file(.env)";

  const done = [
    await ask("/api/rules", { change: "added", decision: "deny", rule }),
    await ask("/api/mode", { member: "alice", mode: "plan" }),
  ];
  const refused = [
    await ask("/api/rules", { change: "added", decision: "deny", rule: "not a rule" }),
    await ask("/api/rules", { change: "removed", decision: "allow", rule: "bash(ls)" }),
    await ask("/api/mode", { member: "alice", mode: "acceptEdits" }),
    await ask("/api/mode", { member: "nobody", mode: "plan" }),
    await ask("/api/mode", { member: "lead", mode: "bypassPermissions" }),
  ];

  expect(done).toEqual([204, 204]);
  expect(refused).toEqual([409, 409, 409, 404, 400]);
  expect(await leads.reader.unread()).toMatchObject([
    { message: { type: "team_permission_update", from: "user", decision: "deny", rule } },
  ]);
  expect(await alices.reader.unread()).toMatchObject([
    { message: { type: "mode_set_request", from: "user", mode: "plan" } },
  ]);
});

test("work that members have handed in is decided on by its commit, and what is not there is refused", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const [commit, other] = ["a", "b"].map((digit) => CommitId.parse(digit.repeat(40)));
  if (!commit || !other) throw new Error("There are two");
  const { id } = await store.landings.take({
    ...{ member: alice, ref: "refs/troupe/x/alice/1", commit, base: other, target: "t" },
    reason: "It waits",
  });
  await using room = openRoom(directory.path);
  const app = appOf(room);
  const decide = async (landing: string, body: unknown) =>
    (await app.request(`/api/landings/${landing}/decision`, post(body))).status;

  const { landings } = await room.state();
  expect(landings).toMatchObject([{ id, commit, can_land: true }]);
  expect(await decide(id, { commit: other, decision: "land" })).toBe(409);
  expect(await decide("99", { commit, decision: "land" })).toBe(404);
  expect(await decide("../1", { commit, decision: "land" })).toBe(404);
  expect(await decide(id, { commit, decision: "push" })).toBe(400);
  expect((await app.request("/api/landings/99/changes")).status).toBe(404);
  expect(await (await app.request("/api/checkouts")).json()).toEqual({ checkouts: [] });
  expect(await (await app.request("/api/landings/bring", post({}))).json()).toEqual({
    results: [],
  });
  expect(await (await app.request("/api/checkouts/clean", post({}))).json()).toEqual({
    ...{ removed: 0, stayed: [] },
  });
  expect(await decide(id, { commit, decision: "discard" })).toBe(204);
  const { reader } = await store.openMember(lead, ignored);
  expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
    { type: "landing_decision", from: user, landing_id: id, commit, decision: "discard" },
  ]);
});
