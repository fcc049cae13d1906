import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Team } from "../../../src/team/team.ts";
import { beforeStep } from "../../../src/testing/patched-fs.ts";
import { stall } from "../../../src/testing/provider-server/answers.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { occurrences, shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch, never, requestIdIn } from "./scenes.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };

/** The parts of the last thing that a member's model was shown in a request. */
function lastInput(request: { body: { messages: { content: unknown }[] } } | undefined): string[] {
  const content = request?.body.messages.at(-1)?.content;
  return Array.isArray(content) ? content.map((part) => JSON.stringify(part)) : [];
}

test("P01 mail sent while its recipient works, is idle, or is not running is shown exactly once", async () => {
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(gate, calls("list_teammates", {})), says("Fine.")],
  });
  const first = await wire.open();
  await first.spawn(alice);
  await wire.requested("alice", 1);

  await first.message("alice", "sent while she works");
  gate.open();
  await first.quiet();
  await first.message("alice", "sent while she is idle");
  await first.quiet();
  await first.close();
  await viewTeam(wire.root).send("alice", "sent while nobody runs");
  const second = await wire.open();
  await second.quiet();
  await second.message("alice", "sent after the restart");
  await second.quiet();

  const shown = wire.shownTo("alice");
  const texts = ["Begin.", "sent while she works", "sent while she is idle"];
  for (const text of [...texts, "sent while nobody runs", "sent after the restart"]) {
    expect({ text, times: occurrences(shown, text) }).toEqual({ text, times: 1 });
  }
  const delivered = (await wire.transcriptOf("alice")).filter(({ type }) => type === "delivery");
  expect(delivered).toHaveLength(5);
  expect(wire.server.refusals).toEqual([]);
});

test("P01 a line that is in the mailbox twice, as after a repeated send, is shown once", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const team = await wire.open();
  await team.spawn(alice);
  await team.quiet();
  await team.message("alice", "only once");
  await team.quiet();
  const [, line = ""] = (await wire.stored("inbox", "alice.jsonl")).split("\n");
  expect(line).toContain("only once");

  await appendFile(join(wire.teamDirectory, "inbox", "alice.jsonl"), `${line}\n`);
  await team.message("alice", "something else");
  await team.quiet();

  expect(occurrences(wire.shownTo("alice"), "only once")).toBe(1);
  expect(occurrences(wire.shownTo("alice"), "something else")).toBe(1);
});

test("P02 mail that arrives during a call is in the very next request, all of it, after the results", async () => {
  const gate = new Latch();
  const command = "until [ -e go ]; do sleep 0.01; done; echo command done";
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(gate, calls("bash", { command })), says("Fine.")],
  });
  const team = await wire.open({ mode: "bypassPermissions" });
  const watched = new Watched(team);
  await team.spawn(alice);
  await wire.requested("alice", 1);

  await team.message("alice", "during the model's reply");
  gate.open();
  await watched.until(({ type, member }) => type === "tool-call" && member === "alice");
  await team.message("alice", "during the command, first");
  await team.message("alice", "during the command, second");
  await writeFile(join(wire.root, "go"), "");
  await team.quiet();

  const [, second, ...more] = wire.requestsOf("alice");
  expect(more).toEqual([]);
  expect(lastInput(second)).toEqual([
    expect.stringMatching(/"tool_result".*command done/),
    expect.stringContaining("during the model's reply"),
    expect.stringContaining("during the command, first"),
    expect.stringContaining("during the command, second"),
  ]);
  expect(second?.body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("P03 mail sent while the last reply is requested or streamed is answered in the same run", async () => {
  const team: { current?: Team } = {};
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      async () => {
        await team.current?.message("alice", "before the first word");
        return stall(says("This is my last word."), 200);
      },
      says("Seen the first."),
      says("Seen the second."),
    ],
  });
  team.current = await wire.open();
  const watched = new Watched(team.current);
  await team.current.spawn(alice);

  await wire.server.until(() => wire.server.stalled === 1);
  await team.current.message("alice", "in the middle of it");
  wire.server.release();
  await team.current.quiet();

  const [, second, ...more] = wire.requestsOf("alice");
  expect(more).toEqual([]);
  expect(lastInput(second)).toEqual([
    expect.stringContaining("before the first word"),
    expect.stringContaining("in the middle of it"),
  ]);
  const runs = watched.events.filter(
    ({ type, member }) => type === "run-start" && member === "alice",
  );
  expect(runs).toHaveLength(1);
});

