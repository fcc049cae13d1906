import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import promises, {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { MemberRecord } from "../../src/protocol/team.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { testTeamStore } from "../../src/testing/conformance/team-store.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { patchFs } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore, takeOverStore, viewTeam } from "../support/team.ts";

testTeamStore("FileTeamStore", async () => {
  const directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
});

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const ignored = { onSetAside: () => undefined };

test("P04 mail to an unknown member leaves no file behind", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);

  await expect(
    store.send("carol", { type: "message", from: user, content: "hi" }),
  ).rejects.toThrow();
  await expect(store.send("../carol", { type: "message", from: user })).rejects.toThrow();

  expect(await readdir(join(directory.path, ".team", "inbox"))).toEqual([]);
});

test("P08 a reopened team has its members, mail, tasks and requests", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await enlist(first, member("alice"));
  await first.send("alice", { type: "message", from: user, content: "waits" });
  await first.tasks.create({ subject: "a task", created_by: lead });
  await first.requests.open({ type: "plan", from: alice, to: lead, subject: { plan: "1. …" } });
  await first[Symbol.asyncDispose]();

  await using second = await openStore(directory.path);
  const { reader } = await second.openMember(alice, ignored);

  expect((await second.roster.read()).members).toMatchObject([{ name: "alice" }]);
  expect(await reader.unread()).toMatchObject([{ message: { from: "user", content: "waits" } }]);
  expect(await second.tasks.list()).toMatchObject([{ id: "1", subject: "a task" }]);
  expect(await second.requests.list({ state: "pending" })).toMatchObject([{ from: "alice" }]);
});

test("P01 mail in the transcript is not shown again, even if the cursor never moved", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  const before = await first.openMember(lead, ignored);
  await first.send("lead", { type: "message", from: user, content: "seen" });
  const [delivery] = await before.reader.unread();
  if (!delivery) throw new Error("nothing was unread");
  await before.transcript.append([{ type: "delivery", at: new Date().toISOString(), ...delivery }]);
  await first.send("lead", { type: "message", from: user, content: "unseen" });
  await first[Symbol.asyncDispose]();

  await using second = await openStore(directory.path);
  const after = await second.openMember(lead, ignored);

  expect(await after.reader.unread()).toMatchObject([{ message: { content: "unseen" } }]);
});

test("P09 a second lead is refused while the first lives, and takes over when it has ended", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);

  await expect(openStore(directory.path)).rejects.toMatchObject({
    code: "lead-alive",
    message: expect.stringContaining(String(process.pid)),
  });
  await first[Symbol.asyncDispose]();

  await using second = await openStore(directory.path);
  expect(second.lost.aborted).toBe(false);
});

test("a refused start leaves the lead's unfinished files alone", async () => {
  await using directory = await temporaryDirectory();
  await using _lead = await openStore(directory.path);
  const unfinished = join(directory.path, ".team", `config.json.${randomUUID()}.tmp`);
  await writeFile(unfinished, "");

  await expect(openStore(directory.path)).rejects.toMatchObject({ code: "lead-alive" });

  expect(await readFile(unfinished, "utf8")).toBe("");
});

test("a directory with other content is refused, and nothing in it is changed", async () => {
  await using directory = await temporaryDirectory();
  const team = join(directory.path, ".team");
  await mkdir(join(team, "x.tmp"), { recursive: true });
  await writeFile(join(team, "my-notes.tmp"), "mine");

  await expect(openStore(directory.path)).rejects.toMatchObject({
    code: "team-unusable",
    message: expect.stringContaining("my-notes.tmp"),
  });

  expect((await readdir(team)).sort()).toEqual(["my-notes.tmp", "x.tmp"]);
});

test("a failed start closes everything it had opened, and can be tried again", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const obstacle = join(directory.path, ".team", ".usage");
  await mkdir(join(directory.path, ".team"));
  await writeFile(obstacle, "");

  await expect(openStore(directory.path, { clock })).rejects.toThrow("ENOTDIR");

  await rm(obstacle, { recursive: true });
  expect(clock.pending).toBe(0);
  await using _store = await openStore(directory.path, { clock });
  expect(clock.pending).toBeGreaterThan(0);
});

