import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { TeamError } from "../../errors.ts";
import { WakeLatch } from "../../lib/wake-latch.ts";
import {
  CommitId,
  LandingId,
  lead,
  MemberName,
  MessageId,
  newRequestId,
  RequestId,
  user,
} from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { Message } from "../../protocol/message.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import type { UsageRecord } from "../../protocol/usage.ts";
import { describeTeam } from "../../team/describe-team.ts";
import { signMember } from "../../team/members/signed-fields.ts";
import { signPermissions } from "../../team/members/signed-permissions.ts";
import type { TeamStore } from "../../team/team-store.ts";
import type { PageCursor, TeamChange, TeamView } from "../../team/view/team-view.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { enlist } from "./team-store.ts";
import { testWith } from "./test-with.ts";

/** A new team without members, run by this process, and a view of it. */
export interface TeamViewFixture extends AsyncDisposable {
  store: TeamStore;
  view: TeamView;
}

type OpenTeamView = () => Promise<TeamViewFixture>;

/** The promises in team-view.ts, one test each. */
export function testTeamView(name: string, open: () => Promise<TeamViewFixture>): void {
  describe(`${name} keeps the team view's promises`, () => {
    testRecords(open);
    testMail(open);
    testTranscripts(open);
    testUsage(open);
    testEvents(open);
    testChanges(open);
    testActs(open);
    testWork(open);
    testArchives(open);
  });
}

function testRecords(open: OpenTeamView): void {
  const test = testWith(open);
  test("the roster, the tasks and the lead are current", async ({ store, view }) => {
    const before = await view.team();

    await enlist(store, "alice");
    const task = await store.tasks.create({ subject: "a task", created_by: lead });

    expect(before.members).toEqual([]);
    expect((await view.team()).members).toMatchObject([{ name: "alice", status: "idle" }]);
    expect(await view.tasks()).toEqual([task]);
    expect(await view.lead()).toMatchObject({ isAlive: true, pid: process.pid });
  });

  test("a view that is opened from another one shows the same team", async ({ store, view }) => {
    const other = view.reopen(() => undefined);
    await enlist(store, "alice");

    expect(await other.team()).toEqual(await view.team());
    expect(other.location).toBe(view.location);
    expect(view.location).toMatch(/^(?:\/|[a-z]+:)/);
  });

  test("requests are listed by age and state, and found by id", async ({ store, view }) => {
    await enlist(store, "alice");
    const first = await ask(store);
    const second = await ask(store);
    await store.requests.decide(first.id, { by: user, state: "rejected", hash: first.hash });

    const ids = [first.id, second.id];
    expect((await view.requests()).map(({ id }) => id)).toEqual(ids);
    expect(await view.requests({ state: "pending" })).toEqual([second]);
    expect(await view.requestIds()).toEqual(ids);
    expect(await view.request(first.id)).toMatchObject({ state: "rejected" });
    expect(await view.request(newRequestId(new Date(0)))).toBeUndefined();
  });
}

function testArchives(open: OpenTeamView): void {
  const test = testWith(open);
  test("a new team is the person's, with nothing in its archive", async ({ view }) => {
    const name = "2026-01-01T09-00-00.000Z";

    expect([await view.isOwn(), await view.archives()]).toEqual([true, []]);
    await expect(view.archive(name)).rejects.toMatchObject({ code: "team-missing" });
    await expect(view.restore(name)).rejects.toThrow(TeamError);
  });

  test("the changes of files are known, with what was in them", async ({ store, view }) => {
    const change = { root: "/w", path: "/w/a.txt", before: Buffer.from("one"), after: undefined };
    await store.history.keep({ ...change, member: lead, isSecret: false, makesRoom: true });

    const { changes, isWhole } = await view.fileChanges(new Date(0));

    expect(isWhole).toBe(true);
    expect(changes).toMatchObject([{ path: "/w/a.txt", member: "lead", after: null }]);
    expect(await view.fileContent(changes[0]?.before ?? "")).toEqual(change.before);
    expect(await view.fileContent("0".repeat(64))).toBeUndefined();
  });

  test("a team is described by its view", async ({ store, view }) => {
    const { reader, transcript } = await store.openMember(lead, ignored);
    await enlist(store, "alice");
    await say(store, "Plan the garden.");
    const deliveries = await reader.unread();
    await transcript.append(notes(1, 1));
    await transcript.append(deliveries.map((each) => ({ type: "delivery", at, ...each })));
    await store.usage.record(call("a-model"));

    expect(await describeTeam(view)).toEqual({
      ...{ firstPrompt: "Plan the garden.", startedAt: at, members: [lead, alice] },
      ...{ costUsd: 0.1, isOwn: true },
    });
  });
}

