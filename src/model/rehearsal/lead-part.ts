import { arrange } from "./arrange.ts";
import type { Mail } from "./happening.ts";
import { introduction, notUnderstood } from "./known-prompts.ts";
import { performAct } from "./lead-acts.ts";
import { reportOf } from "./mail-report.ts";
import { namedBy, parseOrders } from "./orders.ts";
import { decidePlan } from "./plan-act.ts";
import { taskOfPlan } from "./planning.ts";
import type { Play, Stage } from "./play.ts";
import { lookAtBoard } from "./task-act.ts";

/** The lead's part: it does what the person wants, and tells the person what came in. */
export function* leadPart(stage: Stage): Play<string> {
  const lines: string[] = [];
  let isPrompted = false;
  let hasTaskNews = false;
  for (let input = stage.take(); input; input = stage.take()) {
    if (input.type === "prompt") {
      isPrompted = true;
      lines.push(...(yield* answerPrompt(stage, input.text)));
    } else {
      hasTaskNews ||= input.kind === "result" && /\bTask \d+ (?:is|has)\b/.test(input.text);
      lines.push((yield* approveTaskPlan(stage, input)) ?? reportOf(input) ?? "");
    }
  }
  if (hasTaskNews && !isPrompted) lines.push(yield* lookAtBoard(stage));
  const first = isPrompted && stage.isFirstAnswer ? [introduction] : [];
  return [...first, ...lines.filter((line) => line !== "")].join("\n\n") || "Nothing is new.";
}

/** A plan for a task that the lead itself has put on the board is what the person wanted. */
function* approveTaskPlan(stage: Stage, mail: Mail): Play<string | undefined> {
  const isOwn = stage.done.some(({ name, output, is_error }) => {
    const id = taskOfPlan(mail.text);
    return name === "create_task" && !is_error && id && output.startsWith(`Created task ${id}:`);
  });
  if (!isOwn || mail.kind !== "plan_approval_request") return undefined;
  const decision = { type: "decide-plan", name: mail.from, approve: true } as const;
  const { text } = yield* decidePlan(stage, { ...decision, feedback: undefined });
  return text;
}

function* answerPrompt(stage: Stage, text: string): Play<string[]> {
  const orders = parseOrders(text, lastNamed(stage));
  const unknown = orders.flatMap((order) => (order.type === "unknown" ? [order.text] : []));
  const lines: string[] = [];
  for (const act of arrange(orders)) {
    const { text: line, hasFailed } = yield* performAct(stage, act);
    lines.push(line);
    if (hasFailed) return lines;
  }
  if (unknown.length > 0 || orders.length === 0) lines.push(notUnderstood(unknown));
  return lines;
}

/** Whom the person has named last, in what was answered already. */
function lastNamed({ past }: Stage): readonly string[] {
  let named: readonly string[] = [];
  for (const happening of past) {
    if (happening.type !== "prompt") continue;
    for (const order of parseOrders(happening.text, named)) named = namedBy(order) ?? named;
  }
  return named;
}