test.each([
  "config.json",
  "config.last-good.json",
  "events.jsonl",
  "usage.jsonl",
  "inbox/alice.jsonl",
  "inbox/.alice/cursor",
  "transcripts/alice.jsonl",
  "fence/heartbeat",
])("a directory in place of %s is moved away and reported, and the team starts", async (name) => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, ".team", name);
  await using first = await openStore(directory.path);
  await enlist(first, member("alice"));
  await first.openMember(alice, ignored);
  await first[Symbol.asyncDispose]();
  await rm(path, { force: true });
  await mkdir(path);

  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  await using store = await openStore(directory.path, { onWarning });
  await store.openMember(alice, ignored);

  expect(warnings).toContainEqual(expect.stringContaining(`${path} is a directory`));
  expect((await store.roster.read()).members).toMatchObject([{ name: "alice" }]);
});

test("P01 a foreign transcript in place of a member's own takes no mail from it", async () => {
  await using directory = await temporaryDirectory();
  await using first = await openStore(directory.path);
  await enlist(first, member("alice"), member("bob"));
  const opened = await first.openMember(bob, ignored);
  await opened.mailbox.append({ type: "message", from: user, content: "a long letter to bob" });
  const at = new Date().toISOString();
  for (const delivery of await opened.reader.unread()) {
    await opened.transcript.append([{ type: "delivery", at, ...delivery }]);
  }
  await first.send("alice", { type: "message", from: user, content: "a short one" });
  await first[Symbol.asyncDispose]();
  const transcripts = join(directory.path, ".team", "transcripts");
  await copyFile(join(transcripts, "bob.jsonl"), join(transcripts, "alice.jsonl"));

  await using store = await openStore(directory.path, { onWarning: () => undefined });
  const { reader } = await store.openMember(alice, ignored);

  expect(await reader.unread()).toMatchObject([{ message: { content: "a short one" } }]);
});

test("a member that failed to open can be opened when the reason is gone", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const obstacle = join(directory.path, ".team", "transcripts", "alice.jsonl");
  await mkdir(obstacle);

  await expect(store.openMember(alice, ignored)).rejects.toThrow("EISDIR");
  await rm(obstacle, { recursive: true });
  const opened = await store.openMember(alice, ignored);

  expect(await opened.reader.unread()).toEqual([]);
});

test("P13 P37 a team whose key is missing is refused, and after a takeover its mail is from outside", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await first.send("lead", { type: "message", from: user, content: "plain" });
  await first.send("lead", { type: "mode_set_request", from: user, mode: "bypassPermissions" });
  await first[Symbol.asyncDispose]();
  await rm(join(directory.path, "state"), { recursive: true });

  await expect(openStore(directory.path)).rejects.toMatchObject({ code: "team-foreign" });
  await using second = await takeOverStore(directory.path);
  const setAside: string[] = [];
  const { reader } = await second.openMember(lead, {
    onSetAside: ({ reason }) => setAside.push(reason),
  });

  expect(await reader.unread()).toMatchObject([{ message: { from: "outside", content: "plain" } }]);
  expect(setAside).toEqual([expect.stringContaining("not signed")]);
});

test("P37 after a takeover a member has its mode no longer from the lead, and must ask for everything", async () => {
  await using directory = await temporaryDirectory();
  {
    await using first = await openStore(directory.path);
    const inherits: MemberRecord["inherits"] = ["model", "permission_mode"];
    await enlist(first, { ...member("alice"), model: "a/b", inherits });
  }
  await rm(join(directory.path, "state"), { recursive: true });

  await using second = await takeOverStore(directory.path);

  expect((await second.roster.read()).members).toMatchObject([
    { model: "a/b", permission_mode: "default", inherits: ["model"], plan_required: true },
  ]);
});

test("P37 after a takeover the open requests are asked again, except those of calls", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await enlist(first, member("alice"));
  const draft = { type: "plan", from: alice, to: lead, subject: { plan: "1. …" } } as const;
  const asked = await first.requests.open(draft);
  await first.requests.open({
    type: "permission",
    from: alice,
    to: user,
    subject: { tool: "bash", input: { command: "id" }, call_id: "c1", reason: "asks" },
  });
  await first[Symbol.asyncDispose]();
  await rm(join(directory.path, "state"), { recursive: true });

  const forgeries: string[] = [];
  await using second = await takeOverStore(directory.path, {
    onWarning: (message) => forgeries.push(message),
  });
  const [again, ...others] = await second.requests.list({ state: "pending" });

  expect(others).toEqual([]);
  expect(again).toMatchObject(draft);
  expect(again?.id).not.toBe(asked.id);
  const answer = { by: lead, state: "approved", hash: asked.hash } as const;
  if (again) await second.requests.decide(again.id, answer);
  await expect(second.requests.decide(asked.id, answer)).rejects.toThrow();
});