function testMail(open: OpenTeamView): void {
  const test = testWith(open);
  test("pages have each message once, newest first, as more come", async ({ store, view }) => {
    for (let number = 1; number <= 25; number++) await say(store, `${number}`);

    const found: string[] = [];
    let from: PageCursor | null | undefined;
    while (from !== null) {
      const page = await view.mail(lead, { from, limit: 4 });
      found.push(...page.records.map(textOf));
      expect(page.records.length).toBeLessThanOrEqual(4);
      for (const { cursor } of page.records) expect(cursor).toMatch(cursorPattern);
      await say(store, "new");
      from = page.next;
    }

    expect(found).toEqual(Array.from({ length: 25 }, (_, index) => `${25 - index}`));
  });

  test("a page starts with the record of the given cursor", async ({ store, view }) => {
    for (const content of ["one", "two", "three"]) await say(store, content);

    const [, two] = (await view.mail(lead, { limit: 3 })).records;
    const again = await view.mail(lead, { from: two?.cursor, limit: 3 });

    expect(again.records.map(textOf)).toEqual(["two", "one"]);
    expect(await view.mail(lead, { from: "no-place-of-ours", limit: 3 })).toEqual({
      ...{ records: [], next: null },
    });
  });

  test("a message is found by its id, with its state", async ({ store, view }) => {
    const { reader, transcript } = await store.openMember(lead, ignored);
    const [seen, queued] = [await say(store, "seen"), await say(store, "queued")];
    const delivery = (await reader.unread()).find(({ message }) => message.id === seen.id);
    if (!delivery) throw new Error("Nothing is unread");
    await transcript.append([{ type: "delivery", at, ...delivery }]);
    await reader.acknowledge(seen.id);

    expect(await view.message(lead, seen.id)).toMatchObject({ state: "delivered", message: seen });
    expect(await view.message(lead, queued.id)).toMatchObject({ state: "queued" });
    expect(await view.message(lead, MessageId.parse(newRequestId(new Date(0))))).toBeUndefined();
    expect(await view.seenTimes(lead, [seen, queued])).toEqual(new Map([[seen.id, at]]));
  });

  test("only mail that waits for the member's model is unread", async ({ store, view }) => {
    const { reader } = await store.openMember(lead, ignored);
    const first = await say(store, "one");
    await store.send("lead", {
      ...{ type: "permission_request", from: user, request_id: newRequestId(new Date()) },
      ...{ tool: "bash", input: { command: "make" } },
    });
    await say(store, "two");

    const before = await view.unread(lead);
    await reader.unread();
    await reader.acknowledge(first.id);

    expect([before, await view.unread(lead)]).toEqual([2, 1]);
  });

  test("mail for an ended member is undelivered, and not unread", async ({ store, view }) => {
    await enlist(store, "alice");
    await store.send("alice", { type: "message", from: user, content: "too late" });
    await store.roster.update((team) => ({
      ...team,
      members: team.members.map((member) => ({ ...member, status: "shutdown" })),
    }));
    await view.team();

    expect((await view.mail(alice, { limit: 1 })).records).toMatchObject([
      { state: "undelivered", message: { content: "too late" } },
    ]);
    expect(await view.unread(alice)).toBe(0);
  });
}