test("P03 mail that arrives at any moment while a member falls asleep wakes it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn(alice);

  const rounds = 24;
  for (let round = 1; round <= rounds; round++) {
    await watched.until(({ type, member }) => type === "turn-end" && member === "alice", round);
    // Each time one file later: before the run's end, after it, while it is settled, asleep.
    let sending: Promise<unknown> | undefined;
    using step = beforeStep(round, () => {
      sending = team.message("alice", `round ${round}.`);
    });
    await team.quiet();
    await (step.hasRun ? sending : team.message("alice", `round ${round}.`));
  }
  await team.quiet();

  const shown = wire.shownTo("alice");
  for (let round = 1; round <= rounds; round++) {
    expect({ round, times: occurrences(shown, `round ${round}.`) }).toEqual({ round, times: 1 });
  }
});

test("P03 a line that another process appends wakes an idle member", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const team = await wire.open();
  await team.spawn(alice);
  await team.quiet();

  await appendFile(join(wire.teamDirectory, "inbox", "alice.jsonl"), "hello from a shell\n");

  expect(shownIn(await wire.requested("alice", 2))).toMatch(
    /from=\\"outside\\" type=\\"message\\"[^>]*>hello from a shell</,
  );
});

test("P04 mail to an unknown member is a tool error that lists the members, and creates no file", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      says("Ready."),
      calls("send_message", { to: "alcie", content: "Hi." }),
      calls("send_message", { to: "../lead", content: "Hi." }),
      calls("send_message", { to: "bob", content: "Hi." }),
      says("I see."),
    ],
    bob: [says("Ready.")],
  });
  const team = await wire.open();
  await team.spawn(alice);
  await team.spawn({ ...alice, name: "bob" });
  await team.quiet();
  await team.stop("bob");

  await team.message("alice", "Write to them.");
  await team.quiet();

  const results = JSON.stringify(wire.requestsOf("alice").at(-1)?.body.messages.slice(-6));
  expect(results.match(/"is_error":true/g)).toHaveLength(3);
  expect(results).toMatch(/alcie[^"]*Members: lead, alice/);
  expect(results).toMatch(/'bob' is shut down[^"]*Members: lead, alice/);
  const inboxes = await readdir(join(wire.teamDirectory, "inbox"));
  expect(inboxes.filter((name) => name.endsWith(".jsonl")).sort()).toEqual([
    "alice.jsonl",
    "bob.jsonl",
    "lead.jsonl",
  ]);
  expect(await wire.stored("inbox", "bob.jsonl")).not.toContain("Hi.");
});

test("P04 mail that a member has not read at its end goes back to its sender, once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [never],
    bob: [
      calls("send_message", { to: "alice", content: "Did you read this?" }),
      says("Sent."),
      says("What a pity."),
    ],
  });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn(alice);
  await wire.requested("alice", 1);
  await team.spawn({ ...alice, name: "bob" });
  await watched.until(({ type, member }) => type === "run-end" && member === "bob");

  await team.stop("alice");
  const summary = await team.quiet();
  await team.close();
  const again = await wire.open();
  await again.message("bob", "Anything new?");
  await again.quiet();

  const returned = watched.events.filter(({ type }) => type === "message-returned");
  expect(returned).toHaveLength(1);
  expect(summary.undelivered).toHaveLength(1);
  const shown = wire.shownTo("bob");
  expect(occurrences(shown, "Undelivered: 'alice' is shut down")).toBe(1);
  expect(shown).toMatch(/Undelivered: [^<]*Did you read this\?/);
  expect(wire.requestsOf("alice")).toHaveLength(1);
});

test("P04 an answer to a plan whose member ended before reading it goes back to the lead", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      (request) =>
        calls("plan_approval", {
          ...{ request_id: requestIdIn(request), approve: false, feedback: "Half of it." },
        }),
      says("Rejected."),
      says("What a pity."),
    ],
    alice: [calls("plan_approval", { plan: "All of it." }), never],
  });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn(alice);
  await wire.requested("alice", 2);
  await watched.until(({ type, member }) => type === "run-end" && member === "lead");

  await team.stop("alice");
  const summary = await team.quiet();

  expect(summary.undelivered).toHaveLength(1);
  expect(wire.shownTo("lead")).toMatch(/Undelivered: 'alice' is shut down[^<]*Half of it\./);
});
