import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { occurrences, shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, coder, Latch, never, nextQuestion, spawns } from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

const long = "A long answer. ".repeat(200);
const free = { mode: "acceptEdits", autoclaim: false } as const;

const isToSummarize = (request: ProviderRequest) =>
  shownIn(request).includes("Summarize the conversation so far");

/** Says what is long, and summarizes in a word. */
const talks = (request: ProviderRequest) =>
  says(isToSummarize(request) ? "The gist." : request.text.includes("Which?") ? "This." : long);

test.each([
  ["compacted", "The gist."],
  ["cleared", "The person cleared your conversation"],
])(
  "P16 a teammate that is %s by the person has its role, the roster, its task, its open plan and new mail",
  async (how, sign) => {
    await using wire = await TeamOnWire.start({
      lead: [
        reply([
          spawns("alice", { role: "painter" }),
          calls("create_task", { subject: "Paint the door", owner: "alice" }),
        ]),
        says("Waiting."),
      ],
      alice: [
        async () => {
          await wire.server.until(() => wire.requestsOf("lead").length === 2);
          return reply([
            calls("claim_task", { task_id: "1" }),
            calls("plan_approval", { plan: "Green" }),
          ]);
        },
        talks,
      ],
    });
    const team = await wire.open({ ...free, planApproval: "user" });
    const watched = new Watched(team);
    const planned = nextQuestion(team, "plan");
    await team.prompt("Go.");
    const planId = await planned;
    await wire.server.until(() => wire.requestsOf("alice").length >= 2);
    await watched.until((event) => event.type === "run-end" && event.member === "alice");

    if (how === "compacted") {
      const { tokensBefore, tokensAfter } = await team.compact("alice", { keep: "the colour" });
      expect(tokensAfter).toBeGreaterThan(0);
      expect(tokensBefore).toBeGreaterThan(0);
      expect(wire.shownTo("alice")).toContain("the colour");
    } else expect(await team.clear("alice")).toEqual(["alice"]);
    const requests = wire.requestsOf("alice").length;
    await team.message("alice", "Which?");
    const after = await wire.requested("alice", requests + 1);

    expect(JSON.stringify(after?.body.system)).toContain("You are 'alice', role: painter, at ");
    const shown = shownIn(after);
    expect(shown).toContain(sign);
    expect(shown).not.toContain("Do your work.");
    expect(shown).toContain("1: Paint the door (in_progress, alice)");
    expect(shown).toContain(`${planId}: plan, from alice to user`);
    expect(occurrences(shown, "Which?")).toBe(1);
    expect((await team.openRequests()).map(({ id }) => id)).toContain(planId);
    expect(wire.server.refusals).toEqual([]);
  },
);

test("P02 a working teammate is compacted between two turns, and a call is not split from its result", async () => {
  const latch = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      after(latch, calls("write_file", { path: "a.txt", content: long })),
      talks,
      says("Done."),
    ],
  });
  const team = await wire.open(free);
  await team.spawn(coder("alice"));
  await wire.requested("alice", 1);

  const compacted = team.compact("alice");
  await expect(team.clear("alice")).rejects.toMatchObject({ code: "team-busy" });
  await expect(team.clear("all")).rejects.toMatchObject({ code: "team-busy" });
  latch.open();
  await compacted;
  await team.quiet();

  expect(shownIn(wire.requestsOf("alice")[1])).toContain("tool_result");
  expect(wire.shownTo("alice")).toContain("The gist.");
  expect(wire.shownTo("alice")).not.toContain("tool_use");
  expect(wire.server.refusals).toEqual([]);
});

test("P18 a compaction is on the bill, and so is what was said before a clear", async () => {
  await using wire = await TeamOnWire.start({ lead: [talks] });
  const team = await wire.open(free);
  await team.prompt("Go.");
  await team.quiet();
  const callsOf = async () => (await team.usage()).get(lead)?.calls;
  expect(await callsOf()).toBe(1);

  await team.compact();
  expect(await callsOf()).toBe(2);
  await team.clear();

  expect(await callsOf()).toBe(2);
});

test("the model that was set since the last request writes the summary", async () => {
  await using wire = await TeamOnWire.start({ lead: [talks] });
  const team = await wire.open(free);
  await team.prompt("Go.");
  await team.quiet();
  await team.setModel("lead", { model: "anthropic/requested" });

  await team.compact();

  expect(wire.requestsOf("lead").map(({ body }) => body.model)).toEqual(["scripted", "requested"]);
  expect(wire.server.refusals).toEqual([]);
});

test("P08 a team that is killed in the middle of a summary has the whole conversation", async () => {
  let isFirst = true;
  await using wire = await TeamOnWire.start({
    lead: [
      (request) => {
        if (!isToSummarize(request) || !isFirst) return talks(request);
        isFirst = false;
        return never();
      },
    ],
  });
  await using running = startTeamProcess(wire);
  running.order({ type: "message", to: "lead", content: "The first question." });
  await running.said(({ type }) => type === "run-end");
  running.order({ type: "compact", name: "lead" });
  await wire.requested("lead", 2);
  await running.kill();

  const team = await wire.open(free);
  await team.prompt("Which?");
  await team.quiet();

  expect(occurrences(wire.shownTo("lead"), "The first question.")).toBe(1);
  expect(wire.shownTo("lead")).not.toContain("Summarize");
  await team.compact();
  await team.prompt("Which?");
  await team.quiet();
  expect(wire.shownTo("lead")).toContain("The gist.");
  expect(wire.shownTo("lead")).not.toContain("The first question.");
});