function testTranscripts(open: OpenTeamView): void {
  const test = testWith(open);
  test("a growing transcript is read back, each entry once", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    await transcript.append(notes(1, 25));

    const found: TranscriptEntry[] = [];
    let before: PageCursor | null | undefined;
    while (before !== null) {
      const page = await view.transcript(lead, { before, limit: 4 });
      expect([page.entries.length <= 4, page.isRestarted]).toEqual([true, false]);
      found.unshift(...page.entries.flatMap(({ entry }) => entry ?? []));
      await transcript.append(notes(99, 99));
      before = page.before;
    }

    expect(found).toEqual(notes(1, 25));
  });

  test("entries after a cursor are returned once, in order", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    const empty = await view.transcript(lead, { limit: 10 });
    await transcript.append(notes(1, 3));

    const first = await view.transcript(lead, { after: empty.after, limit: 2 });
    const second = await view.transcript(lead, { after: first.after, limit: 2 });
    const third = await view.transcript(lead, { after: second.after, limit: 2 });

    expect([empty.entries, empty.before]).toEqual([[], null]);
    expect(empty.after).toMatch(cursorPattern);
    expect([first, second, third].map(textsOf)).toEqual([["note 1", "note 2"], ["note 3"], []]);
    expect(first.entries[1]?.cursor).toMatch(cursorPattern);
  });

  test("a transcript is read from its first entry on", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    const none = await view.transcript(lead, { after: null, limit: 2 });
    await transcript.append(notes(1, 3));

    const first = await view.transcript(lead, { after: null, limit: 2 });
    const second = await view.transcript(lead, { after: first.after, limit: 2 });

    expect([none.entries, none.isRestarted]).toEqual([[], false]);
    expect([first, second].map(textsOf)).toEqual([["note 1", "note 2"], ["note 3"]]);
    expect([first, second].map(({ isRestarted }) => isRestarted)).toEqual([false, false]);
  });

  test("an entry's cursor points right before it", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    await transcript.append(notes(1, 3));

    const cursor = (await view.transcript(lead, { limit: 3 })).entries[1]?.cursor;

    expect(textsOf(await view.transcript(lead, { before: cursor, limit: 3 }))).toEqual(["note 1"]);
    expect(textsOf(await view.transcript(lead, { after: cursor, limit: 3 }))).toEqual([
      ...["note 2", "note 3"],
    ]);
  });

  test("a restarted transcript is reported, with its newest entries", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    await transcript.append(notes(1, 2));
    const { after } = await view.transcript(lead, { limit: 10 });

    await store.forget(lead);
    await transcript.append(notes(3, 5));
    const page = await view.transcript(lead, { after, limit: 2 });

    expect([textsOf(page), page.isRestarted]).toEqual([["note 4", "note 5"], true]);
    expect(await view.transcript(lead, { after: page.after, limit: 2 })).toMatchObject({
      ...{ entries: [], isRestarted: false },
    });
  });

  test("a follower gets each entry, also of a restarted transcript", async ({ store, view }) => {
    const { transcript } = await store.openMember(lead, ignored);
    await transcript.append(notes(1, 2));
    const { after } = await view.transcript(lead, { limit: 1 });
    const leaving = new AbortController();
    const entries = view.followTranscript(lead, { after, signal: leaving.signal });
    const found: string[] = [];

    let next = 3;
    await transcript.append(notes(next, next));
    for await (const { entry } of entries) {
      if (entry?.type === "note") found.push(entry.text);
      if (next === 6) leaving.abort();
      next += 1;
      // An entry appended right before the restart is not lost.
      await transcript.append(notes(next, next));
      if (next === 4) await store.forget(lead);
    }

    expect(found).toEqual(["note 3", "note 4", "note 5", "note 6"]);
  });
}

function testUsage(open: OpenTeamView): void {
  const test = testWith(open);
  test("usage is summed for each member, and paged", async ({ store, view }) => {
    for (let calls = 1; calls <= 5; calls++) await store.usage.record(call(`model-${calls}`));

    const first = await view.usageLines({ limit: 3 });
    const second = await view.usageLines({ after: first.after, limit: 3 });
    const third = await view.usageLines({ after: second.after, limit: 3 });

    const models = [first, second, third].map(({ lines }) =>
      lines.map((line) => (line.type === "call" ? line.model : line.type)),
    );
    expect(models).toEqual([["model-1", "model-2", "model-3"], ["model-4", "model-5"], []]);
    expect(first.after).toMatch(cursorPattern);
    expect(await view.usage()).toEqual(
      new Map([[lead, expect.objectContaining({ calls: 5, cost_usd: 0.5, model: "model-5" })]]),
    );
  });
}

