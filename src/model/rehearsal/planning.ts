import type { Stage } from "./play.ts";
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

/** A plan for what was asked; every further one is smaller. */
export function planOf(stage: Stage, order: string): string {
  const attempts = stage.done.filter(({ name }) => name === "plan_approval").length;
  const steps = plannedWork(stage, order).map(describe);
  if (attempts > 0) return `A smaller plan: ${steps[0]}, and nothing else.`;
  return [
    `Plan for ${topicOf(order)}:`,
    "1. Look at what is there, and change nothing meanwhile.",
    ...steps.map((step, index) => `${index + 2}. ${step}.`),
    `${steps.length + 2}. Report.`,
  ].join("\n");
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
