import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { TeamRequest } from "../../src/protocol/request.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

const alice = MemberName.parse("alice");

test('approvals shows exactly what would run, what "always" would allow, and how to answer', async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const long = "x".repeat(300);
  const command = `npm test\nrm -rf \u202ebuild\necho ${long}`;
  const { id } = await ask(store, { command }, "bash(npm test:*)");

  const { out } = await troupe(directory.path, "approvals");

  expect(out[0]).toMatch(new RegExp(`^${id} {2}permission of alice, since \\d{4}-`));
  expect(out.slice(1)).toEqual([
    "    bash",
    "    $ npm test",
    "      rm -rf <U+202E>build",
    `      echo ${long}`,
    "  asked because it changes files",
    `  troupe approve ${id}`,
    `  troupe approve ${id} --always`,
    "      allows bash(npm test:*) from now on",
    `  troupe deny ${id} --reason "…"`,
  ]);
});

test("approvals shows an edit as a diff with every line", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const lines = (word: string) => Array.from({ length: 50 }, (_, n) => `${word} ${n}`).join("\n");
  const input = { path: "src/a.ts", old_text: lines("old"), new_text: lines("new") };
  const subject = { call_id: "1", tool: "edit_file", input, reason: "it changes files" };
  await store.requests.open({ type: "permission", from: alice, to: user, subject });

  const { out } = await troupe(directory.path, "approvals");

  expect(out.filter((line) => /- *old \d+$/.test(line))).toHaveLength(50);
  expect(out.filter((line) => /\+ *new \d+$/.test(line))).toHaveLength(50);
  expect(out.join("\n")).toContain("src/a.ts");
});

test("approvals shows whole plans, lists those for the lead separately, and says if the team is not running", async () => {
  await using directory = await temporaryDirectory();
  const store = await openTeam(directory.path);
  const plan = (to: MemberName, text: string) =>
    store.requests.open({ type: "plan", from: alice, to, subject: { plan: text } });
  const mine = await plan(user, "1. Look\n2. Leap");
  const theirs = await plan(lead, "Ask the lead");
  await store[Symbol.asyncDispose]();

  const { out } = await troupe(directory.path, "approvals");
  const json = JSON.parse((await troupe(directory.path, "approvals", "--json")).out.join("\n"));

  expect(out.slice(1, 3)).toEqual(["    1. Look", "    2. Leap"]);
  expect(out.indexOf("For the lead to decide:")).toBeGreaterThan(3);
  expect(out).toContain("    Ask the lead");
  expect(out).not.toContain(`  troupe approve ${theirs.id}`);
  expect(out.at(-1)).toBe("The team is not running: answers take effect when it runs again.");
  expect(json).toMatchObject({
    waiting: [{ id: mine.id, type: "plan", from: "alice", subject: { plan: "1. Look\n2. Leap" } }],
    plans_for_lead: [{ id: theirs.id }],
  });
});

test("without open requests approvals says so", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openTeam(directory.path);

  expect((await troupe(directory.path, "approvals")).out).toEqual([
    "No request waits for your answer.",
  ]);
});

test("approve and deny send the person's answer to the asker; the beginning of an id is enough", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const first = await ask(store, { command: "make" }, "bash(make:*)");
  const second = await ask(store, { command: "rm x" });

  const approved = await troupe(directory.path, "approve", first.id.slice(0, -2), "--always");
  const denied = await troupe(directory.path, "deny", second.id, "--reason", "Keep it.", "--json");

  expect(approved).toEqual({
    code: 0,
    out: ["Approved alice: bash make", "Always allowed: bash(make:*)", "'alice' continues."],
    err: [],
  });
  expect(JSON.parse(denied.out.join("\n"))).toEqual({
    request_id: second.id,
    type: "permission",
    from: "alice",
    decision: "deny",
    running: expect.objectContaining({ pid: process.pid }),
  });
  expect(await mailOf(store, alice)).toMatchObject([
    { type: "permission_response", request_id: first.id, decision: "allow-always" },
    { type: "permission_response", request_id: second.id, decision: "deny", reason: "Keep it." },
  ]);
});

test("an answer while the team is not running says when it takes effect", async () => {
  await using directory = await temporaryDirectory();
  const store = await openTeam(directory.path);
  const { id } = await ask(store, { command: "make" });
  await store[Symbol.asyncDispose]();

  const { out } = await troupe(directory.path, "deny", id);

  expect(out).toEqual([
    "Denied alice: bash make",
    "The answer takes effect when the team runs again.",
  ]);
});

test("an answer without an id is refused, and the open requests are listed", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const nothing = await troupe(directory.path, "approve");
  const first = await ask(store, { command: "make" });
  const one = await troupe(directory.path, "approve");
  const second = await ask(store, { command: "rm x" });

  const without = await troupe(directory.path, "deny");
  const both = await troupe(directory.path, "approve", "0");
  const none = await troupe(directory.path, "approve", "f00");

  expect(nothing).toMatchObject({ code: 2, err: ["error: No request waits for your answer"] });
  expect(one).toMatchObject({ code: 2, err: [expect.anything(), expect.stringContaining("make")] });
  for (const { code, out, err } of [without, both, none]) {
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err[1]).toContain(`${first.id} (alice: bash make), ${second.id} (alice: bash rm x)`);
  }
  expect(both.err[0]).toContain("Several requests start with 0");
  expect(none.err[0]).toContain("No request starts with f00");
  expect(await mailOf(store, alice)).toEqual([]);
});