test("P37 a member of a team that is taken over is who it was, and has to ask for everything", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  const decided = { role: "tester", model: "a/b", cwd: "/repo", color: "red", tools: ["bash"] };
  const allowed = { permission_mode: "bypassPermissions", plan_required: false } as const;
  await enlist(
    first,
    { ...member("alice", "working"), ...decided, ...allowed, incarnation: "before" },
    member("bob", "shutdown"),
  );
  await first[Symbol.asyncDispose]();
  await rm(join(directory.path, "state"), { recursive: true });
  await expect(openStore(directory.path)).rejects.toMatchObject({
    message: expect.stringContaining("Its teammates: alice (tester, a/b); bob (coder)."),
  });

  await using second = await takeOverStore(directory.path);

  const [taken, ended] = (await second.roster.read()).members;
  expect(taken).toMatchObject({
    ...{ ...decided, name: "alice", status: "idle" },
    ...{ permission_mode: "default", plan_required: true },
  });
  expect(taken?.incarnation).not.toBe("before");
  expect(ended).toMatchObject({ name: "bob", status: "shutdown" });
  expect(Object.keys(ended ?? {})).not.toContain("model");
});

test("P37 what a member saw is kept as a note when its team is taken over, other files stay", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await enlist(first, member("alice"));
  const at = "2026-01-01T09:00:00.000Z";
  for (const name of [lead, alice]) {
    const { transcript } = await first.openMember(name, ignored);
    const said: TranscriptEntry = { type: "note", at, text: "remember", wakes: false };
    await transcript.append(name === lead ? [said] : [{ type: "run-start", at }]);
  }
  await first[Symbol.asyncDispose]();
  const transcripts = join(directory.path, ".team", "transcripts");
  await writeFile(join(transcripts, "notes.txt"), "mine");
  await rm(join(directory.path, "state"), { recursive: true });

  await using second = await takeOverStore(directory.path, { clock: new ManualClock() });

  const tailOf = async (name: MemberName) => {
    const { transcript } = await second.openMember(name, ignored);
    return transcript.tail();
  };
  expect(await tailOf(lead)).toMatchObject([
    { type: "note", text: expect.stringContaining("[note] remember"), wakes: false },
  ]);
  expect(await tailOf(alice)).toEqual([]);
  expect(await readFile(join(transcripts, "notes.txt"), "utf8")).toBe("mine");
  const archive = join(directory.path, ".team/archive/2026-01-01T00-00-00.000Z");
  expect((await readdir(join(archive, "transcripts"))).sort()).toEqual([
    ...["alice.jsonl", "lead.jsonl"],
  ]);
  expect((await readdir(archive)).sort()).toEqual(
    expect.arrayContaining(["config.json", "config.last-good.json", "transcripts"]),
  );
});

test("a key that cannot be saved is a warning, and the team runs until its process ends", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "file"), "");
  const stateHome = join(directory.path, "file", "state");
  const warnings: string[] = [];

  await using store = await openStore(directory.path, {
    keyPlace: { keyFile: undefined, stateHome, home: directory.path },
    onWarning: (message) => warnings.push(message),
  });

  await store.send("lead", { type: "message", from: user, content: "hi" });
  const { reader } = await store.openMember(lead, ignored);
  expect(await reader.unread()).toMatchObject([{ message: { from: "user", content: "hi" } }]);
  expect(warnings).toEqual([expect.stringContaining("The team's key cannot be saved")]);
});

test("P15 a line that is set aside is an event, and other processes see it", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { reader } = await store.openMember(lead, ignored);
  const view = viewTeam(directory.path);
  await writeFile(join(directory.path, ".team", "inbox", "lead.jsonl"), '{"broken\n');

  await reader.unread();
  await store.events.flush();

  const stop = new AbortController();
  for await (const { event } of view.events({ signal: stop.signal })) {
    expect(event).toMatchObject({ type: "line-set-aside", member: "lead", id: "hand-1-0" });
    stop.abort();
  }
});

test("another process sees the cost of the model calls", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const used = { input_tokens: 3, output_tokens: 4, cache_read_tokens: 0, cache_write_tokens: 0 };
  const at = new Date().toISOString();
  await store.usage.record({ type: "call", at, member: lead, model: "m", ...used, cost_usd: 0.1 });

  const totals = await viewTeam(directory.path).usage();

  expect(totals.get(lead)).toMatchObject({ calls: 1, input_tokens: 3, cost_usd: 0.1 });
});

