import { expect, test } from "vitest";
import { Dialogue, leadSystem, mail, replyTo } from "./dialogue.ts";

/** What the lead calls for a prompt, in a team where alice is there and a plan comes at once. */
async function callsFor(prompt: string) {
  let tasks = 0;
  let plans = 0;
  const dialogue = new Dialogue(leadSystem, (name) => {
    if (name === "create_task") {
      tasks++;
      return `Created task ${tasks}: a task`;
    }
    if (name === "list_tasks") return "1 [completed] a (alice)";
    if (name === "list_teammates") return "Team: default\n  alice (coder): idle";
    if (name !== "wait_for_teammates" || !/plan/.test(prompt)) return undefined;
    plans++;
    const [, newcomer = "bob"] = /^spawn (\w+)/i.exec(prompt) ?? [];
    const plan = mail(
      newcomer,
      "plan_approval_request",
      "Asked.\n\nA plan.",
      `request_id="${plans}"`,
    );
    return plans > 2 ? undefined : { output: "Waiting ended early: a plan.", mail: [plan] };
  });
  const text = await dialogue.tell(prompt);
  return { calls: dialogue.calls, names: dialogue.names, text };
}

const spawned: [string, string[]][] = [
  ["Spawn alice (coder) and bob (tester).", ["alice: coder", "bob: tester"]],
  [
    "spawn Alice (Coder), Bob (QA lead) and carol (writer)",
    ["alice: Coder", "bob: QA lead", "carol: writer"],
  ],
  ["Spawn alice as a backend developer.", ["alice: backend developer"]],
  ["Please spawn bob as the tester", ["bob: tester"]],
  ["Spawn ann and ben as testers", ["ann: tester", "ben: tester"]],
  ["Spawn ann as a coder and ben as an editor", ["ann: coder", "ben: editor"]],
  ["Now spawn alice and bob!", ["alice: teammate", "bob: teammate"]],
  ["Could you spawn zoe to write poem.md?", ["zoe: teammate"]],
  ["Spawn bob with a risky refactoring task.", ["bob: teammate"]],
];
test.each(spawned)("%j spawns %j", async (prompt, expected) => {
  const { calls } = await callsFor(prompt);

  const newcomers = calls.filter(({ name }) => name === "spawn_teammate");
  expect(newcomers.map(({ input }) => `${Object(input).name}: ${Object(input).role}`)).toEqual(
    expected,
  );
});

const wait = { name: "wait_for_teammates", input: {} };
const newcomer = (name: string, role: string, prompt: unknown = expect.any(String)) => ({
  name: "spawn_teammate",
  input: { name, role, prompt, plan_required: false },
});
const message = (to: string, content: string) => ({ name: "send_message", input: { to, content } });
const shutdown = (teammate: string) => ({ name: "shutdown_request", input: { teammate } });
const listed = { name: "list_teammates", input: {} };

const played: [string, object[]][] = [
  // The tutorial's prompts with other names, roles, files and numbers.
  [
    "Spawn dave (reviewer) and erin (tech writer). Have erin send dave a message.",
    [
      newcomer("dave", "reviewer"),
      newcomer("erin", "tech writer"),
      message("erin", "Send dave a message."),
      wait,
    ],
  ],
  [
    "Spawn carol as a frontend developer. Ask her to create a file called web/index.html with a login form.",
    [
      newcomer(
        "carol",
        "frontend developer",
        "Create a file called web/index.html with a login form.",
      ),
      wait,
    ],
  ],
  [
    "Spawn dan as a writer. Ask him to create a file called plan.md with ideas.",
    [newcomer("dan", "writer", "Create a file called plan.md with ideas."), wait],
  ],
  [
    "Spawn mallory-2 as a QA engineer. Ask them to check if db/orders.sql exists and list its contents.",
    [
      newcomer("mallory-2", "QA engineer", "Check if db/orders.sql exists and list its contents."),
      wait,
    ],
  ],
  [
    "Spawn carol as a coder. Then request her shutdown.",
    [newcomer("carol", "coder"), shutdown("carol"), wait],
  ],
  ["List teammates to see carol's status after shutdown approval", [listed]],
  // Pieces of them.
  ["Have alice send bob a message.", [message("alice", "Send bob a message."), wait]],
  [
    'Tell alice to write a.md with "One. Two."',
    [message("alice", 'Write a.md with "One. Two."'), wait],
  ],
  [
    "Ask alice, bob and carol to list the files",
    [...["alice", "bob", "carol"].map((name) => message(name, "List the files.")), wait],
  ],
  [
    "Spawn zoe to write poem.md with a poem",
    [newcomer("zoe", "teammate", "Write poem.md with a poem."), wait],
  ],
  [
    'Broadcast "phase 1. done" to all teammates',
    [{ name: "broadcast", input: { content: "phase 1. done" } }, wait],
  ],
  [
    "Broadcast that we are done to everybody",
    [{ name: "broadcast", input: { content: "we are done" } }, wait],
  ],
  ["Tell everyone “go home”", [{ name: "broadcast", input: { content: "go home" } }, wait]],
  ["/inbox", [{ name: "read_inbox", input: {} }]],
  ["Who is on the team?", [listed]],
  ["/team", [listed]],
  ["Show the board", [{ name: "list_tasks", input: {} }]],
  ["Request alice's shutdown", [shutdown("alice"), wait]],
  ["Shut down alice and bob", [shutdown("alice"), shutdown("bob"), wait]],
  ["Ask bob to shut down", [shutdown("bob"), wait]],
  ["Shut down everybody", [listed, shutdown("alice"), wait]],
  [
    "Spawn alice as a coder. Then request her shutdown. — List teammates",
    [newcomer("alice", "coder"), shutdown("alice"), wait, listed],
  ],
  ["Shut down zoe and list the team", [shutdown("zoe"), wait, listed]],
];
test.each(played)("%j is played", async (prompt, expected) => {
  const { calls } = await callsFor(prompt);

  expect(calls).toEqual(expected);
});

