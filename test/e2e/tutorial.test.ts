import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseJson } from "../../src/lib/json.ts";
import { Message } from "../../src/protocol/message.ts";
import type { Team } from "../../src/team/team.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { troupe } from "../cli/troupe.ts";
import { type Line, type Part, shownIn, TeamOnWire } from "../support/team-on-wire.ts";
import {
  after,
  Latch,
  requestIdIn,
  resultsIn,
  spawns,
  taskOnDisk,
  untilOnDisk,
} from "./promises/scenes.ts";

/** Nobody is asked about what changes files. */
const free = { mode: "bypassPermissions" } as const;

test("Spawn alice (coder) and bob (tester). Have alice send bob a message.", async () => {
  await using wire = await TeamOnWire.start({
    lead: does([
      "Have alice send bob a message",
      reply([
        spawns("alice", { role: "coder", prompt: "You write the code." }),
        spawns("bob", { role: "tester", prompt: "You test it." }),
        calls("send_message", { to: "alice", content: "Greet bob, please." }),
        calls("wait_for_teammates", {}),
      ]),
      says("Alice has written to bob."),
    ]),
    alice: does([
      "Greet bob",
      calls("send_message", { to: "bob", content: "Hello bob." }),
      says("Greeted."),
    ]),
    bob: does(["Hello bob.", says("Hello alice.")]),
  });
  const team = await wire.open();

  await tell(team, "Spawn alice (coder) and bob (tester). Have alice send bob a message.");

  expect(await mailOf(wire, "bob")).toContainEqual(
    expect.objectContaining({ type: "message", from: "alice", content: "Hello bob." }),
  );
  expect(wire.shownTo("bob")).toContain("Hello bob.");
  expect(wire.shownTo("lead")).toContain("Greeted.");
  expect(await rosterOf(team)).toEqual(["alice (coder): idle", "bob (tester): idle"]);
});

