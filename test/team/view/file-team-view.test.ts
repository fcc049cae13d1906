import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, user } from "../../../src/protocol/ids.ts";
import type { MemberStore, TeamStore } from "../../../src/team/team-store.ts";
import { entriesNewestFirst, mailNewestFirst } from "../../../src/team/view/read-pages.ts";
import type { Cursor, TeamView } from "../../../src/team/view/team-view.ts";
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
  let from: Cursor | null | undefined;
  while (from !== null) {
    const page = await view.mail(lead, { from, limit });
    for (const record of page.records) {
      found.push(record.state === "set aside" ? record.text : record.message.content);
    }
    from = page.next;
  }
  return found;
}

test("mail is paged over logs that were rotated, with what a late sender adds to an old one", async () => {
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

test("a page can begin within a line that a torn write has glued together", async () => {
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

test("a damaged line of a transcript is listed as such, and told", async () => {
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

test("one view shows no team, then one, then the next in its place", async () => {
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

test("reading stops where its reader does", async () => {
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
