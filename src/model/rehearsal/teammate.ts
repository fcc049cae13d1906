import type { ConversationItem } from "./conversation-item.ts";
import { taskOfPlan } from "./mail.ts";
import { call, done, inOrder, type PlayedScene, type Script, type StepOutcome } from "./script.ts";
import { conflictIn, solveConflict } from "./sections.ts";
import { shortly } from "./sentences.ts";
import { askedIn, checkFile, type Work, workIn, writeFile } from "./work.ts";

/** A teammate carries out its lead's requests, answers its peers, and shuts down when asked. */
export function* playTeammate(scene: PlayedScene): Script<string> {
  const lines: string[] = [];
  for (let mail = nextMail(scene); mail; mail = nextMail(scene)) {
    lines.push((yield* answer(scene, mail)).text);
  }
  return lines.filter((line) => line !== "").join("\n") || "Nothing is left to do.";
}

/** A shutdown request is handled before all other mail. */
function nextMail(scene: PlayedScene): ConversationItem | undefined {
  return scene.take(({ kind }) => kind === "shutdown_request") ?? scene.take();
}

function* answer(scene: PlayedScene, mail: ConversationItem): Script<StepOutcome> {
  const { kind, from, text, request_id, task_id } = mail;
  switch (kind) {
    case "shutdown_request":
      return yield* call(
        "shutdown_response",
        { request_id, approve: true },
        () => "I am shutting down.",
      )(scene);
    case "task_assignment":
      return yield* performTask(scene, mail);
    case "plan_approval_response":
      return yield* afterDecision(scene, mail);
    case "broadcast":
      return done(`Noted, from ${from}: ${shortly(text, 200)}`);
    case "message":
      if (isBoss(from)) return yield* obey(scene, text);
      if (task_id) return yield* performTask(scene, mail);
      return yield* from === "system" ? hearFromRuntime(scene, mail) : answerPeer(scene, mail);
    default:
      return done("");
  }
}

function* hearFromRuntime(scene: PlayedScene, mail: ConversationItem): Script<StepOutcome> {
  const conflict = conflictIn(mail.text);
  return yield* conflict ? solveConflict(scene, conflict) : answerPeer(scene, mail);
}

function isBoss(from: string): boolean {
  return from === "lead" || from === "user";
}

function* obey(scene: PlayedScene, text: string): Script<StepOutcome> {
  const asked = askedIn(text);
  if (asked.length === 0) {
    return done(
      `This is a rehearsal, and I am not a language model: as ${scene.self.title} I would now see to "${shortly(text, 200)}". Nothing was changed.`,
    );
  }
  if (asked.includes("plan")) return yield* handInPlan(scene, text);
  const work = workIn(text);
  if (work.length === 0) return done("I am ready.");
  const outcome = yield* perform(scene, work);
  return lacksPlan(outcome) ? yield* handInPlan(scene, text) : outcome;
}

function perform(scene: PlayedScene, work: readonly Work[]): Script<StepOutcome> {
  return inOrder(
    work.map(({ step }) => step),
    " ",
  )(scene);
}

/** Whether a call failed because a plan must be approved first. */
function lacksPlan({ text, hasFailed }: StepOutcome): boolean {
  return hasFailed && text.includes("with plan_approval");
}

/** Works on a task, and completes it with the result or fails it with the reason. */
function* performTask(
  scene: PlayedScene,
  { task_id, text }: ConversationItem,
): Script<StepOutcome> {
  const subject = text
    .replace(/^(?:Task \d+ is yours|You still hold task \d+): /, "")
    .replace(/\. Complete it \(complete_task\).*$/s, "");
  const work = workIn(subject);
  const rehearsed = `Rehearsed only, nothing was changed: a language model would now see to "${shortly(subject, 200)}".`;
  const outcome = work.length > 0 ? yield* perform(scene, work) : done(rehearsed);
  if (lacksPlan(outcome)) return yield* handInPlan(scene, subject, task_id);
  const { text: result, hasFailed } = outcome;
  const ending = hasFailed
    ? call(
        "update_task",
        { task_id, status: "failed", result },
        () => `Task ${task_id} has failed: ${shortly(result)}`,
      )
    : call(
        "complete_task",
        { task_id, result },
        () => `Task ${task_id} is done: ${shortly(result)}`,
      );
  return yield* ending(scene);
}

