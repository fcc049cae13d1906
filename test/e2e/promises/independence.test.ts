import { expect, test } from "vitest";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { occurrences, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch } from "./scenes.ts";

const prompt = "Begin.";

test.each(["sleep 3600", "yes", "trap '' TERM; cat /dev/zero"])(
  "P19 while one member runs `%s`, the others work and are answered",
  async (command) => {
    await using wire = await TeamOnWire.start({
      lead: [says("I am here.")],
      alice: [calls("bash", { command, timeout_s: 3600 }), says("Stopped.")],
      bob: [
        calls("write_file", { path: "a.txt", content: "one\n" }),
        calls("bash", { command: "cat a.txt; echo two" }),
        calls("send_message", { to: "carol", content: "It is written." }),
        says("Bob is done."),
      ],
      carol: [says("Ready."), calls("read_file", { path: "a.txt" }), says("Carol has read it.")],
    });
    const team = await wire.open({ mode: "bypassPermissions", autoclaim: false });
    const watched = new Watched(team);
    await team.spawn({ name: "alice", role: "coder", prompt });
    await watched.until(({ type, member }) => type === "tool-call" && member === "alice");

    await team.spawn({ name: "carol", role: "coder", prompt });
    await watched.until(({ type, member }) => type === "run-end" && member === "carol");
    await team.spawn({ name: "bob", role: "coder", prompt });
    await watched.until(({ type, member }) => type === "run-end" && member === "carol", 2);
    await team.prompt("Who is here?");
    await wire.server.until(() => wire.shownTo("lead").includes("Who is here?"));

    expect(await wire.statusOf("alice")).toBe("working");
    expect(wire.shownTo("bob")).toContain("one\\ntwo");
    expect(occurrences(wire.shownTo("carol"), "It is written.")).toBe(1);
    expect(wire.requestsOf("alice")).toHaveLength(1);

    team.interrupt("alice");
    await team.quiet();
    expect(wire.requestsOf("alice")).toHaveLength(1);
    expect(watched.events).toContainEqual(
      expect.objectContaining({ type: "run-end", member: "alice", outcome: "interrupted" }),
    );
  },
);

test("P19 a member whose model does not answer blocks no other member", async () => {
  const silence = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(silence, says("At last."))],
    bob: [says("Bob is done.")],
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt });
  await wire.requested("alice", 1);

  await team.spawn({ name: "bob", role: "coder", prompt });
  await wire.requested("lead", 1);

  expect(wire.shownTo("lead")).toContain("Bob is done.");
  silence.open();
  await team.quiet();
  expect(wire.shownTo("lead")).toContain("At last.");
});
