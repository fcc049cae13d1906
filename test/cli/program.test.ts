import { appendFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

const alice = MemberName.parse("alice");
const ignored = { onSetAside: () => undefined };

test("team prints the roster, and says that the team is not running", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob", "shutdown", "tester"));

  const running = await troupe(directory.path, "team");
  await store[Symbol.asyncDispose]();
  const stopped = await troupe(directory.path, "team");

  expect(running.out).toEqual([
    "Team: default",
    "  lead: idle",
    "    default",
    "  alice (coder): idle",
    "    default",
    "  bob (tester): shutdown",
  ]);
  expect(stopped.out).toContain("  alice (coder): idle, not running");
});

test("team --json is the roster and the process that runs it", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const { out } = await troupe(directory.path, "team", "--json");

  expect(JSON.parse(out.join("\n"))).toMatchObject({
    team_name: "default",
    members: [{ name: "alice", status: "idle" }],
    running: { pid: process.pid },
  });
});

test("a new team has no teammates, tasks or messages, and says so", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);

  expect((await troupe(directory.path, "team")).out).toEqual([
    ...["Team: default", "  lead: idle", "    default", "No teammates."],
  ]);
  expect((await troupe(directory.path, "tasks")).out).toEqual(["No tasks."]);
  expect((await troupe(directory.path, "messages")).out).toEqual(["No messages."]);
  expect((await troupe(directory.path, "inbox")).out).toEqual(["No unread mail for lead."]);
});

test("send writes signed mail from the person, while the team runs or not", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await enlist(first, member("alice"));
  const sent = await troupe(directory.path, "send", "Alice", "while it runs");
  await first[Symbol.asyncDispose]();
  await troupe(directory.path, "send", "alice", "while it does not");

  await using second = await openStore(directory.path);
  const { reader } = await second.openMember(alice, ignored);

  expect(sent).toEqual({ code: 0, out: ["Sent message to alice"], err: [] });
  expect((await reader.unread()).map(({ message }) => [message.from, message.content])).toEqual([
    ["user", "while it runs"],
    ["user", "while it does not"],
  ]);
});

test("inbox shows unread mail first, then delivered mail, and consumes nothing", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { reader } = await store.openMember(lead, ignored);
  const seen = await store.send("lead", { type: "message", from: user, content: "seen" });
  await store.send("lead", { type: "message", from: user, content: "new" });
  await reader.unread();
  await reader.acknowledge(seen.id);

  const { out } = await troupe(directory.path, "inbox");
  const json = JSON.parse((await troupe(directory.path, "inbox", "lead", "--json")).out.join("\n"));

  expect(out).toEqual([
    expect.stringMatching(/^queued .* user → lead: new$/),
    expect.stringMatching(/^delivered .* user → lead: seen$/),
  ]);
  expect(json).toMatchObject({
    name: "lead",
    unread: [{ content: "new", state: "queued" }],
    recent: [{ content: "seen", state: "delivered" }],
  });
  expect(await reader.unread()).toHaveLength(1);
});

test("messages shows the mail of all members with its state", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob"));
  const { reader } = await store.openMember(alice, ignored);
  const seen = await store.send("alice", { type: "message", from: lead, content: "one" });
  const back = await store.send("alice", { type: "message", from: lead, content: "two" });
  await store.send("bob", { type: "message", from: lead, content: "three" });
  await reader.unread();
  await reader.acknowledge(seen.id);
  await reader.giveBack(back.id);
  await appendFile(
    join(directory.path, ".team", "inbox", "alice.jsonl"),
    '{"type":"shutdown_request"}\n',
  );

  const { out } = await troupe(directory.path, "messages", "--json");

  expect(JSON.parse(out.join("\n"))).toMatchObject([
    { content: "one", state: "delivered" },
    { content: "two", state: "undelivered" },
    { content: "three", state: "queued" },
    { to: "alice", state: "set aside", reason: expect.stringContaining("not signed") },
  ]);
  const lines = (await troupe(directory.path, "messages")).out;
  expect(lines.map((line) => line.split("  ")[0])).toEqual([
    "delivered",
    "undelivered",
    "queued",
    "set aside",
  ]);
});

