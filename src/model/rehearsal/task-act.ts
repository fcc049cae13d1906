import type { Act } from "./arrange.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { livingIn, spawn } from "./spawn-act.ts";

type TaskOrder = Extract<Act, { type: "create-tasks" }>;

/** Tasks that only look, so that they can be done in any directory without asking anybody. */
const subjects = [
  "List the files in the workspace",
  "Look for TODO in the files",
  "Count the files in the directory",
  "Check if README.md exists and list its contents",
  "Look for FIXME in the files",
  "Check if package.json exists and list its contents",
];

/** Puts tasks on the board and sees to it that somebody is there to take them. */
export function* createTasks(stage: Stage, order: TaskOrder): Play<Told> {
  const wanted = Array.from({ length: order.count }, (_, index) => subjectOf(order, index));
  const created = order.isChain
    ? yield* createChain(stage, wanted)
    : yield* createAll(stage, wanted);
  if (created.hasFailed || order.hasHands) return created;
  const hands = yield* findHands(stage);
  return { ...hands, text: [created.text, hands.text].filter(Boolean).join("\n") };
}

function subjectOf({ subjects: given }: TaskOrder, index: number): string {
  const round = Math.floor(index / subjects.length);
  const own = `${subjects[index % subjects.length]}${round > 0 ? ` (${round + 1})` : ""}`;
  return given[index] ?? own;
}

function* createAll(stage: Stage, wanted: readonly string[]): Play<Told> {
  const calls = wanted.map((subject) => ({ name: "create_task", input: { subject } }));
  const done = yield* stage.perform(...calls);
  const failure = done.find(({ is_error }) => is_error);
  if (failure) return failed("Not every task could be created", failure);
  return told(done.map(({ output }) => `${output}.`).join("\n"));
}

/** Each task waits for the one before it, whose id is known once it is there. */
function* createChain(stage: Stage, wanted: readonly string[]): Play<Told> {
  const lines: string[] = [];
  let before: string | undefined;
  for (const subject of wanted) {
    const input = { subject, ...(before && { blocked_by: [before] }) };
    const done = yield* stage.call("create_task", input);
    if (done.is_error) return failed("Not every task could be created", done);
    before = /^Created task (\d+)/.exec(done.output)?.[1];
    lines.push(`${done.output}.`);
  }
  return told(lines.join("\n"));
}

/** Whoever is there takes the tasks; where nobody is, two are spawned. */
function* findHands(stage: Stage): Play<Told> {
  const roster = yield* stage.call("list_teammates", {});
  if (livingIn(roster.output).length > 0) return told("");
  const prompt = "Take tasks from the board: they come to you by themselves.";
  const role = "teammate";
  return yield* spawn(
    stage,
    ["alice", "bob"].map((name) => ({ name, role, prompt, needsPlan: false, hasWork: false })),
  );
}

/** More than any story needs; each waits until nobody works. */
const maxWaits = 10;

/**
 * Waits while somebody is at a task, and says how the board stands. Between one task and the next
 * nobody may be at work for a moment: the lead does not ask again and again, results wake it.
 */
export function* watchTasks(stage: Stage): Play<Told> {
  let board = "";
  for (let waits = 0; waits < maxWaits; waits++) {
    yield* stage.call("wait_for_teammates", {});
    const { output } = yield* stage.call("list_tasks", {});
    const isSettled = output === board || !output.includes("[in_progress]");
    board = output;
    if (isSettled) break;
  }
  return told(boardText(board));
}

/** How the tasks stand that the lead has created, if it has. */
export function* lookAtBoard(stage: Stage): Play<string> {
  const hasTasks = stage.done.some(({ name, is_error }) => name === "create_task" && !is_error);
  if (!hasTasks) return "";
  const { output, is_error } = yield* stage.call("list_tasks", {});
  return is_error ? "" : boardText(output);
}

function boardText(board: string): string {
  return `The board:\n${board}`;
}
