import { z } from "zod";
import type { ConversationItem, DoneCall } from "./conversation-item.ts";
import { isPrompt, planIn, reportOf } from "./mail.ts";
import {
  call,
  done,
  inOrder,
  isUnknown,
  maxKills,
  outcomeOf,
  type PlayedScene,
  type SceneStep,
  type Script,
  type ScriptedCall,
} from "./script.ts";
import { openSections } from "./sections.ts";

/** A teammate to spawn. Without a prompt it waits for mail or tasks. */
export interface Newcomer {
  name: string;
  role: string;
  prompt: string;
  needsPlan: boolean;
  /** Whether it gets a checkout of its own. */
  isApart: boolean;
}

export const usual = { needsPlan: false, isApart: false } as const;

/**
 * The result of the wait does not matter: results so far are reported, and later ones wake the
 * lead.
 */
export const waitForAll: SceneStep = function* (scene) {
  yield* scene.call("wait_for_teammates");
  return done("");
};

export function tell(to: string, content: string): SceneStep {
  return call("send_message", { to, content }, () => `I have told ${to}: ${content}`);
}

/** Spawns teammates. A live one is not spawned again only to take tasks. */
export function spawnAll(newcomers: readonly Newcomer[], isForTasks = false): SceneStep {
  return function* (scene) {
    const living = isForTasks ? yield* livingTeammates(scene) : [];
    const missing = newcomers.filter(({ name }) => !living.includes(name));
    return yield* inOrder(missing.map((newcomer) => spawn(newcomer, isForTasks)))(scene);
  };
}

/** A teammate that is already working gets the prompt by mail. */
function spawn(
  { name, role, prompt, needsPlan, isApart }: Newcomer,
  isForTasks: boolean,
): SceneStep {
  const idle = isForTasks
    ? "Take tasks from the board: they come to you by themselves."
    : "You have no work yet. Mail brings it.";
  // Always set: otherwise a teammate that had to plan before would have to plan again.
  const input = {
    ...{ name, role, prompt: prompt || idle, plan_required: needsPlan },
    ...(isApart && { isolation: "checkout" }),
  };
  const told = `${name} (${role}) is on the team.`;
  return function* (scene) {
    const outcome = yield* call("spawn_teammate", input, () => told)(scene);
    if (!outcome.text.includes("is currently working")) return outcome;
    return prompt ? yield* tell(name, prompt)(scene) : done(told);
  };
}

/** Gives each of the newcomers a section of a file that is still to be written. */
export function shareSections(newcomers: readonly Newcomer[], path: string): SceneStep {
  return function* (scene) {
    const read = yield* scene.call("read_file", { path });
    if (read.is_error) return outcomeOf(read);
    const open = openSections(read.output);
    const each = newcomers.map((newcomer, index) => {
      const title = open[index] ?? `Notes of ${newcomer.name}`;
      return { ...newcomer, prompt: `Write the section "${title}" of ${path}.` };
    });
    return yield* spawnAll(each)(scene);
  };
}

/** Spawns two teammates for the tasks if there are none. */
export const spawnHelpers: SceneStep = function* (scene) {
  const isAlone = (yield* livingTeammates(scene)).length === 0;
  const names = isAlone ? ["alice", "bob"] : [];
  const helpers = names.map((name) => ({ name, role: "teammate", prompt: "", ...usual }));
  return yield* inOrder(helpers.map((helper) => spawn(helper, true)))(scene);
};

/** The teammates that have not been shut down. */
function* livingTeammates(scene: PlayedScene): Script<string[]> {
  const { output } = yield* scene.call("list_teammates");
  const lines = output.matchAll(/^\s+([a-z][\w-]*) \(.*\): (?!shutdown)/gm);
  return [...lines].flatMap(([, name]) => name ?? []);
}

/** Asks the named teammates, or all of them, to shut down. */
export function requestShutdown(names: readonly string[]): SceneStep {
  return function* (scene) {
    const asked = names.length > 0 ? names : yield* livingTeammates(scene);
    const requests = asked.map((teammate) => {
      return call("shutdown_request", { teammate }, () => `I have asked ${teammate} to shut down.`);
    });
    const outcome = yield* inOrder(requests)(scene);
    return asked.length > 0 ? outcome : done("There are no teammates to shut down.");
  };
}

/** Tasks that change nothing: they work in any directory and need no approval. */
const looks = [
  "List the files in the workspace",
  "Look for TODO in the files",
  "Count the files in the directory",
  "Check if README.md exists and list its contents",
  "Look for FIXME in the files",
  "Check if package.json exists and list its contents",
];
const numbers = "one two three four five six seven eight nine ten".split(" ");
const maxTasks = 20;