test('Broadcast "status update: phase 1 complete" to all teammates', async () => {
  const content = "status update: phase 1 complete";
  await using wire = await TeamOnWire.start({
    lead: does(["Broadcast", calls("broadcast", { content }), says("All know.")]),
    alice: does(),
    bob: does(),
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Wait for news." });
  await team.spawn({ name: "bob", role: "tester", prompt: "Wait for news." });
  await team.quiet();

  await tell(team, 'Broadcast "status update: phase 1 complete" to all teammates');

  expect(resultsIn(wire.requestsOf("lead").at(-1))).toContainEqual({
    text: "Broadcast to 2 teammates",
    isError: false,
  });
  for (const name of ["alice", "bob"]) {
    expect(await mailOf(wire, name)).toContainEqual(
      expect.objectContaining({ type: "broadcast", from: "lead", content }),
    );
    expect(wire.shownTo(name)).toContain(content);
  }
});

test("Check the lead inbox for any messages", async () => {
  await using wire = await TeamOnWire.start({
    lead: does(["Check the lead inbox", calls("read_inbox", {}), says("One from alice.")]),
    alice: does([
      "Report",
      calls("send_message", { to: "lead", content: "The build is green." }),
      says("Reported."),
    ]),
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Report how the build is." });
  await team.quiet();

  const summary = await tell(team, "Check the lead inbox for any messages");

  expect(summary.result).toBe("One from alice.");
  expect(wire.shownTo("lead").split("The build is green.")).toHaveLength(2);
  expect(resultsIn(wire.requestsOf("lead").at(-1))).toContainEqual({ text: "[]", isError: false });
});

test("/team and /inbox show the roster with statuses and the lead's inbox, and cost no model call", async () => {
  const done = new Latch();
  await using wire = await TeamOnWire.start({
    lead: does(),
    alice: [after(done, says("Finished."))],
    bob: does(["Say hello", says("Hello from bob.")]),
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Take your time." });
  await team.spawn({ name: "bob", role: "tester", prompt: "Say hello." });
  await wire.requested("alice", 1);
  await wire.requested("lead", 1);
  await untilOnDisk(wire, "bob", ({ status }) => status === "idle");
  const requests = wire.server.requests.length;

  const roster = await team.describeRoster();
  const elsewhere = await troupe(wire.root, "team");
  const inbox = await troupe(wire.root, "inbox");

  const lines = ["Team: default", "  alice (coder): working", "  bob (tester): idle"];
  expect(roster.split("\n")).toEqual(lines);
  // From another shell, what each does is said, too.
  const working = expect.stringMatching(/^ {2}alice \(coder\): working/);
  const resting = lines.filter((line) => !line.includes("alice"));
  expect(elsewhere.out).toEqual(expect.arrayContaining([...resting, working]));
  expect(inbox.out.join("\n")).toMatch(/bob → lead.*Hello from bob\./);
  expect(wire.server.requests).toHaveLength(requests);
  done.open();
  await team.quiet();
});

test("Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.", async () => {
  await using wire = await schemaStory();
  const team = await wire.open(free);

  await tell(
    team,
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );

  expect(await readFile(join(wire.root, "schema.sql"), "utf8")).toMatch(/create table users/i);
  expect(await rosterOf(team)).toEqual(["alice (backend developer): idle"]);
  expect(await mailOf(wire, "lead")).toContainEqual(
    expect.objectContaining({ type: "result", from: "alice", outcome: "done" }),
  );
});

test("Check your inbox for alice's result.", async () => {
  await using wire = await schemaStory();
  const team = await wire.open(free);
  await tell(
    team,
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );

  const summary = await tell(team, "Check your inbox for alice's result.");

  expect(summary.result).toBe("Alice says: schema.sql is written.");
  expect(wire.shownTo("lead").split("I wrote schema.sql.")).toHaveLength(2);
});

test("Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.", async () => {
  await using wire = await TeamOnWire.start({
    lead: does([
      "Spawn bob as a tester",
      reply([
        spawns("bob", { role: "tester", prompt: "Does schema.sql exist? List its contents." }),
        calls("wait_for_teammates", { names: ["bob"] }),
      ]),
      says("It exists."),
    ]),
    bob: does([
      "Does schema.sql exist",
      reply([calls("glob", { pattern: "schema.sql" }), calls("read_file", { path: "schema.sql" })]),
      (request) => says(`It exists: ${resultsIn(request).at(-1)?.text}`),
    ]),
  });
  await writeFile(join(wire.root, "schema.sql"), usersTable);
  const team = await wire.open();

  await tell(
    team,
    "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
  );

  expect(await mailOf(wire, "lead")).toContainEqual(
    expect.objectContaining({
      ...{ type: "result", from: "bob", outcome: "done" },
      content: expect.stringMatching(/^It exists:.*CREATE TABLE users/s),
    }),
  );
  expect(await rosterOf(team)).toEqual(["bob (tester): idle"]);
});

test("Spawn alice as a coder. Then request her shutdown. — List teammates to see alice's status after shutdown approval", async () => {
  await using wire = await TeamOnWire.start({
    lead: does(
      [
        "Then request her shutdown",
        spawns("alice", { role: "coder" }),
        calls("shutdown_request", { teammate: "alice" }),
        says("Asked."),
      ],
      ["List teammates", calls("list_teammates", {}), says("She has shut down.")],
    ),
    alice: does([
      "shutdown_request",
      (request) => calls("shutdown_response", { request_id: requestIdIn(request), approve: true }),
    ]),
  });
  const team = await wire.open();

  await tell(team, "Spawn alice as a coder. Then request her shutdown.");
  await tell(team, "List teammates to see alice's status after shutdown approval");

  expect(resultsIn(wire.requestsOf("lead").at(-1)).map(({ text }) => text)).toEqual([
    "Spawned 'alice' (role: coder)",
    expect.stringMatching(/^Shutdown request [0-9a-f-]{36} sent to 'alice' \(status: pending\)$/),
    expect.stringMatching(/alice \(coder\): shutdown/),
  ]);
  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(await mailOf(wire, "lead")).toContainEqual(
    expect.objectContaining({ type: "shutdown_response", from: "alice", approve: true }),
  );
});

test("Spawn bob with a risky refactoring task. Review and reject his plan. — Spawn charlie, have him submit a plan, then approve it.", async () => {
  const decides = (approve: boolean) => (request: ProviderRequest) =>
    calls("plan_approval", { request_id: requestIdIn(request), approve, feedback: "My word." });
  const writes = calls("write_file", { path: "docs.md", content: "Better.\n" });
  await using wire = await TeamOnWire.start({
    lead: does(
      [
        "risky refactoring task",
        spawns("bob", { prompt: "Refactor all of it.", plan_required: true }),
        calls("wait_for_teammates", {}),
      ],
      ["Move everything", decides(false), says("Rejected.")],
      [
        "Spawn charlie",
        spawns("charlie", { prompt: "Improve the docs.", plan_required: true }),
        calls("wait_for_teammates", {}),
      ],
      ["Rewrite docs.md", decides(true), says("Approved.")],
    ),
    bob: does(
      ["Refactor all", calls("plan_approval", { plan: "Move everything." }), says("I wait.")],
      ["is rejected", calls("write_file", { path: "moved.md", content: "x" }), says("I see.")],
    ),
    charlie: does(
      ["Improve", calls("plan_approval", { plan: "Rewrite docs.md." }), says("I wait.")],
      ["is approved", writes, says("Improved.")],
    ),
  });
  const team = await wire.open(free);

  await tell(team, "Spawn bob with a risky refactoring task. Review and reject his plan.");
  await tell(team, "Spawn charlie, have him submit a plan, then approve it.");

  const answers = (await Promise.all(["bob", "charlie"].map((name) => mailOf(wire, name)))).flat();
  expect(answers.filter(({ type }) => type === "plan_approval_response")).toEqual([
    expect.objectContaining({ to: "bob", approve: false, feedback: "My word." }),
    expect.objectContaining({ to: "charlie", approve: true }),
  ]);
  expect(await readFile(join(wire.root, "docs.md"), "utf8")).toBe("Better.\n");
  await expect(readFile(join(wire.root, "moved.md"))).rejects.toThrow("ENOENT");
});

test("Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.", async () => {
  await using wire = await TeamOnWire.start({
    lead: does([
      "Create 3 tasks",
      reply(["Parse", "Check", "Print"].map((subject) => calls("create_task", { subject }))),
      reply([spawns("alice"), spawns("bob"), calls("wait_for_teammates", {})]),
      says("All is done."),
    ]),
    // Nobody is so fast that the other has nothing to do.
    alice: diligent(() => wire.server.until(() => hasTask(wire, "bob"))),
    bob: diligent(() => wire.server.until(() => hasTask(wire, "alice"))),
  });
  const team = await wire.open();

  await tell(
    team,
    "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
  );

  const tasks = await Promise.all(["1", "2", "3"].map((id) => taskOnDisk(wire, id)));
  expect(tasks.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect(new Set(tasks.map(({ owner }) => owner))).toEqual(new Set(["alice", "bob"]));
  const assigned = (await Promise.all(["alice", "bob"].map((name) => mailOf(wire, name)))).flat();
  expect(
    assigned.filter(({ type, from }) => type === "task_assignment" && from === "system"),
  ).toHaveLength(3);
});

test("Create tasks with dependencies. Watch teammates respect the blocked order.", async () => {
  await using wire = await TeamOnWire.start({
    lead: does([
      "Create tasks with dependencies",
      reply([
        calls("create_task", { subject: "Write the schema" }),
        calls("create_task", { subject: "Write the queries", blocked_by: ["1"] }),
        calls("create_task", { subject: "Test the queries", blocked_by: ["2"] }),
        spawns("alice"),
        spawns("bob"),
        calls("wait_for_teammates", {}),
      ]),
      says("All is done."),
    ]),
    alice: diligent(),
    bob: diligent(),
  });
  const team = await wire.open();
  const changes: string[] = [];
  const watching = (async () => {
    for await (const event of team.events()) {
      if (event.type === "task-change") changes.push(`${event.id} ${event.status}`);
    }
  })();

  await tell(team, "Create tasks with dependencies. Watch teammates respect the blocked order.");
  await team.close();
  await watching;

  expect(changes.filter((change) => !change.endsWith("pending"))).toEqual(
    ["1", "2", "3"].flatMap((id) => [`${id} in_progress`, `${id} completed`]),
  );
});

type Duty = readonly [when: string, ...lines: readonly Line[]];

/** Does what each duty says, line by line, once its words are shown; says little otherwise. */
function does(...duties: readonly Duty[]): Part {
  const left = duties.map(([when, ...lines]) => ({ when, lines }));
  return [
    (request) => {
      const shown = shownIn(request);
      const due = left.find(({ when, lines }) => lines.length > 0 && shown.includes(when));
      const line = due?.lines.shift() ?? says("Noted.");
      return typeof line === "function" ? line(request) : line;
    },
  ];
}

/** Completes every task that it is given, each once `ready` resolves. */
function diligent(ready: () => Promise<unknown> = async () => undefined): Part {
  const completed = new Set<string>();
  return [
    async (request) => {
      const given = [...shownIn(request).matchAll(/Task (\d+) is yours/g)].map(
        ([, id]) => id ?? "",
      );
      const next = given.find((id) => !completed.has(id));
      if (next === undefined) return says("Nothing is left to do.");
      completed.add(next);
      await ready();
      return calls("complete_task", { task_id: next, result: "It is done." });
    },
  ];
}

function hasTask(wire: TeamOnWire, name: string): boolean {
  return wire.shownTo(name).includes("is yours");
}

const usersTable = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n";

function schemaStory(): Promise<TeamOnWire> {
  return TeamOnWire.start({
    lead: does(
      [
        "Spawn alice as a backend developer",
        reply([
          spawns("alice", { role: "backend developer", prompt: "Create schema.sql: users." }),
          calls("wait_for_teammates", { names: ["alice"] }),
        ]),
        says("Alice is done."),
      ],
      ["Check your inbox", calls("read_inbox", {}), says("Alice says: schema.sql is written.")],
    ),
    alice: does([
      "Create schema.sql",
      calls("write_file", { path: "schema.sql", content: usersTable }),
      says("I wrote schema.sql."),
    ]),
  });
}

async function tell(team: Team, prompt: string) {
  await team.prompt(prompt);
  return team.quiet();
}

async function rosterOf(team: Team): Promise<string[]> {
  const { members } = await team.roster();
  return members.map(({ name, role, status }) => `${name} (${role}): ${status}`);
}

/** Everything that was ever put into a member's mailbox, as it lies on disk. */
async function mailOf(wire: TeamOnWire, name: string): Promise<Message[]> {
  const lines = (await wire.stored("inbox", `${name}.jsonl`)).split("\n").filter(Boolean);
  return lines.map((line) => parseJson(line, Message, "The message"));
}
