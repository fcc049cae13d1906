import type { Order } from "./orders.ts";
import { asSentence, namesIn } from "./words.ts";
import { understandWork } from "./work.ts";

/** A teammate as it is to be spawned. */
export interface Casting {
  name: string;
  role: string;
  prompt: string;
  needsPlan: boolean;
  /** False where it only waits for mail or tasks. */
  hasWork: boolean;
}

/** One thing that the lead does. What is said to somebody who is spawned anyway is in its prompt. */
export type Act =
  /** `isForTasks`: whoever is there already needs no spawning, and may be at a task by then. */
  | { type: "spawn"; castings: readonly Casting[]; isForTasks: boolean }
  | { type: "tell"; to: string; text: string }
  | Exclude<Order, { type: "spawn" | "instruct" | "wait" | "unknown" | "create-tasks" }>
  /** `hasHands` is true where somebody is spawned for them. */
  | (Extract<Order, { type: "create-tasks" }> & { hasHands: boolean })
  | { type: "wait"; isForTasks: boolean };

/** What the lead does about its orders: it waits in the end for whoever has got something to do. */
export function arrange(orders: readonly Order[]): Act[] {
  const acts = orders.flatMap((order) => actsFor(order, orders));
  const isWaiting = orders.some(({ type }) => type === "wait") || acts.some(setsToWork);
  const isForTasks = acts.some(({ type }) => type === "create-tasks");
  return isWaiting ? [...acts, { type: "wait", isForTasks }] : acts;
}

function setsToWork({ type }: Act): boolean {
  return ["spawn", "tell", "broadcast", "shut-down", "decide-plan", "create-tasks"].includes(type);
}

function actsFor(order: Order, orders: readonly Order[]): Act[] {
  switch (order.type) {
    case "spawn":
      return [
        {
          type: "spawn",
          castings: castingsOf(order, orders),
          isForTasks: orders.some(({ type }) => type === "create-tasks"),
        },
      ];
    case "instruct":
      return order.names
        .filter((name) => !isInPrompt(order, name, orders))
        .map((to) => ({ type: "tell", to, text: asSentence(order.work) }));
    case "create-tasks":
      return [{ ...order, hasHands: orders.some(({ type }) => type === "spawn") }];
    case "decide-plan":
      return [{ ...order, feedback: order.feedback ?? wishFor(order, orders) }];
    case "wait":
    case "unknown":
      return [];
    case "broadcast":
    case "read-inbox":
    case "list-teammates":
    case "list-tasks":
    case "shut-down":
    case "work":
      return [order];
  }
}

type PlanDecision = Extract<Order, { type: "decide-plan" }>;

/** Who rejects a plan and wants to approve one later has to ask for it. */
function wishFor(decision: PlanDecision, orders: readonly Order[]): string | undefined {
  const later = orders.slice(orders.indexOf(decision) + 1);
  const isWanted = later.some(
    (order) => order.type === "decide-plan" && order.approve && order.name === decision.name,
  );
  return isWanted && !decision.approve ? "Too risky for now. Hand in a smaller plan." : undefined;
}

type Instruction = Extract<Order, { type: "instruct" }>;
type Spawning = Extract<Order, { type: "spawn" }>;

/** Who is to write to somebody else that is only being spawned is told when both are there. */
function isInPrompt({ work }: Instruction, name: string, orders: readonly Order[]): boolean {
  const newcomers = new Set(
    orders.flatMap((order) => (order.type === "spawn" ? order.newcomers.map((it) => it.name) : [])),
  );
  if (!newcomers.has(name)) return false;
  return !namesIn(work).some((other) => other !== name && newcomers.has(other));
}

function castingsOf({ newcomers, work }: Spawning, orders: readonly Order[]): Casting[] {
  return newcomers.map(({ name, role }) => {
    const instructions = orders.flatMap((order) =>
      order.type === "instruct" && order.names.includes(name) && isInPrompt(order, name, orders)
        ? [order.work]
        : [],
    );
    const works = [...(work === undefined ? [] : [work]), ...instructions];
    const needsPlan =
      /\brisky\b/i.test(work ?? "") || works.some(asksForPlan) || isDecided(name, orders);
    const prompt = promptFor({ works, needsPlan }, orders);
    return { name, role, prompt, needsPlan, hasWork: needsPlan || works.length > 0 };
  });
}

function asksForPlan(work: string): boolean {
  return understandWork(work).some(({ type }) => type === "plan");
}

function isDecided(name: string, orders: readonly Order[]): boolean {
  return orders.some((order) => order.type === "decide-plan" && order.name === name);
}

function promptFor(
  { works, needsPlan }: { works: readonly string[]; needsPlan: boolean },
  orders: readonly Order[],
): string {
  const sentences = works.map(asSentence);
  if (needsPlan && !works.some(asksForPlan)) sentences.push("Hand in a plan first.");
  if (sentences.length > 0) return sentences.join(" ");
  return orders.some(({ type }) => type === "create-tasks")
    ? "Take tasks from the board: they come to you by themselves."
    : "You have no work yet. Mail brings it.";
}
