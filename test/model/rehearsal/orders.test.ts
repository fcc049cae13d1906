import { expect, test } from "vitest";
import { parseOrders } from "../../../src/model/rehearsal/orders.ts";

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
  [
    "Hire two teammates: a coder named Eve and a tester named mallory-2",
    ["eve: coder", "mallory-2: tester"],
  ],
  ["Create a teammate called dana", ["dana: teammate"]],
  ["Now spawn alice and bob!", ["alice: teammate", "bob: teammate"]],
  ["Could you spawn zoe to write poem.md?", ["zoe: teammate"]],
  ["Spawn bob with a risky refactoring task.", ["bob: teammate"]],
];
test.each(spawned)("%j spawns %j", (text, expected) => {
  const [order] = parseOrders(text);

  if (order?.type !== "spawn") throw new Error(`Read as ${JSON.stringify(order)}`);
  expect(order.newcomers.map(({ name, role }) => `${name}: ${role}`)).toEqual(expected);
});

const understood: [string, object][] = [
  [
    "Have alice send bob a message.",
    { type: "instruct", names: ["alice"], work: "send bob a message" },
  ],
  [
    'Tell alice to write a.md with "One. Two."',
    { type: "instruct", work: 'write a.md with "One. Two."' },
  ],
  ["Ask alice, bob and carol to list the files", { names: ["alice", "bob", "carol"] }],
  ['Broadcast "phase 1. done" to all teammates', { type: "broadcast", text: "phase 1. done" }],
  ["Broadcast that we are done to everybody", { type: "broadcast", text: "we are done" }],
  ["Tell everyone “go home”", { type: "broadcast", text: "go home" }],
  ["Check the lead inbox for any messages", { type: "read-inbox", from: undefined }],
  [
    "Check your inbox for alice's result.",
    { type: "read-inbox", from: "alice", isForResult: true },
  ],
  ["Are there any messages from bob?", { type: "read-inbox", from: "bob" }],
  ["/inbox", { type: "read-inbox" }],
  ["List teammates to see alice's status after shutdown approval", { type: "list-teammates" }],
  ["Who is on the team?", { type: "list-teammates" }],
  ["Show the board", { type: "list-tasks" }],
  ["Request alice's shutdown", { type: "shut-down", names: ["alice"] }],
  ["Shut down alice and bob", { type: "shut-down", names: ["alice", "bob"] }],
  ["Shut alice down", { type: "shut-down", names: ["alice"] }],
  ["Ask bob to shut down", { type: "shut-down", names: ["bob"] }],
  ["Shut down everybody", { type: "shut-down", names: [] }],
  ["Approve charlie's plan", { type: "decide-plan", name: "charlie", approve: true }],
  ["Reject bob's plan because it is too long", { approve: false, feedback: "it is too long" }],
  ["Create 3 tasks on the board", { type: "create-tasks", count: 3, isChain: false }],
  ["Create five tasks", { type: "create-tasks", count: 5 }],
  ["Create tasks with dependencies.", { type: "create-tasks", count: 3, isChain: true }],
  ["Create 2 tasks: parse it, and print it", { subjects: ["parse it", "print it"], count: 2 }],
  ['Create tasks "Write a.md", "Check a.md"', { subjects: ["Write a.md", "Check a.md"] }],
  ["Create 5000 tasks", { type: "create-tasks", count: 20 }],
  ["Create a file called tasks.md with ideas", { type: "work" }],
  ["Watch them auto-claim and work.", { type: "wait" }],
  ["What is the meaning of life?", { type: "unknown", text: "What is the meaning of life" }],
];
test.each(understood)("%j is %o", (text, expected) => {
  expect(parseOrders(text)).toEqual([expect.objectContaining(expected)]);
});

const together: [string, string[]][] = [
  ["Spawn charlie, have him submit a plan, then approve it.", ["spawn", "instruct", "decide-plan"]],
  [
    "Spawn bob with a risky refactoring task. Review and reject his plan.",
    ["spawn", "wait", "decide-plan"],
  ],
  [
    "Create 3 tasks on the board, then spawn alice and bob. Watch them.",
    ["create-tasks", "spawn", "wait"],
  ],
  [
    "Spawn alice as a coder. Then request her shutdown. — List teammates",
    ["spawn", "shut-down", "list-teammates"],
  ],
  [
    "Spawn bob as a tester. Ask him to check if a.sql exists and list its contents.",
    ["spawn", "instruct"],
  ],
  ["Shut down zoe and list the team", ["shut-down", "list-teammates"]],
];
test.each(together)("%j is %j", (text, types) => {
  expect(parseOrders(text).map(({ type }) => type)).toEqual(types);
});

test("a pronoun means whoever was named last, in an earlier prompt too", () => {
  expect(
    parseOrders("Spawn alice and bob. Ask him to wait. Have them list the files."),
  ).toMatchObject([{}, { type: "instruct", names: ["bob"] }, { type: "instruct", names: ["bob"] }]);
  expect(parseOrders("Request her shutdown.", ["alice"])).toMatchObject([{ names: ["alice"] }]);
  expect(parseOrders("Request her shutdown.")).toMatchObject([{ type: "unknown" }]);
});

test("a prompt of any length and make is read", () => {
  const hostile = [
    "look ".repeat(50_000),
    "a and ".repeat(50_000),
    '"'.repeat(99_999),
    "create task: ,".repeat(9_999),
  ];

  for (const text of hostile) expect(parseOrders(text).length).toBeLessThan(20_000);
});
