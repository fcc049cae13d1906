import { z } from "zod";
import type { DoneCall, Mail } from "./happening.ts";
import { planIn } from "./mail-report.ts";
import type { Order } from "./orders.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";

type Decision = Extract<Order, { type: "decide-plan" }>;

/** How often a plan is waited for: other mail may end the waiting before. */
const maxWaits = 5;

/** Decides a plan; one that has not come yet is waited for. */
export function* decidePlan(stage: Stage, { name, approve, feedback }: Decision): Play<Told> {
  let plan = openPlan(stage, name);
  for (let waits = 0; !plan && waits < maxWaits; waits++) {
    const wait = yield* stage.call("wait_for_teammates", {});
    plan = openPlan(stage, name);
    if (!plan && !wait.output.startsWith("Waiting ended early")) break;
  }
  if (!plan) return told(`No plan${name ? ` of ${name}` : ""} waits for a decision of mine.`);
  stage.take((input) => input === plan);
  const reason = feedback ?? (approve ? "Go ahead, in small steps." : tooRisky);
  const done = yield* stage.call("plan_approval", {
    request_id: plan.request_id ?? "",
    approve,
    feedback: reason,
  });
  if (done.is_error) return failed(`The plan of ${plan.from} could not be decided`, done);
  return told(`${planIn(plan.text)}\n\n${done.output}: ${reason}`);
}

const tooRisky = "Too risky for now. Leave everything as it is.";

/** The newest plan that was handed in and not decided. */
function openPlan({ mail, done }: Stage, name: string | undefined): Mail | undefined {
  const decided = new Set(done.flatMap(decidedBy));
  return mail.findLast(({ kind, from, request_id = "" }) => {
    const isOpen = kind === "plan_approval_request" && !decided.has(request_id);
    return isOpen && (name === undefined || from === name);
  });
}

function decidedBy({ name, input, is_error }: DoneCall): string[] {
  const decision = name === "plan_approval" && !is_error ? Decided.safeParse(input) : undefined;
  return decision?.success ? [decision.data.request_id] : [];
}

const Decided = z.object({ request_id: z.string() });