function testEvents(open: OpenTeamView): void {
  const test = testWith(open);
  test("recent events are oldest first, and following continues", async ({ store, view }) => {
    const warn = (number: number) =>
      store.events.append({ type: "warning", at, message: `${number}` });
    for (let number = 1; number <= 10; number++) warn(number);

    const recent = await view.recentEvents(3);
    const leaving = new AbortController();
    const seen: number[] = [];
    warn(11);
    for await (const { seq } of view.events({ after: 9, signal: leaving.signal, paceMs: 1 })) {
      seen.push(seq);
      if (seq === 11) warn(12);
      if (seq === 12) leaving.abort();
    }

    expect(recent.map(({ seq }) => seq)).toEqual([8, 9, 10]);
    expect(seen).toEqual([10, 11, 12]);
  });
}

function testChanges(open: OpenTeamView): void {
  const test = testWith(open);
  test("each kind of change is reported", async ({ store, view }) => {
    await enlist(store, "alice");
    const { reader } = await store.openMember(alice, ignored);
    const changes = new ChangeLog(view);

    const sent = await store.send("alice", { type: "message", from: user, content: "hello" });
    await changes.tell({ type: "mail", member: alice });
    await reader.unread();
    await reader.acknowledge(sent.id);
    await changes.tell({ type: "mail-read", member: alice });
    await store.tasks.create({ subject: "a task", created_by: lead });
    await changes.tell({ type: "tasks" });
    const landing = await handIn(store);
    await changes.tell({ type: "landings" });
    expect(await view.landings()).toEqual([landing]);
    await ask(store);
    await changes.tell({ type: "requests" });
    await store.usage.record(call("a-model"));
    await changes.tell({ type: "usage" });
    await enlist(store, "bob");
    await changes.tell({ type: "team" });
    await store.send("bob", { type: "message", from: user, content: "hello" });
    await changes.tell({ type: "mail", member: MemberName.parse("bob") });
    await store[Symbol.asyncDispose]();
    await changes.tell({ type: "lead" });
    changes.stop();

    expect(await view.lead()).toBeUndefined();
  });
}

