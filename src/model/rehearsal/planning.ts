import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { clausesOf } from "./words.ts";
import { type Work, workIn } from "./work.ts";

/** What is to be done once a plan for it is approved: as it was asked for, or a small note. */
export function plannedWork({ self }: Stage, order: string): Work[] {
  const work = clausesOf(order)
    .flatMap(workIn)
    .filter(({ type }) => type !== "plan" && type !== "wait");
  if (work.length > 0) return work;
  const name = self.type === "lead" ? "lead" : self.name;
  const path = `${name}-notes.md`;
  return [
    { type: "create-file", path, about: topicOf(order) },
    { type: "check-file", path },
  ];
}

/** Whether a call failed because a plan must be approved before anything is changed. */
export function needsPlan(failure: string): boolean {
  return failure.includes("with plan_approval");
}

interface Planned {
  /** What was asked for, in its words. */
  subject: string;
  task_id?: string;
}

export function* handInPlan(stage: Stage, planned: Planned): Play<Told> {
  const done = yield* stage.call("plan_approval", { plan: planOf(stage, planned) });
  if (done.is_error) return failed("I could not hand in a plan", done);
  return told("I have handed in a plan and wait for the answer.");
}

/** The id of the task that a plan is for. */
export function taskOfPlan(plan: string | undefined): string | undefined {
  return /\bPlan for task (\d+):/.exec(plan ?? "")?.[1];
}

/** A plan for what was asked; every further one is smaller. */
function planOf(stage: Stage, { subject: order, task_id }: Planned): string {
  const attempts = stage.done.filter(({ name }) => name === "plan_approval").length;
  const steps = plannedWork(stage, order).map(describe);
  if (task_id !== undefined) return [`Plan for task ${task_id}:`, ...steps.map(asStep)].join("\n");
  if (attempts > 0) return `A smaller plan: ${steps[0]}, and nothing else.`;
  return [
    `Plan for ${topicOf(order)}:`,
    "1. Look at what is there, and change nothing meanwhile.",
    ...steps.map((step, index) => asStep(step, index + 1)),
    asStep("Report", steps.length + 1),
  ].join("\n");
}

function asStep(step: string, index: number): string {
  return `${index + 1}. ${step}.`;
}

/** What the work is about, without the words that ask for a plan. */
function topicOf(order: string): string {
  const topics = clausesOf(order)
    .filter((clause) => !workIn(clause).some(({ type }) => type === "plan"))
    .map(({ original }) => original.charAt(0).toLowerCase() + original.slice(1));
  return topics.join(", ") || "a small improvement";
}

function describe(work: Work): string {
  switch (work.type) {
    case "create-file":
      return `Write ${work.path}`;
    case "check-file":
      return `Check ${work.path}`;
    case "list-files":
      return "List the files";
    case "count-files":
      return "Count the files";
    case "search":
      return `Look for ${work.text}`;
    case "run":
      return `Run ${work.command}`;
    case "send":
      return `Write to ${work.to}`;
    case "plan":
    case "wait":
      return "Wait";
  }
}