/** The work after a plan's approval: the requested work, or a small note. */
function plannedWork({ self }: PlayedScene, order: string): Work[] {
  const work = workIn(order);
  const path = `${self.name}-notes.md`;
  return work.length > 0 ? work : [writeFile(path, topicOf(order)), checkFile(path)];
}

/** The topic of an order, without the words that ask for a plan. */
function topicOf(order: string): string {
  const topic = order.replace(/(?:^|\. )(?:Hand in|Submit) a plan(?: first)?\.?$/, "");
  return topic.charAt(0).toLowerCase() + topic.slice(1) || "a small improvement";
}

/** Submits a plan for the order; each further plan is smaller. */
function* handInPlan(scene: PlayedScene, order: string, task_id = ""): Script<StepOutcome> {
  const steps = plannedWork(scene, order).map(({ title }) => title);
  const isSmaller = !task_id && plansOf(scene).length > 0;
  const look = "Look at what is there, and change nothing meanwhile";
  const head = `Plan for ${task_id ? `task ${task_id}` : topicOf(order)}:`;
  const titles = task_id ? steps : [look, ...steps, "Report"];
  const whole = [head, ...titles.map((title, index) => `${index + 1}. ${title}.`)].join("\n");
  const plan = isSmaller ? `A smaller plan: ${steps[0]}, and nothing else.` : whole;
  const told = "I have submitted a plan and am waiting for the answer.";
  return yield* call("plan_approval", { plan }, () => told)(scene);
}

function plansOf({ calls }: PlayedScene) {
  return calls.filter(({ name }) => name === "plan_approval");
}

const maxPlans = 3;

/** Does the work after an approval; submits another plan after a rejection that asks for one. */
function* afterDecision(
  scene: PlayedScene,
  { approve, text }: ConversationItem,
): Script<StepOutcome> {
  const plans = plansOf(scene);
  const planned = taskOfPlan(JSON.stringify(plans.at(-1)?.input));
  const task = scene.mail.findLast(
    ({ kind, task_id }) => kind === "task_assignment" && task_id === planned,
  );
  if (approve === "true" && task) return yield* performTask(scene, task);
  const order = scene.mail.findLast(isOrder)?.text ?? "";
  if (approve === "true") return yield* perform(scene, plannedWork(scene, order));
  const feedback = text.split("\n\n").slice(1).join(" ");
  const wantsAnother = /\b(?:hand in|another|smaller|again|revise)\b/i.test(feedback);
  if (wantsAnother && plans.length < maxPlans) return yield* handInPlan(scene, order);
  const why = feedback && ` ("${shortly(feedback, 200)}")`;
  return done(`My plan was rejected${why}. I have changed nothing and am stopping here.`);
}

/** A request for work from a member or person that may give orders. */
function isOrder({ kind, from, text }: ConversationItem): boolean {
  return kind === "message" && isBoss(from) && askedIn(text).some((asked) => asked !== "wait");
}

/** Marks an answer, so that two teammates do not answer each other forever. */
const answerMark = "Re: ";
const maxAnswers = 3;

function* answerPeer(scene: PlayedScene, { from, text }: ConversationItem): Script<StepOutcome> {
  const note = `${from} wrote: "${shortly(text, 200)}"`;
  const answers = scene.calls.filter(({ name }) => name === "send_message").length;
  const isPeer = from !== "system" && from !== "outside";
  if (!isPeer || text.startsWith(answerMark) || answers >= maxAnswers) return done(note);
  const content = `${answerMark}Hello ${from}, ${scene.self.title} has read your message.`;
  return yield* call("send_message", { to: from, content }, () => `${note} I have replied.`)(scene);
}
