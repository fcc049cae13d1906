import type { Mail } from "./happening.ts";
import { performAll } from "./perform-work.ts";
import { handInPlan, needsPlan } from "./planning.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { shortly } from "./words.ts";
import { understandWork } from "./work.ts";

/** Works on a task that was given, and ends it: with what came of it, or with why nothing did. */
export function* performTask(stage: Stage, { task_id = "", text }: Mail): Play<Told> {
  const subject = subjectOf(text);
  const work = understandWork(subject).filter(({ type }) => type !== "plan" && type !== "wait");
  const { text: result, hasFailed } =
    work.length > 0 ? yield* performAll(stage, work) : told(rehearsed(subject));
  if (hasFailed && needsPlan(result)) return yield* handInPlan(stage, { subject, task_id });
  const done = hasFailed
    ? yield* stage.call("update_task", { task_id, status: "failed", result })
    : yield* stage.call("complete_task", { task_id, result });
  if (done.is_error) return failed(`Task ${task_id} could not be ended`, done);
  return told(`Task ${task_id} ${hasFailed ? "has failed" : "is done"}: ${shortly(result)}`);
}

/** What a task is about, whether it was given or called to mind. */
function subjectOf(text: string): string {
  const [, subject] =
    /^Task \d+ is yours: (.*)$/s.exec(text) ??
    /^You still hold task \d+: (.*?)\. Complete it \(complete_task\)/s.exec(text) ??
    [];
  return subject ?? text;
}

function rehearsed(subject: string): string {
  return `Rehearsed only, nothing was changed: a language model would now see to "${shortly(subject, 200)}".`;
}
