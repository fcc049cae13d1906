import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const output = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
const plan = Array.from({ length: 30 }, (_, index) => `${index + 1}. step`).join("\n");
const content = `Read all of this. ${"It goes on. ".repeat(60)}The end.`;

/** A team in which something of everything was shown only in part. */
async function scene() {
  const directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const message = await store.send("alice", { type: "message", from: user, content });
  const request = await store.requests.open({
    ...{ type: "plan", from: alice, to: user },
    subject: { plan },
  });
  const call = (call_id: string, name: string, input: unknown) =>
    ({ type: "tool-call", call_id, name, input }) as const;
  const reply = (...blocks: ReturnType<typeof call>[]) =>
    ({ type: "reply", at, stop: "tool-calls", blocks }) as const;
  const { transcript } = await store.openMember(alice, { onSetAside: () => undefined });
  await transcript.append([
    { type: "run-start", at },
    reply(call("toolu_01AAA", "bash", { command: "npm test" })),
    { type: "tool-result", at, call_id: "toolu_01AAA", output, is_error: true },
    reply(
      call("toolu_01BBB", "write_file", { path: "a.txt", content: output }),
      call("toolu_02CCC", "bash", { command: "true" }),
    ),
    { type: "tool-start", at, call_id: "toolu_01BBB", input: { path: "b.txt", content: output } },
    { type: "tool-result", at, call_id: "toolu_01BBB", output: "Wrote b.txt", is_error: false },
  ]);
  return {
    ...{ store, message, request },
    show: (...argv: string[]) => troupe(directory.path, "show", ...argv),
    run: (...argv: string[]) => troupe(directory.path, ...argv),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test("P40 a call is printed with its whole input and output, by how its id begins", async () => {
  await using it = await scene();

  const { code, out } = await it.show("toolu_01A");

  expect(code).toBe(0);
  const text = out.join("\n");
  expect(text).toMatch(/^call toolu_01AAA of alice, 2026-01-01/);
  expect(text).toContain("npm test");
  for (const line of output.split("\n")) expect(text).toMatch(new RegExp(`\\b${line}$`, "m"));
});

test("P40 what a program made of a call is what is printed, and a call without a result says so", async () => {
  await using it = await scene();

  const changed = (await it.show("toolu_01BBB")).out.join("\n");

  expect(changed).toContain("b.txt");
  expect(changed).not.toContain("a.txt");
  expect(changed).toContain("line 40");
  expect((await it.show("toolu_02")).out.join("\n")).toContain("(no result yet)");
});

test("P40 a message and a question are printed whole, by their ids", async () => {
  await using it = await scene();

  const message = (await it.show(it.message.id)).out.join("\n");
  expect(message).toContain(`message ${it.message.id}, user → alice`);
  expect(message).toContain(content);

  const open = (await it.show(it.request.id)).out.join("\n");
  expect(open).toMatch(/^plan request .*, alice → user, .*, pending\n1\. step\n[\s\S]*30\. step$/);
  await it.store.requests.decide(it.request.id, {
    ...{ state: "rejected", by: user, hash: it.request.hash, reason: "Too long.\x1b[31m" },
  });
  const decided = (await it.show(it.request.id)).out.join("\n");
  expect(decided).toMatch(/rejected by user, .*\nreason: Too long\.\\x1b\[31m$/);
});

test("a number counts what was shown only in part, from the newest", async () => {
  await using it = await scene();

  expect((await it.show("alice")).out[0]).toContain("toolu_01BBB");
  expect((await it.show("alice", "2")).out[0]).toContain("toolu_01AAA");
  const third = await it.show("alice", "3");
  expect(third.err.join("\n")).toMatch(/Only 2 of alice's items.*\n.*troupe log alice/);
  expect((await it.show()).err.join("\n")).toContain("Nothing of lead was shown only in part");
  expect((await it.show("1")).err.join("\n")).toContain("Nothing of lead");
  expect((await it.show(lead, "toolu_01A")).out[0]).toContain("toolu_01AAA");
});

test("--json has everything as it is stored", async () => {
  await using it = await scene();
  const json = async (id: string) => JSON.parse((await it.show(id, "--json")).out.join("\n"));

  expect(await json("toolu_01AAA")).toEqual({
    ...{ kind: "call", id: "toolu_01AAA", member: "alice", at, name: "bash" },
    ...{ input: { command: "npm test" }, output, is_error: true },
  });
  expect(await json("toolu_02CCC")).toMatchObject({ output: null, is_error: null });
  expect(await json(it.message.id)).toMatchObject({ kind: "message", content, state: "queued" });
  expect(await json(it.request.id)).toMatchObject({ kind: "request", subject: { plan } });
});

test.each([
  ["toolu_01", 2, /2 ids begin with toolu_01\n.*toolu_01BBB \(call\), toolu_01AAA \(call\)/],
  ["nothing", 2, /Nothing has the id nothing\n.*`troupe log`/],
  ["nobody", 2, /Nothing has the id nobody/],
])("troupe show %s is refused with what to do", async (which, code, message) => {
  await using it = await scene();

  const refused = await it.show(which);

  expect(refused.code).toBe(code);
  expect(refused.err.join("\n")).toMatch(message);
});

test("troupe show with an unknown member names the members", async () => {
  await using it = await scene();

  expect((await it.show("bob", "2")).err.join("\n")).toContain("Members: lead, alice.");
});

test("troupe log and troupe messages name the ids of what they cut, and no others", async () => {
  await using it = await scene();
  await it.store.send("alice", { type: "message", from: user, content: "Short." });

  const log = (await it.run("log", "alice")).out.join("\n");
  expect(log).toMatch(/● bash npm test\n/);
  expect(log).toMatch(/✗ bash failed:\n[\s\S]*\(troupe show toolu_01AAA prints all of it\)/);
  expect(log).toContain("● write_file a.txt  (troupe show toolu_01BBB)");
  expect(log).not.toContain("toolu_02CCC");

  const [long = "", short = ""] = (await it.run("messages")).out;
  expect(long).toContain(`…  (troupe show ${it.message.id})`);
  expect(short).toMatch(/user → alice: Short\.$/);
});

test("names and ids are completed", async () => {
  await using it = await scene();
  const complete = async (...words: string[]) => (await it.run("__complete", "--", ...words)).out;

  expect(await complete("show", "a")).toEqual(["alice"]);
  expect(await complete("show", "alice", "")).toEqual([it.request.id]);
});
