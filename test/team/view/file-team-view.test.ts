import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, user } from "../../../src/protocol/ids.ts";
import type { MemberStore, TeamStore } from "../../../src/team/team-store.ts";
import { entriesNewestFirst, mailNewestFirst } from "../../../src/team/view/read-pages.ts";
import type { PageCursor, TeamView } from "../../../src/team/view/team-view.ts";
import { testTeamView } from "../../../src/testing/conformance/team-view.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { openStore, viewTeam } from "../../support/team.ts";

testTeamView("FileTeamView", async () => {
  const directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  return {
    store,
    view: viewTeam(directory.path),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
});

const at = "2026-01-01T09:00:00.000Z";
const ignored = { onSetAside: () => undefined };
const say = (store: TeamStore, content: string) =>
  store.send("lead", { type: "message", from: user, content });

async function acknowledgeAll({ reader }: MemberStore): Promise<void> {
  for (let unread = await reader.unread(); unread.length > 0; unread = await reader.unread()) {
    const last = unread.at(-1);
    if (last) await reader.acknowledge(last.message.id);
  }
}

/** The lead's mail, newest first, by pages of `limit`. */
async function mailOf(view: TeamView, limit: number): Promise<string[]> {
  const found: string[] = [];
  let from: PageCursor | null | undefined;
  while (from !== null) {
    const page = await view.mail(lead, { from, limit });
    for (const record of page.records) {
      found.push(record.state === "set aside" ? record.text : record.message.content);
    }
    from = page.next;
  }
  return found;
}

test("mail is paged over rotated logs, including lines that a late sender adds to an old one", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const member = await store.openMember(lead, ignored);
  const view = viewTeam(directory.path);
  const sent: string[] = [];
  for (let index = 0; index < 12; index++) {
    const content = `${index} `.padEnd(200_000, "x");
    sent.unshift(content);
    await say(store, content);
    await acknowledgeAll(member);
    expect(await view.unread(lead)).toBe(0);
  }
  const oldest = join(directory.path, ".team/inbox/.lead/000001.jsonl");
  const before = await mailOf(view, 2);
  await appendFile(oldest, "late\n");

  const after = await mailOf(view, 2);

  expect(before).toEqual(sent);
  expect(after.filter((text) => text !== "late")).toEqual(sent);
  expect(after).toContain("late");
});

test("a page can begin within a line of two joined records", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await say(store, "one");
  await say(store, "two");
  await say(store, "three");
  const path = join(directory.path, ".team/inbox/lead.jsonl");
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  await writeFile(path, `${lines.join("")}\n`);

  expect(await mailOf(viewTeam(directory.path), 1)).toEqual(["three", "two", "one"]);
  expect(await mailOf(viewTeam(directory.path), 2)).toEqual(["three", "two", "one"]);
});

test("a mailbox that was deleted or replaced is counted from its start", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await say(store, "gone");
  await say(store, "gone, too");
  const view = viewTeam(directory.path);
  const live = join(directory.path, ".team/inbox/lead.jsonl");

  const before = await view.unread(lead);
  await rename(live, `${live}.aside`);
  await appendFile(live, "by hand\n");
  const replaced = await view.unread(lead);
  await rm(live);

  expect([before, replaced, await view.unread(lead)]).toEqual([2, 1, 0]);
});

test("a damaged line of a transcript is listed as such, and reported", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { transcript } = await store.openMember(lead, ignored);
  await transcript.append([{ type: "run-start", at: "2026-01-01T09:00:00.000Z" }]);
  await appendFile(join(directory.path, ".team/transcripts/lead.jsonl"), "{nonsense\n");
  const warnings: string[] = [];
  const view = viewTeam(directory.path, { onWarning: (message) => warnings.push(message) });

  const { entries } = await view.transcript(lead, { limit: 10 });

  expect(entries).toMatchObject([
    { entry: { type: "run-start" }, damage: null },
    { entry: null, damage: expect.stringContaining("was not written by troupe") },
  ]);
  expect(warnings).toEqual([entries[1]?.damage]);
  const types: string[] = [];
  for await (const { type } of entriesNewestFirst(view, lead)) types.push(type);
  expect(types).toEqual(["run-start"]);
});

test("one view shows no team, then one, then the next in the same directory", async () => {
  await using directory = await temporaryDirectory();
  const view = viewTeam(directory.path);
  await expect(view.tasks()).rejects.toMatchObject({ code: "team-missing" });

  const first = await openStore(directory.path);
  await first.tasks.create({ subject: "of the first", created_by: lead });
  const firstTeam = await view.team();
  const firstTasks = await view.tasks();
  await first[Symbol.asyncDispose]();
  await rm(join(directory.path, ".team"), { recursive: true });
  await expect(view.team()).rejects.toMatchObject({ code: "team-missing" });
  await using second = await openStore(directory.path);
  await second.tasks.create({ subject: "of the second", created_by: lead });
  await say(second, "hello");

  expect(firstTasks).toMatchObject([{ subject: "of the first" }]);
  expect((await view.team()).team_id).not.toBe(firstTeam.team_id);
  expect(await view.tasks()).toMatchObject([{ subject: "of the second" }]);
  expect(await view.unread(lead)).toBe(1);
});