test("P03 the person's mail from another process wakes the member", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const { reader } = await store.openMember(alice, ignored);
  const woken = new Promise<void>((resolve) => reader.onWake(resolve));

  await viewTeam(directory.path).send("alice", "wake up");
  await woken;

  expect(await reader.unread()).toMatchObject([{ message: { from: "user" } }]);
});

test("closing waits until a record changed by another process is read", async () => {
  await using directory = await temporaryDirectory();
  await using otherDirectory = await temporaryDirectory();
  const order: string[] = [];
  const store = await openStore(directory.path, { onWarning: (text) => order.push(text) });
  const tasks = join(directory.path, ".team", "tasks");
  const versions = join(tasks, ".versions", "77");
  await mkdir(versions, { recursive: true });
  using reading = holdListing(versions);
  await writeFile(join(tasks, "77.json"), "{");
  await reading.hasBegun;

  const closing = store[Symbol.asyncDispose]().then(() => order.push("closed"));
  // A whole team is opened and closed meanwhile: the other one would have been closed before.
  await (await openStore(otherDirectory.path))[Symbol.asyncDispose]();
  reading.goOn();
  await closing;

  expect(order).toEqual([expect.stringContaining("77.json"), "closed"]);
});

/** Holds the listing of a directory, by whichever path it is reached. */
function holdListing(directory: string) {
  const { readdir } = promises;
  let begin = () => {};
  let goOn = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const patch = patchFs(promises, {
    readdir: async (...args: unknown[]) => {
      if (realpathSync(String(args[0])) === realpathSync(directory)) {
        begin();
        await mayGoOn;
      }
      return Reflect.apply(readdir, promises, args);
    },
  });
  return { hasBegun, goOn, [Symbol.dispose]: () => patch[Symbol.dispose]() };
}

test("all files are private, regardless of the umask", async () => {
  await using directory = await temporaryDirectory();
  const umask = process.umask(0o022);
  try {
    await using store = await openStore(directory.path);
    await enlist(store, member("alice"));
    await store.send("alice", { type: "message", from: user, content: "hi" });
    await store.openMember(alice, ignored);
    await store.tasks.create({ subject: "a task", created_by: lead });
    await store.requests.open({ type: "plan", from: alice, to: lead, subject: { plan: "1." } });
    store.events.append({ type: "run-start", at: new Date().toISOString(), member: alice });
    await store.events.flush();
  } finally {
    process.umask(umask);
  }

  for (const root of [".team", "state"]) {
    for (const name of [".", ...(await readdir(join(directory.path, root), { recursive: true }))]) {
      const path = join(directory.path, root, name);
      const { mode } = await stat(path);
      const isDirectory = (mode & 0o170000) === 0o040000;
      if (root === "state" && !/keys/.test(name)) continue;
      expect(`${name} ${(mode & 0o777).toString(8)}`).toBe(
        `${name} ${isDirectory ? "700" : "600"}`,
      );
    }
  }
  expect(await readFile(join(directory.path, ".team", ".gitignore"), "utf8")).toBe("*\n");
});

test("a .team that is a file is refused, with a hint", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, ".team"), "");

  await expect(openStore(directory.path)).rejects.toMatchObject({
    code: "team-unusable",
    hint: expect.stringContaining("--team-dir"),
  });
});

test("P37 an incomplete .team is completed, and mail that was put there is set aside and reported", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".team", "inbox"), { recursive: true });
  await writeFile(join(directory.path, ".team", "inbox", "lead.jsonl"), "waiting by hand\n");
  const warnings: string[] = [];

  await using store = await openStore(directory.path, {
    onWarning: (message) => warnings.push(message),
  });
  const { reader } = await store.openMember(lead, ignored);

  expect(await reader.unread()).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("archive")]);
});

test("a team of a newer troupe is refused, and nothing in it is changed", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".team"));
  await writeFile(join(directory.path, ".team", "config.json"), '{"format":99}');
  await chmod(join(directory.path, ".team"), 0o755);

  await expect(openStore(directory.path)).rejects.toMatchObject({ code: "format-newer" });

  expect(await readdir(join(directory.path, ".team"))).toEqual(["config.json"]);
  expect((await stat(join(directory.path, ".team"))).mode & 0o777).toBe(0o755);
});