function testActs(open: OpenTeamView): void {
  const test = testWith(open);
  test("the person's mail reaches one member, or all alive", async ({ store, view }) => {
    await enlist(store, "alice");
    await enlist(store, "bob", "shutdown");
    const { reader } = await store.openMember(alice, ignored);

    const sent = await view.send("Alice", "hello");
    const count = await view.broadcast("Stop for a moment.");
    await view.stop("alice");

    expect(count).toBe(2);
    expect(sent).toMatchObject({ from: "user", to: "alice", content: "hello" });
    expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
      sent,
      { type: "broadcast", from: "user", content: "Stop for a moment." },
      { type: "shutdown_request", from: "user" },
    ]);
  });

  test("a stop without a name is an order to the lead", async ({ store, view }) => {
    const { reader } = await store.openMember(lead, ignored);

    await view.stop();

    expect(await reader.unread()).toMatchObject([{ message: { type: "shutdown_request" } }]);
  });

  test("a rule is added and removed by an order to the lead", async ({ store, view }) => {
    const { reader } = await store.openMember(lead, ignored);
    await enlist(store, "alice");
    const { id, hash } = await ask(store);
    const rule = "bash(npm test:*)";
    await store.requests.decide(id, { by: user, state: "approved", hash, rule });

    const known = await view.rules();
    await view.addRule({ decision: "deny", rule: "read_file(.env)" });
    await view.removeRule({ decision: "allow", rule });

    expect(known).toMatchObject([{ decision: "allow", rule, from: "answer" }]);
    const type = "team_permission_update";
    expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
      { type, from: "user", decision: "deny", rule: "read_file(.env)" },
      { type, from: "user", decision: "allow", rule, removed: true },
    ]);
  });

  test("what is no rule is not added, and an unknown one not removed", async ({ view }) => {
    const wrong = view.addRule({ decision: "allow", rule: "npm test" });
    const unknown = view.removeRule({ decision: "allow", rule: "bash(npm test:*)" });

    await expect(wrong).rejects.toMatchObject({ code: "config-invalid" });
    await expect(unknown).rejects.toMatchObject({ code: "config-invalid" });
  });

  test("the modes are listed, and a mode is changed by an order to its member", async ({
    store,
    view,
  }) => {
    await enlist(store, "alice");
    await enlist(store, "bob", "shutdown");
    await store.roster.update((team) => ({
      ...team,
      members: team.members.map((each) => signMember(each, store.signature)),
      permissions: signPermissions(
        { rules: [], mode_in_force: "acceptEdits" },
        team,
        store.signature,
      ),
    }));
    const { reader } = await store.openMember(alice, ignored);

    const modes = await view.modes();
    await view.setMode("Alice", "plan");

    expect(modes).toEqual([
      { member: "lead", mode: "acceptEdits", followsLead: false },
      { member: "alice", mode: "acceptEdits", followsLead: false },
    ]);
    expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
      { type: "mode_set_request", from: "user", mode: "plan" },
    ]);
  });

  test("P13 no mode is set that is wider than the lead's, and none that troupe did not write is listed", async ({
    store,
    view,
  }) => {
    await enlist(store, "alice");
    await enlist(store, "bob", "shutdown");
    await store.roster.update((team) => ({
      ...team,
      permissions: { rules: [], mode_in_force: "bypassPermissions", sig: "made up" },
    }));

    expect(await view.modes()).toEqual([{ member: "lead", mode: "default", followsLead: false }]);
    const refused = { code: "config-invalid", message: expect.stringContaining("wider") };
    for (const name of ["lead", "alice"])
      await expect(view.setMode(name, "acceptEdits")).rejects.toMatchObject(refused);
    await expect(view.setMode("carol", "plan")).rejects.toMatchObject({ code: "member-unknown" });
    await expect(view.setMode("bob", "plan")).rejects.toMatchObject({ code: "member-ended" });
  });

  test("mail to unknown and ended members is refused", async ({ store, view }) => {
    await enlist(store, "bob", "shutdown");

    await expect(view.send("carol", "x")).rejects.toMatchObject({ code: "member-unknown" });
    await expect(view.send("bob", "x")).rejects.toMatchObject({ code: "member-ended" });
  });

  test("an open question is answered by mail; any other is refused", async ({ store, view }) => {
    await enlist(store, "alice");
    const { reader } = await store.openMember(alice, ignored);
    const { id } = await ask(store);
    const decided = await ask(store);
    await store.requests.cancel(decided.id, alice);

    await view.answer(id, { decision: "allow-once", hash: "of something else" });

    expect(await reader.unread()).toMatchObject([
      { message: { type: "permission_response", request_id: id, hash: "of something else" } },
    ]);
    const again = { decision: "deny" } as const;
    await expect(view.answer(decided.id, again)).rejects.toMatchObject({ code: "request-refused" });
    await expect(view.answer("nonsense", again)).rejects.toMatchObject({ code: "request-unknown" });
    const unknown = RequestId.parse(newRequestId(new Date(0)));
    await expect(view.answer(unknown, again)).rejects.toMatchObject({ code: "request-unknown" });
  });
}