test("P38 an id prefix that two requests share answers neither, even if one is decided", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const seen = await ask(store, { command: "make" });
  await store.requests.decide(seen.id, { by: user, state: "approved", hash: seen.hash });
  const newer = await ask(store, { command: "rm x" });
  const [shared = 0] = [...newer.id].flatMap((digit, at) => (digit === seen.id[at] ? [] : [at]));

  const refused = await troupe(directory.path, "approve", newer.id.slice(0, shared));
  const mailBefore = await mailOf(store, alice);
  const unique = await troupe(directory.path, "approve", newer.id.slice(0, shared + 1));

  expect(refused).toMatchObject({ code: 2, out: [] });
  expect(refused.err[0]).toContain("Several requests start with");
  expect(refused.err[1]).toContain(newer.id);
  expect(mailBefore).toEqual([]);
  expect(unique).toMatchObject({ code: 0 });
  expect(await mailOf(store, alice)).toMatchObject([{ request_id: newer.id }]);
});

test("answers to decided requests and requests for others are refused with a hint", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const decided = await ask(store, { command: "make" });
  const { id, hash } = decided;
  await store.requests.decide(id, { by: user, state: "approved", hash });
  const plan = await store.requests.open({
    type: "plan",
    from: alice,
    to: lead,
    subject: { plan: "x" },
  });
  const open = await ask(store, { command: "rm x" });

  const again = await troupe(directory.path, "deny", id);
  const theirs = await troupe(directory.path, "approve", plan.id);
  const always = await troupe(directory.path, "approve", open.id, "--always");

  expect(again.err[0]).toContain("is already approved by 'user'");
  expect(theirs.err[0]).toContain("is for 'lead' to decide");
  expect(theirs.err[1]).toContain("--plan-approval user");
  expect(always.err).toEqual([
    "error: No rule can always allow such calls",
    `\`troupe approve ${open.id}\` allows this one.`,
  ]);
  for (const { code, out } of [again, theirs, always]) {
    expect({ code, out }).toEqual({ code: 2, out: [] });
  }
  expect(await mailOf(store, alice)).toEqual([]);
});

test("stop sends an order, and says which process carries it out", async () => {
  await using directory = await temporaryDirectory();
  const store = await openTeam(directory.path);
  const running = await troupe(directory.path, "stop", "Alice");
  const all = await troupe(directory.path, "stop", "--json");
  const orders = [await mailOf(store, alice), await mailOf(store, lead)];
  await store[Symbol.asyncDispose]();
  const stopped = await troupe(directory.path, "stop");

  expect(running.out).toEqual([
    `'alice' will be stopped by the process that runs the team (pid ${process.pid}).`,
  ]);
  expect(JSON.parse(all.out.join("\n"))).toMatchObject({
    stop: "lead",
    running: { pid: process.pid },
  });
  expect(stopped.out).toEqual([
    "All teammates and the lead's run will be stopped when the team runs again: it is not running.",
  ]);
  expect(orders).toMatchObject([
    [{ type: "shutdown_request", from: "user" }],
    [{ type: "shutdown_request", from: "user" }],
  ]);
});

test("unknown and ended members cannot be stopped", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openTeam(directory.path);

  const unknown = await troupe(directory.path, "stop", "carol");
  const ended = await troupe(directory.path, "stop", "bob");

  expect(unknown).toMatchObject({
    code: 2,
    err: [expect.anything(), "Members: lead, alice, bob."],
  });
  expect(ended).toMatchObject({
    code: 2,
    err: ["error: 'bob' has already ended", expect.stringContaining("alice")],
  });
});

async function openTeam(root: string) {
  const store = await openStore(root);
  await enlist(store, member("alice"), member("bob", "shutdown"));
  return store;
}

function ask(store: TeamStore, input: object, rule?: string): Promise<TeamRequest> {
  const subject = { call_id: "1", tool: "bash", input, reason: "it changes files" };
  return store.requests.open({
    type: "permission",
    from: alice,
    to: user,
    subject: { ...subject, ...(rule && { rule }) },
  });
}

async function mailOf(store: TeamStore, name: MemberName) {
  const { reader } = await store.openMember(name, { onSetAside: () => undefined });
  return (await reader.unread()).map(({ message }) => message);
}

test("a rule with control characters is shown escaped", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openTeam(directory.path);
  const { id } = await ask(store, { command: "make" }, "bash(make \u001b[2J:*)");

  const { out } = await troupe(directory.path, "approve", id, "--always");

  expect(out).toContain("Always allowed: bash(make \\x1b[2J:*)");
});
