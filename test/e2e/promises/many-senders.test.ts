import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { says } from "../../../src/testing/scripted-model.ts";
import { runNode } from "../../support/programs.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, nextEvent } from "./scenes.ts";

const senders = Array.from({ length: 8 }, (_, index) => `s${index}`);
const each = 25;

test("P14 eight processes write to a working teammate: its model is shown everything once, in order for each sender", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Read.")],
    bob: [says("Read.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  const program = "test/e2e/promises/programs/mail-sender.ts";

  const sent = await Promise.all(
    senders.map((label) =>
      runNode(["--import", "tsx", program, wire.root, "alice", label, String(each)]),
    ),
  );
  expect(sent.map(({ code, err }) => [code, err])).toEqual(senders.map(() => [0, ""]));
  const numbers = (label: string) =>
    [
      ...shownIn(wire.requestsOf("alice").at(-1)).matchAll(new RegExp(`>${label}-(\\d+)<`, "g")),
    ].map(([, number]) => Number(number));
  await wire.server.until(() => senders.every((label) => numbers(label).includes(each - 1)));
  await team.quiet();

  const inOrder = Array.from({ length: each }, (_, index) => index);
  for (const label of senders) expect(numbers(label), label).toEqual(inOrder);
  expect(shownIn(wire.requestsOf("bob").at(-1))).not.toMatch(/s\d-\d/);
  expect(wire.server.refusals).toEqual([]);
});

test("P15 a bad line is set aside and reported once, and the lines around it are delivered", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Read.")],
    bob: [says("Read.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  await team.quiet();
  const told: AgentEvent[] = [];
  void (async () => {
    for await (const event of team.events()) if (event.type === "line-set-aside") told.push(event);
  })();
  const setAside = nextEvent(team, ({ type }) => type === "line-set-aside");

  const lines = [
    '{"content":"before"}',
    '{"content":"broken',
    "a bare line",
    '{"content":"after"}',
  ];
  await appendFile(join(wire.teamDirectory, "inbox", "alice.jsonl"), `${lines.join("\n")}\n`);
  await wire.server.until(() => shownIn(wire.requestsOf("alice").at(-1)).includes("after"));
  await setAside;
  await team.message("bob", "Go on.");
  await team.quiet();
  await team.close();
  const later = await wire.open();
  await later.message("alice", "And again.");
  await later.quiet();

  const shown = shownIn(wire.requestsOf("alice").at(-1));
  for (const text of ["before", "a bare line", "after", "And again."]) {
    expect(shown.split(`>${text}<`)).toHaveLength(2);
  }
  expect(shown).not.toContain("broken");
  expect(told).toMatchObject([{ member: "alice" }]);
  expect(shownIn(wire.requestsOf("bob").at(-1))).toContain("Go on.");
});