/** Creates the tasks of `3 tasks on the board`, `tasks with dependencies: "Write a.md", "Check a.md"`. */
export function createTasks(wanted = ""): SceneStep {
  const [word = ""] = wanted
    .toLowerCase()
    .replace(/^an?\s/, "one ")
    .split(/\s+/);
  const count = Number(word) || numbers.indexOf(word) + 1 || 3;
  const quoted = [...wanted.matchAll(/"([^"]*)"/g)].flatMap(([, subject]) => subject ?? []);
  const listed = /:\s*([^"]+)$/.exec(wanted)?.[1]?.split(/,?\s+and\s+|,\s*/) ?? quoted;
  const usual = Array.from({ length: count }, (_, index) => looks[index % looks.length] ?? "");
  const subjects = (listed.length > 0 ? listed : usual).slice(0, maxTasks);
  const isChain = /\bdepend/i.test(wanted);
  return function* (scene) {
    const lines: string[] = [];
    let before: string | undefined;
    for (const subject of subjects) {
      const input = { subject, ...(isChain && before && { blocked_by: [before] }) };
      const { text, hasFailed } = outcomeOf(yield* createTask(scene, input));
      if (hasFailed) return { text, hasFailed };
      before = /^Created task (\d+)/.exec(text)?.[1];
      lines.push(`${text}.`);
    }
    return done(lines.join("\n"));
  };
}

/**
 * Creates a task once. If the process was killed during the call, the board shows whether the task
 * was created.
 */
function* createTask(scene: PlayedScene, input: ScriptedCall["input"]): Script<DoneCall> {
  const before = createdTasks(scene);
  for (let kills = 0; ; kills++) {
    const made = yield* scene.call("create_task", input, false);
    if (!isUnknown(made) || kills === maxKills) return made;
    yield* scene.call("list_tasks");
    const [id] = [...createdTasks(scene)].filter((it) => !before.has(it));
    const output = `Created task ${id}: ${input.subject}`;
    if (id !== undefined) return { ...made, output, is_error: false };
  }
}

/** The ids of the tasks that the lead has created, from its calls. */
export function createdTasks({ calls }: PlayedScene): Set<string> {
  const ids = new Set<string>();
  let lost: string | undefined;
  for (const made of calls) {
    const [, id] = /^Created task (\d+):/.exec(made.output) ?? [];
    if (made.name === "create_task" && id !== undefined) ids.add(id);
    if (made.name === "create_task") lost = isUnknown(made) ? subjectOf(made) : undefined;
    const found = lost !== undefined && made.name === "list_tasks" && idOnBoard(made, lost, ids);
    if (found) ids.add(found);
  }
  return ids;
}

function subjectOf({ input }: DoneCall): string {
  return z.object({ subject: z.string() }).catch({ subject: "" }).parse(input).subject;
}

/** The newest task with this subject that is not `known`, in the output of `list_tasks`. */
function idOnBoard(
  { output }: DoneCall,
  subject: string,
  known: ReadonlySet<string>,
): string | undefined {
  const tasks = [...output.matchAll(/^\s*(\d+)\b.*?\[\w+\] (.*)$/gm)];
  const fits = tasks.filter(([, id = "", text = ""]) => text.startsWith(subject) && !known.has(id));
  return fits.map(([, id]) => id).at(-1);
}

/** More than any scene needs; each wait lasts until all teammates are idle. */
const maxTaskWaits = 10;

/**
 * Waits while a task is in progress, and reports the board. All teammates may be idle for a moment
 * between two tasks; the lead does not poll, since results wake it.
 */
export const watchTasks: SceneStep = function* (scene) {
  let board = "";
  for (let waits = 0; waits < maxTaskWaits; waits++) {
    yield* scene.call("wait_for_teammates");
    const { output } = yield* scene.call("list_tasks");
    const isSettled = output === board || !output.includes("[in_progress]");
    board = output;
    if (isSettled) break;
  }
  return done(`The board:\n${board}`);
};

/** Other mail or a restart may end the wait before the plan arrives. */
const maxPlanWaits = 4;

/** Decides on a teammate's newest plan, and waits for it if necessary. */
export function decidePlan(name: string, approve: boolean, reason?: string): SceneStep {
  const usual = approve
    ? "Go ahead, in small steps."
    : "Too risky for now. Leave everything as it is.";
  const feedback = reason || usual;
  return function* (scene) {
    let plan = openPlan(scene, name);
    for (let waits = 0; !plan && waits < maxPlanWaits; waits++) {
      const { output, is_error } = yield* scene.call("wait_for_teammates");
      plan = openPlan(scene, name);
      if (!is_error && !output.startsWith("Waiting ended early")) break;
    }
    if (!plan) return done(`No plan from ${name} is waiting for my decision.`);
    const { request_id, text } = plan;
    scene.take((mail) => mail === plan);
    const told = (output: string) => `${planIn(text)}\n\n${output}: ${feedback}`;
    return yield* call("plan_approval", { request_id, approve, feedback }, told)(scene);
  };
}

function openPlan({ mail, calls }: PlayedScene, name: string): ConversationItem | undefined {
  const decisions = calls.filter((made) => made.name === "plan_approval" && !made.is_error);
  const decided = JSON.stringify(decisions.map(({ input }) => input));
  return mail.findLast(({ kind, from, request_id }) => {
    const isPlan = kind === "plan_approval_request" && from === name;
    return isPlan && !decided.includes(JSON.stringify(request_id));
  });
}

const maxReports = 5;

/**
 * Mail is delivered automatically, so the inbox is mostly empty; received mail is reported again.
 */
export function lookIntoInbox(resultOf?: string): SceneStep {
  const isWanted = (mail: ConversationItem) =>
    resultOf ? mail.kind === "result" && mail.from === resultOf : !isPrompt(mail);
  return function* (scene) {
    const inbox = yield* call("read_inbox", {})(scene);
    if (inbox.hasFailed) return inbox;
    const reports = scene.mail
      .filter(isWanted)
      .map(reportOf)
      .filter((report) => report !== "");
    // Reported here, so it is not reported again at the end.
    while (scene.take(isWanted));
    const shown = reports.slice(resultOf ? -1 : -maxReports);
    const isEmpty = inbox.text === "[]";
    if (!isEmpty) shown.push(`unread: ${inbox.text}`);
    if (shown.length === 0)
      return done(`No mail has arrived${resultOf ? ` from ${resultOf}` : ""} yet.`);
    const head = `${isEmpty ? "Nothing is unread. " : ""}Mail so far:`;
    return done([head, ...shown.map((report) => `- ${report}`)].join("\n"));
  };
}