test("mail that waits for an ended member is undelivered", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await store.send("alice", { type: "message", from: lead, content: "too late" });
  await store.roster.update((roster) => ({ ...roster, members: [member("alice", "shutdown")] }));

  const { out } = await troupe(directory.path, "messages");

  expect(out).toEqual([expect.stringMatching(/^undelivered .* lead → alice: too late$/)]);
});

test("tasks shows the board", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const first = await store.tasks.create({ subject: "design", created_by: lead });
  await store.tasks.create({ subject: "build", created_by: lead, blocked_by: [first.id] });
  await store.tasks.claim(first.id, { by: alice });

  const { out } = await troupe(directory.path, "tasks");
  const json = JSON.parse((await troupe(directory.path, "tasks", "--json")).out.join("\n"));

  expect(out).toEqual([
    "  1. [in_progress] design (owner alice)",
    "  2. [pending] build (blocked by 1)",
  ]);
  expect(json).toMatchObject([
    { id: "1", owner: "alice" },
    { id: "2", blocked_by: ["1"] },
  ]);
});

test.each([["team"], ["inbox"], ["messages"], ["tasks"], ["send", "lead", "hi"]])(
  "%s without a team says so and creates none",
  async (...argv) => {
    await using directory = await temporaryDirectory();

    const { code, err } = await troupe(directory.path, ...argv);

    expect(code).toBe(2);
    expect(err).toEqual([
      expect.stringContaining("There is no team in"),
      expect.stringContaining("--team-dir"),
    ]);
    expect(await readdir(directory.path)).toEqual([]);
  },
);

test("an invalid edit of the roster is reported, and the last good one is shown", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await writeFile(join(directory.path, ".team", "config.json"), "{ nonsense");

  const { code, out, err } = await troupe(directory.path, "team");

  expect(code).toBe(0);
  expect(out).toContain("  alice (coder): idle");
  expect(err).toEqual([expect.stringMatching(/config\.json:1:3 is not JSON/)]);
});

test("a .team that is a file is a clear error", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, ".team"), "");

  const { code, err } = await troupe(directory.path, "team");

  expect(code).toBe(2);
  expect(err[0]).toContain("is a file, not a team's directory");
});

test("send says why it cannot sign while the lead keeps its key in memory", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);
  await rm(join(directory.path, "state"), { recursive: true });

  const { code, err } = await troupe(directory.path, "send", "lead", "hi");

  expect(code).toBe(1);
  expect(err).toEqual([
    expect.stringContaining("not known to be yours"),
    expect.stringContaining("key"),
    expect.stringContaining(`pid ${process.pid}`),
  ]);
});

test("without the key senders are shown as claimed, with one warning", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await store.send("lead", { type: "message", from: user, content: "hi" });
  await rm(join(directory.path, "state"), { recursive: true });

  const { out, err } = await troupe(directory.path, "messages");

  expect(out).toEqual([expect.stringContaining("user → lead: hi")]);
  expect(err).toEqual([expect.stringContaining("including senders, is only what its files claim")]);
});

test("control characters in mail are escaped", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const content = "a\u001b[2Jb\rc\u202ed\u200be\nnext";
  await store.send("lead", { type: "message", from: user, content });

  const { out } = await troupe(directory.path, "inbox");

  expect(out[0]).toContain("a\\x1b[2Jb\\x0dc\\u{202e}d\\u{200b}e ⏎ next");
});

test("a hostile roster stays one line per member", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const hostile = `${" \n\t".repeat(20_000)}x\u001b[2J\r\n  bob (coder): idle${"y".repeat(100_000)}`;
  await store.roster.update((roster) => ({
    ...roster,
    team_name: hostile,
    members: [{ ...member("alice", "idle", hostile), detail: hostile }],
  }));
  await store.tasks.create({ subject: hostile, created_by: lead });

  const { out } = await troupe(directory.path, "team");
  const board = await troupe(directory.path, "tasks");

  expect(out).toHaveLength(4);
  expect(board.out).toHaveLength(1);
  for (const line of [...out, ...board.out]) {
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line.length).toBeLessThan(300);
  }
});