function testWork(open: OpenTeamView): void {
  const test = testWith(open);
  test("the person's decision on a landing is an order to the lead, for exactly the commit that was seen", async ({
    store,
    view,
  }) => {
    const { reader } = await store.openMember(lead, ignored);
    const { id, commit } = await handIn(store);
    const other = CommitId.parse("b".repeat(40));
    const unknown = LandingId.parse("7");

    await view.decideLanding({ id, commit, decision: "land" });
    await view.decideLanding({ id, commit, decision: "discard", reason: "too much" });

    const type = "landing_decision";
    expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
      { type, from: "user", landing_id: id, commit, decision: "land" },
      { type, from: "user", landing_id: id, commit, decision: "discard", reason: "too much" },
    ]);
    const refusals = { code: "landing-changed" };
    await expect(view.decideLanding({ id, commit: other, decision: "land" })).rejects.toMatchObject(
      refusals,
    );
    await expect(
      view.decideLanding({ id: unknown, commit, decision: "land" }),
    ).rejects.toMatchObject({ code: "landing-unknown" });
    expect(await reader.unread()).toHaveLength(2);
  });

  test("a landing whose state is final takes no decision", async ({ store, view }) => {
    const { id, commit, version } = await handIn(store);
    await store.landings.move({ id, version }, { state: "landed" });

    for (const decision of ["land", "discard"] as const) {
      await expect(view.decideLanding({ id, commit, decision })).rejects.toMatchObject({
        code: "landing-refused",
      });
    }
  });

  test("nothing is brought to the person before something has landed, and then only to a repository", async ({
    store,
    view,
  }) => {
    await using directory = await temporaryDirectory();
    const { id, version } = await handIn(store);

    expect(await view.bringLanded(directory.path)).toEqual([]);

    await store.landings.move({ id, version }, { state: "landed" });
    await expect(view.bringLanded(directory.path)).rejects.toMatchObject({
      code: "repository-unusable",
    });
    await expect(view.bringLanded()).rejects.toMatchObject({ code: "repository-unusable" });
  });

  test("what a landing changes is only said where it is on record whose repository has it", async ({
    store,
    view,
  }) => {
    const { id } = await handIn(store);

    await expect(view.landingChanges(id)).rejects.toMatchObject({ code: "repository-unusable" });
    await expect(view.landingChanges(LandingId.parse("7"))).rejects.toMatchObject({
      code: "landing-unknown",
    });
  });

  test("the checkouts that are there are listed, and none is removed before its work is kept", async ({
    store,
    view,
  }) => {
    await using directory = await temporaryDirectory();
    const [here, retired, gone] = ["here", "retired/before", "gone"].map((name) =>
      join(directory.path, name),
    );
    await mkdir(String(here));
    await mkdir(String(retired), { recursive: true });
    const base = CommitId.parse("a".repeat(40));
    const earlier = [retired, gone].map((path) => ({ path: String(path), base, retired_at: at }));
    await store.checkouts.put({
      ...{ id: alice, state: "ready", path: String(here), base, earlier, incarnation: "1" },
      ...{ repository: String(gone), target: "troupe/default", branch: "troupe/alice" },
    });

    const listed = await view.checkouts();
    const cleaned = await view.cleanCheckouts();

    expect(listed).toMatchObject([
      { member: "alice", state: "retired", path: retired, isEarlier: true, since: at },
      { member: "alice", state: "ready", path: here, isEarlier: false },
    ]);
    expect(cleaned).toMatchObject({ removed: [], stayed: [{ checkout: { path: retired } }] });
    expect(await view.cleanCheckouts([String(here)])).toMatchObject({
      ...{ removed: [], stayed: [{ checkout: { path: here } }] },
    });
    expect(await view.checkouts()).toEqual(listed);
    expect(await view.inspectCheckout(String(here))).toMatchObject({ unkept: null });
    await expect(view.inspectCheckout(String(gone))).rejects.toMatchObject({
      code: "checkout-failed",
    });
  });
}

/** The changes that a view has reported since the last call. */
class ChangeLog {
  readonly stop: () => void;
  #told: TeamChange[] = [];
  readonly #latch = new WakeLatch();

  constructor(view: TeamView) {
    this.stop = view.onChange((change) => {
      this.#told.push(change);
      this.#latch.wake();
    });
  }

  /** Resolves when `change` has been reported. */
  async tell(change: TeamChange): Promise<void> {
    const wanted = JSON.stringify(change);
    while (!this.#told.some((each) => JSON.stringify(each) === wanted)) {
      await this.#latch.next();
    }
    this.#told = [];
  }
}

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const ignored = { onSetAside: () => undefined };
const cursorPattern = /^[A-Za-z0-9_-]{1,120}$/;

function say(store: TeamStore, content: string): Promise<Message> {
  return store.send("lead", { type: "message", from: user, content });
}

function ask(store: TeamStore) {
  const subject = { tool: "bash", input: { command: "make" } };
  return store.requests.open({ type: "permission", from: alice, to: user, subject });
}

function handIn(store: TeamStore): Promise<Landing> {
  const commit = CommitId.parse("a".repeat(40));
  const work = { ref: "refs/troupe/x/alice/1", commit, base: commit, target: "troupe/default" };
  return store.landings.take({ member: alice, ...work });
}

function notes(first: number, last: number): TranscriptEntry[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return numbers.map((number) => ({ type: "note", at, text: `note ${number}`, wakes: false }));
}

function call(model: string): UsageRecord {
  return {
    ...{ type: "call", at, member: lead, model, cost_usd: 0.1 },
    ...{ input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 },
  };
}

function textOf(record: Awaited<ReturnType<TeamView["mail"]>>["records"][number]): string {
  return record.state === "set aside" ? record.reason : record.message.content;
}

function textsOf({ entries }: Awaited<ReturnType<TeamView["transcript"]>>): string[] {
  return entries.map(({ entry }) => (entry?.type === "note" ? entry.text : "?"));
}