test("reading stops when its reader stops", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  for (let number = 1; number <= 20; number++) await say(store, `${number}`);
  const limits: number[] = [];
  const view = viewTeam(directory.path);
  const counted: Pick<TeamView, "mail"> = {
    mail(owner, query) {
      limits.push(query.limit);
      return view.mail(owner, query);
    },
  };

  let read = 0;
  for await (const _ of mailNewestFirst(counted, lead)) if (++read === 5) break;

  expect(limits).toEqual([4, 8]);
});

test("a page ends where it has read a megabyte, in either direction", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { transcript } = await store.openMember(lead, ignored);
  const view = viewTeam(directory.path);
  const start = await view.transcript(lead, { limit: 10 });
  const text = "x".repeat(600 * 1024);
  for (let number = 1; number <= 3; number++) {
    await transcript.append([{ type: "note", at, text: `${number}${text}`, wakes: false }]);
  }
  const numbersIn = ({ entries }: Awaited<ReturnType<TeamView["transcript"]>>) =>
    entries.map(({ entry }) => (entry?.type === "note" ? entry.text[0] : "?"));

  const newest = await view.transcript(lead, { limit: 10 });
  const oldest = await view.transcript(lead, { after: start.after, limit: 10 });

  expect([numbersIn(newest), numbersIn(oldest)]).toEqual([
    ["2", "3"],
    ["1", "2"],
  ]);
  const rest = await view.transcript(lead, { before: newest.before ?? undefined, limit: 10 });
  expect([numbersIn(rest), rest.before]).toEqual([["1"], null]);
  expect(numbersIn(await view.transcript(lead, { after: oldest.after, limit: 10 }))).toEqual(["3"]);
});

test("a cursor that is not of this transcript gives its newest entries, as one started again", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const view = viewTeam(directory.path);
  const { after: none } = await view.transcript(lead, { limit: 10 });
  expect(await view.transcript(lead, { after: "nonsense", limit: 10 })).toMatchObject({
    ...{ entries: [], before: null, isRestarted: true },
  });
  expect(await view.transcript(lead, { after: none, limit: 10 })).toMatchObject({
    ...{ entries: [], isRestarted: false },
  });
  const { transcript } = await store.openMember(lead, ignored);
  await transcript.append([{ type: "run-start", at }]);
  const { after } = await view.transcript(lead, { limit: 10 });
  const beyond = after.replace(/\d+$/, "999999");

  for (const cursor of ["nonsense", beyond]) {
    expect(await view.transcript(lead, { after: cursor, limit: 10 })).toMatchObject({
      ...{ entries: [{ entry: { type: "run-start" } }], isRestarted: true },
    });
  }
});

test("an empty line of a transcript is no entry and no damage", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { transcript } = await store.openMember(lead, ignored);
  await transcript.append([{ type: "run-start", at }]);
  await appendFile(join(directory.path, ".team/transcripts/lead.jsonl"), "\n");

  const { entries } = await viewTeam(directory.path).transcript(lead, { limit: 10 });

  expect(entries).toMatchObject([{ entry: { type: "run-start" } }]);
});

test("missing entries are reported once, at the start, in the middle and between two pages", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { transcript } = await store.openMember(lead, ignored);
  for (let number = 1; number <= 6; number++) {
    await transcript.append([{ type: "note", at, text: `${number}`, wakes: false }]);
  }
  const path = join(directory.path, ".team/transcripts/lead.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n");
  const gapsOf = async (kept: readonly number[], limit: number) => {
    await writeFile(path, kept.map((number) => `${lines[number - 1]}\n`).join(""));
    const warnings: string[] = [];
    const view = viewTeam(directory.path, { onWarning: (message) => warnings.push(message) });
    let before: PageCursor | null | undefined;
    while (before !== null) before = (await view.transcript(lead, { before, limit })).before;
    const told = warnings.filter((text) => text.includes("entries are missing"));
    if (kept[0] !== 1) expect(told.at(-1)).toContain("before byte 0:");
    return told.length;
  };

  for (const limit of [1, 2, 10]) {
    expect(await gapsOf([1, 2, 3, 4, 5, 6], limit)).toBe(0);
    expect(await gapsOf([1, 2, 4, 5, 6], limit)).toBe(1);
    expect(await gapsOf([3, 4, 5, 6], limit)).toBe(1);
    expect(await gapsOf([1, 3, 5, 6], limit)).toBe(2);
  }
});

test("without the team's key no question is shown, and that is said", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { id } = await store.requests.open({
    ...{ type: "permission", from: lead, to: user },
    subject: { tool: "bash", input: { command: "make" } },
  });
  expect(await viewTeam(directory.path).requestIds()).toEqual([id]);
  await rm(join(directory.path, "state"), { recursive: true });
  const warnings: string[] = [];
  const view = viewTeam(directory.path, { onWarning: (message) => warnings.push(message) });

  expect(await view.requestIds()).toEqual([]);
  expect(await view.request(id)).toBeUndefined();

  const unseen = warnings.filter((text) => text.includes("no question can be shown"));
  expect(unseen).toHaveLength(2);
  expect(warnings.filter((text) => text.includes("not known to be yours"))).toHaveLength(1);
  await expect(view.send("lead", "hello")).rejects.toMatchObject({ code: "key-unavailable" });
  await store[Symbol.asyncDispose]();
  await expect(view.send("lead", "hello")).rejects.toMatchObject({
    code: "team-foreign",
    message: expect.stringContaining("It has no teammates."),
  });
});