const decided: [string, object[]][] = [
  ["Spawn dan with a risky migration task. Review and reject his plan.", [{ approve: false }]],
  ["Spawn dan with a risky task. Review and approve his plan.", [{ approve: true }]],
  ["Spawn erin, have her submit a plan, then approve it.", [{ approve: true }]],
  ["Spawn erin (writer), have her submit a plan, then reject it.", [{ approve: false }]],
  ["Approve bob's plan", [{ approve: true }]],
  ["Reject bob's plan because it is too long", [{ approve: false, feedback: "it is too long" }]],
  [
    "Spawn dan with a risky task, reject his plan, then approve the better one.",
    [
      { approve: false, request_id: "1" },
      { approve: true, request_id: "2" },
    ],
  ],
];
test.each(decided)("%j decides %o", async (prompt, expected) => {
  const { calls } = await callsFor(prompt);

  const decisions = calls.filter(({ name }) => name === "plan_approval");
  expect(decisions.map(({ input }) => input)).toMatchObject(expected);
  const spawns = calls.filter(({ name }) => name === "spawn_teammate");
  for (const { input } of spawns) expect(input).toMatchObject({ plan_required: true });
});

const created: [string, number, string[]?][] = [
  ["Create 5 tasks on the board, then spawn carol and dan. Watch them auto-claim and work.", 5],
  ["Create five tasks", 5],
  ["Create a task", 1],
  ["Create 5000 tasks", 20],
  ["Create tasks with dependencies.", 3],
  ["Create 2 tasks: parse it, and print it", 2, ["parse it", "print it"]],
  ['Create tasks "Write a.md", "Check a.md"', 2, ["Write a.md", "Check a.md"]],
  [
    'Create tasks with dependencies: "Write a.md with notes", "Check if a.md exists". Watch teammates respect the blocked order.',
    2,
    ["Write a.md with notes", "Check if a.md exists"],
  ],
];
test.each(created)("%j creates %i tasks", async (prompt, count, subjects) => {
  const { calls } = await callsFor(prompt);

  const inputs = calls
    .filter(({ name }) => name === "create_task")
    .map(({ input }) => Object(input));
  expect(inputs).toHaveLength(count);
  if (subjects) expect(inputs.map(({ subject }) => subject)).toEqual(subjects);
  const blockers = inputs.flatMap(({ blocked_by = [] }) => blocked_by);
  const isChain = prompt.includes("dependencies");
  expect(blockers).toEqual(isChain ? inputs.slice(1).map((_, index) => `${index + 1}`) : []);
});

test("work addressed to the lead is done by the lead", async () => {
  const { names } = await callsFor("Create a file called tasks.md with ideas");

  expect(names).toEqual(["glob", "write_file"]);
});

test.each([
  "What is the meaning of life?",
  "Request her shutdown.",
  "Ask her to shut down",
  "Spawn",
  "hi",
])("%j is not understood, and nothing is called", async (prompt) => {
  const { names, text } = await callsFor(prompt);

  expect(names).toEqual([]);
  expect(text).toContain(`I did not understand: ${prompt.replace(/[.?]$/, "")}`);
  expect(text).toContain("--model <provider>/<model>");
});

test("a prompt of any length and shape is answered", async () => {
  const hostile = [
    "look ".repeat(50_000),
    "a and ".repeat(50_000),
    `spawn ${"a as b and ".repeat(9_999)}`,
    `spawn ${"a, ".repeat(9_999)}!`,
    '"'.repeat(99_999),
    "create task: ,".repeat(9_999),
  ];

  for (const text of hostile) {
    const blocks = await replyTo(leadSystem, [{ type: "input", texts: [text] }]);
    expect(blocks).toHaveLength(1);
  }
});
