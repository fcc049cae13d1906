import {
  createTasks,
  decidePlan,
  lookIntoInbox,
  type Newcomer,
  requestShutdown,
  shareSections,
  spawnAll,
  spawnHelpers,
  tell,
  usual,
  waitForAll,
  watchTasks,
} from "./lead-steps.ts";
import { call, type SceneStep } from "./script.ts";
import {
  asSentence,
  namesIn,
  row,
  type SentenceRow,
  type SentenceSlots,
  unquoted,
} from "./sentences.ts";

const everybody = "(everyone|everybody|all( the)? teammates|the team)";
const inbox = "(check|read) (the lead|the|your|my) inbox";
const shutDown = "shut(-| )?down";

/** The scenes that the lead knows, and their steps. */
export const scenes: readonly SentenceRow<readonly SceneStep[]>[] = [
  spawning("spawn {people}. have .*? (submit|hand in) a plan. {verb} .*", playPlan),
  spawning(
    "spawn {people} with an? {task}. (review and )?{verb} .*?plan. approve {second}",
    playPlan,
  ),
  spawning("spawn {people} with an? {task}. (review and )?{verb} .*?plan", playPlan),
  spawning(`spawn {people}. request .*?${shutDown}`, (newcomers) => [
    spawnAll(newcomers),
    requestShutdown(newcomers.map(({ name }) => name)),
    waitForAll,
  ]),
  spawning(
    "spawn {people}. (have|ask|tell) each( of them)? (to )?write an? section of {file}",
    (newcomers, { file = "" }) => [shareSections(newcomers, unquoted(file)), waitForAll],
  ),
  spawning(
    "spawn {people}. (have|ask|tell) {who} (to )?{work}",
    (newcomers, { who, work = "" }) => {
      const names = namesIn(who);
      const isForAll = names.length === 0 || newcomers.length === 1;
      // If several are spawned, the work is given after all exist: it may be to write to another
      // one.
      const told = isForAll ? [] : names.map((name) => tell(name, asSentence(work)));
      return [spawnAll(withPrompt(newcomers, isForAll ? work : "")), ...told, waitForAll];
    },
  ),
  spawning("spawn {people} (to|with an?) {work}", (newcomers, { work }) => [
    spawnAll(withPrompt(newcomers, work)),
    waitForAll,
  ]),
  spawning("spawn {people}", (newcomers) => [spawnAll(newcomers), waitForAll]),
  spawning("create {tasks}. spawn {people}", (newcomers, { tasks }) => [
    createTasks(tasks),
    spawnAll(newcomers, true),
    watchTasks,
  ]),
  row("create {tasks}", ({ tasks }) => [createTasks(tasks), spawnHelpers, watchTasks]),
  row(`(broadcast|tell ${everybody})( that)? {text}( to ${everybody})?`, ({ text = "" }) => [
    call("broadcast", { content: unquoted(text) }),
    waitForAll,
  ]),
  row(`/inbox|${inbox}( for (any )?(mail|messages))?`, () => [lookIntoInbox()]),
  row(`${inbox} for {name}['’]s results?`, ({ name }) => [lookIntoInbox(name?.toLowerCase())]),
  row("/team|(list|show|who is on)( the)? (teammates|team)( .*)?", () => [
    call("list_teammates", {}),
  ]),
  row("/tasks|(list|show)( the)? (tasks|board)", () => [call("list_tasks", {})]),
  row("{verb} {name}['’]s plan( because {reason})?", ({ verb, name = "", reason }) => [
    decidePlan(name.toLowerCase(), isApproval(verb), reason),
    waitForAll,
  ]),
  row(`request {who}['’]s ${shutDown}`, playShutdown),
  row(`(ask|tell) {who} to ${shutDown}`, playShutdown),
  row(`${shutDown} {who}`, playShutdown),
  row("(have|ask|tell) {who} (to )?each add an? section to {file}", ({ who, file = "" }) => {
    const told = namesIn(who).map((name) =>
      tell(name, `Add the section "Notes of ${name}" to ${unquoted(file)}.`),
    );
    return [...told, waitForAll];
  }),
  row("(have|ask|tell) {who} (to )?{work}", ({ who, work = "" }) => {
    const names = namesIn(who);
    const told = names.map((name) => tell(name, asSentence(work)));
    return names.length > 0 ? [...told, waitForAll] : undefined;
  }),
  // The steps that assign work already wait for it.
  row("(watch|wait)( .*)?", () => []),
];

/** A row for a prompt that names teammates to spawn. */
function spawning(
  pattern: string,
  steps: (newcomers: readonly Newcomer[], slots: SentenceSlots) => SceneStep[],
): SentenceRow<readonly SceneStep[]> {
  return row(pattern, (slots) => {
    const newcomers = newcomersIn(slots.people);
    return newcomers.length > 0 ? steps(newcomers, slots) : undefined;
  });
}

/** `alice (coder) and bob (tester)`, `ann and ben as testers`, `zoe as a writer`, `eve in a checkout`. */
function newcomersIn(people = ""): Newcomer[] {
  const who = people.replace(/\s+in\s+(?:an?\s+|(?:their|his|her)\s+)?(?:own\s+)?checkouts?$/i, "");
  const isApart = who !== people;
  const each = who.replace(/^([\w-]+) and ([\w-]+) as (\w+)s$/i, "$1 as $3 and $2 as $3");
  const person =
    /\b([a-z][\w-]*)(?:\s*\(([^)]+)\)|\s+as\s+(?:an?\s+|the\s+)?([\w -]+?))?(?=,|\s+and\s|$)/gi;
  return [...each.matchAll(person)].flatMap(([, word, inParentheses, role = inParentheses]) =>
    namesIn(word).map((name) => ({
      name,
      role: role ?? "teammate",
      prompt: "",
      ...usual,
      isApart,
    })),
  );
}

function withPrompt(newcomers: readonly Newcomer[], work = ""): Newcomer[] {
  return newcomers.map((newcomer) => ({ ...newcomer, prompt: work && asSentence(work) }));
}

function isApproval(verb = ""): boolean {
  return /^a/i.test(verb);
}

/** `Spawn bob with a risky task. Review and reject his plan.` */
function playPlan(
  newcomers: readonly Newcomer[],
  { task, verb, second }: SentenceSlots,
): SceneStep[] {
  const prompt = task ? `${asSentence(task)} Hand in a plan first.` : "Submit a plan.";
  const planners = withPrompt(newcomers, prompt).map((planner) => ({
    ...planner,
    needsPlan: true,
  }));
  const wish = second && "Too risky for now. Hand in a smaller plan.";
  const decisions = planners.flatMap(({ name }) => [
    decidePlan(name, isApproval(verb), wish),
    ...(second ? [decidePlan(name, true)] : []),
  ]);
  return [spawnAll(planners), ...decisions, waitForAll];
}

function playShutdown({ who = "" }: SentenceSlots): SceneStep[] | undefined {
  const names = namesIn(who);
  const isForAll = /^(?:everyone|everybody|all)$/i.test(who);
  return names.length > 0 || isForAll ? [requestShutdown(names), waitForAll] : undefined;
}
