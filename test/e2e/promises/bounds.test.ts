import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { type Part, shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { after, Latch, lastResult } from "./scenes.ts";

const prompt = "Begin.";
const maxTeammates = 32;

test("P25 the 33rd live teammate is refused, until one has ended", async () => {
  const names = Array.from({ length: maxTeammates }, (_, index) => `member-${index + 1}`);
  const surplus = { name: "surplus", role: "coder", prompt };
  const parts: [string, Part][] = names.map((name) => [name, [says("")]]);
  await using wire = await TeamOnWire.start({
    ...Object.fromEntries(parts),
    lead: [
      calls("spawn_teammate", surplus),
      says("Too many."),
      calls("spawn_teammate", surplus),
      says("Now it works."),
    ],
    surplus: [says("")],
  });
  const team = await wire.open();
  for (const name of names) await team.spawn({ name, role: "coder", prompt });
  await team.quiet();

  await team.prompt("One more.");
  await team.quiet();
  expect(lastResult(wire.requestsOf("lead").at(-1))).toEqual({
    text: expect.stringMatching(/^Error: .*32.* Give the work to one of them/),
    isError: true,
  });
  expect((await team.roster()).members).toHaveLength(maxTeammates);
  await team.stop(names[0]);
  await team.prompt("Try again.");
  await team.quiet();

  expect(lastResult(wire.requestsOf("lead").at(-1))).toEqual({
    text: "Spawned 'surplus' (role: coder)",
    isError: false,
  });
  expect(wire.requestsOf("surplus")).toHaveLength(1);
});

test("P25 the output of a teammate's command is capped, and the whole is in the named file", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("bash", { command: "seq 100000" }), says("Long.")],
  });
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.spawn({ name: "alice", role: "coder", prompt });
  await team.quiet();

  const text = lastResult(wire.requestsOf("alice").at(-1))?.text ?? "";
  expect(text.length).toBeLessThanOrEqual(50_000);
  expect(text.startsWith("1\n2\n3\n")).toBe(true);
  expect(text).toContain("\n99999\n100000");
  const path = /(\/\S+\/\.team\/outputs\/[^\s)]+)/.exec(text)?.[1] ?? "";
  const whole = await readFile(path, "utf8");
  expect(whole.startsWith("1\n2\n") && whole.includes("\n54321\n")).toBe(true);
  expect(whole.trimEnd().endsWith("\n100000")).toBe(true);
});

test("P25 a message or a prompt of more than 256 KiB is a tool error with a hint, and is not sent", async () => {
  const content = "x".repeat(256 * 1024 + 1);
  await using wire = await TeamOnWire.start({
    lead: [
      calls("spawn_teammate", { name: "alice", role: "coder", prompt }),
      calls("send_message", { to: "alice", content }),
      calls("broadcast", { content }),
      calls("spawn_teammate", { name: "bob", role: "coder", prompt: content }),
      says("I see."),
    ],
    alice: [says("Ready.")],
  });
  const team = await wire.open();
  await team.prompt("Go.");
  await team.quiet();

  const shown = JSON.stringify(wire.requestsOf("lead").map(({ body }) => body.messages.at(-1)));
  expect(shown.match(/Error: [^"]*file[^"]*","is_error":true/g)).toHaveLength(3);
  expect(await wire.stored("inbox", "alice.jsonl")).not.toContain("xxxxxxxxxx");
  expect((await team.roster()).members.map(({ name }) => name)).toEqual(["alice"]);
});

test("P25 a message of 256 KiB arrives, shown in part with the path of the whole", async () => {
  const content = `It begins. ${"é".repeat(100_000)} It ends.`;
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Ready."), calls("send_message", { to: "bob", content }), says("Sent.")],
    bob: [says("Ready."), says("Long.")],
  });
  const team = await wire.open();
  await team.spawn({ name: "bob", role: "coder", prompt });
  await team.spawn({ name: "alice", role: "coder", prompt });
  await team.quiet();
  await team.message("alice", "Write to bob.");
  await team.quiet();

  const shown = wire.shownTo("bob");
  expect(shown).toContain("It begins.");
  expect(shown).not.toContain("It ends.");
  const path = /the whole is in ([^)]+)\)/.exec(shown)?.[1] ?? "";
  expect((await readFile(path, "utf8")) === content).toBe(true);
});

test("P25 mail beyond the limit of one request comes with the next, in order and once", async () => {
  const letters = [1, 2, 3, 4, 5].map((number) => `Letter ${number}. ${"word ".repeat(6_000)}`);
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(gate, says("Ready.")), says("Read.")],
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt });
  await wire.requested("alice", 1);
  for (const letter of letters) await team.message("alice", letter);
  gate.open();
  await team.quiet();

  const [, second, third, ...more] = wire.requestsOf("alice");
  expect(more).toEqual([]);
  const numbers = (request: typeof second) =>
    [...shownIn(request).matchAll(/Letter (\d)\./g)].map(([, number]) => Number(number));
  expect(numbers(second)).toEqual([1, 2, 3]);
  expect(numbers(third)).toEqual([1, 2, 3, 4, 5]);
});