test.each(["compact", "clear"] as const)(
  "P39 going back to a prompt before a %s brings that conversation back, of teammates too",
  async (how) => {
    await using wire = await TeamOnWire.start({ lead: [talks], alice: [talks] });
    const team = await wire.open(free);
    await team.prompt("The first question.");
    await team.spawn(coder("alice"));
    await team.quiet();
    const { id } = await team.prompt("The second question.");
    await team.quiet();
    for (const name of ["lead", "alice"]) await team[how](name);
    await team.prompt("Which?");
    await team.message("alice", "Which?");
    await team.quiet();
    expect(wire.shownTo("lead")).not.toContain("The first question.");
    expect(wire.shownTo("alice")).not.toContain("Do your work.");

    await team.rewind(id);
    await team.prompt("The third question.");
    await team.message("alice", "The fourth question.");
    await team.quiet();

    expect(wire.shownTo("lead")).toMatch(/The first question.*The third question/);
    expect(wire.shownTo("lead")).not.toMatch(/The second question|Which\?|The gist/);
    expect(wire.shownTo("alice")).toMatch(/Do your work.*The fourth question/);
    expect(wire.shownTo("alice")).not.toMatch(/Which\?|The gist/);
    expect(wire.server.refusals).toEqual([]);
  },
);

test("P39 going back to a prompt after a clear leaves it cleared", async () => {
  await using wire = await TeamOnWire.start({ lead: [talks] });
  const team = await wire.open(free);
  await team.prompt("The first question.");
  await team.quiet();
  await team.clear();
  const { id } = await team.prompt("Which?");
  await team.quiet();

  await team.rewind(id);
  await team.prompt("The third question.");
  await team.quiet();

  expect(wire.shownTo("lead")).toMatch(/The person cleared.*The third question/);
  expect(wire.shownTo("lead")).not.toMatch(/The first question|Which/);
});

test("P21 a member that is cleared must read a file again before it changes it; one that is compacted need not", async () => {
  const edit = calls("edit_file", { path: "a.txt", old_text: "one", new_text: "two" });
  await using wire = await TeamOnWire.start({
    lead: [
      calls("read_file", { path: "a.txt" }),
      says(long),
      talks,
      calls("edit_file", { path: "a.txt", old_text: "zero", new_text: "one" }),
      says(long),
      edit,
      says("Done."),
    ],
  });
  await writeFile(join(wire.root, "a.txt"), "zero\n");
  const team = await wire.open(free);
  await team.prompt("Read it.");
  await team.quiet();
  await team.compact();
  await team.prompt("Change it.");
  await team.quiet();
  expect(await wire.made("a.txt")).toBe("one");

  await team.clear();
  await team.prompt("Change it again.");
  await team.quiet();

  expect(await wire.made("a.txt")).toBe("one");
  expect(wire.shownTo("lead")).toContain("a.txt exists and you have not read it");
});

test("all members are cleared at once, those with nothing to clear left out, and none is told to work", async () => {
  await using wire = await TeamOnWire.start({
    lead: [talks],
    alice: [talks],
    bob: [never],
  });
  const team = await wire.open(free);
  const watched = new Watched(team);
  await team.spawn(coder("alice"));
  await team.quiet();

  expect(await team.clear("all")).toEqual(["lead", "alice"]);
  expect(await team.clear("all")).toEqual([]);

  const { events } = watched;
  expect(events.filter(({ type }) => type === "clear").map(({ member }) => member)).toEqual([
    "lead",
    "alice",
  ]);
  const requests = wire.server.requests.length;
  await team.quiet();
  expect(wire.server.requests).toHaveLength(requests);
});

test("a compaction is cancelled by an interruption, and the member then works as before", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says(long), never, says("Here.")],
  });
  const team = await wire.open(free);
  await team.prompt("The first question.");
  await team.quiet();
  const cancelled = expect(team.compact()).rejects.toMatchObject({
    ...{ code: "compaction-failed", message: expect.stringContaining("interrupted") },
  });
  await wire.requested("lead", 2);

  team.interrupt("lead");
  await cancelled;
  await team.prompt("The second question.");
  await team.quiet();

  expect(wire.shownTo("lead")).toMatch(/The first question.*The second question/);
  expect(wire.shownTo("lead")).not.toContain("interrupted");
});

test("a question about a call that a cleared member no longer makes is cancelled", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "touch made" }), says("Here.")],
  });
  const first = await wire.open({ autoclaim: false });
  const asked = nextQuestion(first, "permission");
  await first.prompt("Go.");
  const id = await asked;
  await first.close();
  // Without anybody to ask, the lead does not go on by itself.
  const team = await wire.open({ autoclaim: false, approvals: "deny" });

  await team.clear();

  const request = (await team.requests()).find((each) => each.id === id);
  expect(request?.state).toBe("cancelled");
  await team.prompt("Which?");
  const { result } = await team.quiet();
  expect(result).toBe("Here.");
  expect(wire.shownTo("lead")).not.toMatch(/touch made|tool_use/);
  expect(wire.server.refusals).toEqual([]);
});

test.each([
  ["a member that nobody knows", "nobody", { code: "member-unknown" }],
  ["a member that has ended", "alice", { code: "member-ended" }],
])("%s is neither compacted nor cleared", async (_, name, error) => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Yes.")] });
  const team = await wire.open(free);
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.stop("alice");

  await expect(team.compact(name)).rejects.toMatchObject(error);
  await expect(team.clear(name)).rejects.toMatchObject(error);
});

test("what the summary must keep is a text of a bounded length", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  const team = await wire.open(free);

  await expect(team.compact("lead", { keep: "x".repeat(10_001) })).rejects.toMatchObject({
    ...{ code: "config-invalid", message: expect.stringContaining("too long") },
  });
  // It has said nothing so far.
  await expect(team.compact("lead", { keep: "x".repeat(10_000) })).rejects.toMatchObject({
    code: "conversation-short",
  });
});
