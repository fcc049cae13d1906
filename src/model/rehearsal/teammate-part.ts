import type { Input, Mail } from "./happening.ts";
import { performAll } from "./perform-work.ts";
import { handInPlan, needsPlan, plannedWork, taskOfPlan } from "./planning.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { performTask } from "./task-part.ts";
import { shortly } from "./words.ts";
import { understandWork } from "./work.ts";

/** A teammate's part: it does what its lead asks, answers its peers, and goes when it is asked to. */
export function* teammatePart(stage: Stage): Play<string> {
  const lines: string[] = [];
  for (let mail = nextMail(stage); mail; mail = nextMail(stage)) {
    lines.push((yield* answer(stage, mail)).text);
  }
  return lines.filter((line) => line !== "").join("\n") || "Nothing is left to do.";
}

/** Who is asked to shut down begins nothing else. */
function nextMail(stage: Stage): Input | undefined {
  return (
    stage.take((input) => input.type === "mail" && input.kind === "shutdown_request") ??
    stage.take()
  );
}

function* answer(stage: Stage, input: Input): Play<Told> {
  if (input.type === "prompt") return told("");
  const { kind, from, task_id, text } = input;
  switch (kind) {
    case "shutdown_request":
      return yield* agree(stage, input);
    case "task_assignment":
      return yield* performTask(stage, input);
    case "plan_approval_response":
      return yield* goOn(stage, input);
    case "broadcast":
      return told(`Noted, from ${from}: ${shortly(text, 200)}`);
    case "message":
      if (from === "lead" || from === "user") return yield* obey(stage, text);
      if (task_id !== undefined) return yield* performTask(stage, input);
      return yield* answerPeer(stage, input);
    default:
      return told("");
  }
}

function* agree(stage: Stage, { request_id = "" }: Mail): Play<Told> {
  const done = yield* stage.call("shutdown_response", { request_id, approve: true });
  return done.is_error ? failed("I could not agree to shut down", done) : told("I shut down.");
}

function* obey(stage: Stage, text: string): Play<Told> {
  const work = understandWork(text);
  if (work.length === 0) return told(rehearsed(stage, text));
  if (work.some(({ type }) => type === "plan")) return yield* handInPlan(stage, { subject: text });
  const left = work.filter(({ type }) => type !== "wait");
  if (left.length === 0) return told("I am ready.");
  const outcome = yield* performAll(stage, left);
  if (!outcome.hasFailed || !needsPlan(outcome.text)) return outcome;
  return yield* handInPlan(stage, { subject: text });
}

function rehearsed(stage: Stage, text: string): string {
  return `This is a rehearsal, and I am no language model: as ${selfOf(stage)} I would now see to "${shortly(text, 200)}". Nothing was changed.`;
}

function selfOf({ self }: Stage): string {
  return self.type === "lead" ? "the lead" : `${self.name} (${self.role})`;
}

/** After an approval the work is done; after a rejection only if another plan is asked for. */
function* goOn(stage: Stage, { approve, text, request_id }: Mail): Play<Told> {
  const task = plannedTask(stage);
  if (approve && task) return yield* performTask(stage, task);
  const order = stage.mail.findLast(isOrder)?.text ?? "";
  if (approve) return yield* performAll(stage, plannedWork(stage, order));
  const plans = stage.done.filter(({ name }) => name === "plan_approval").length;
  const feedback = text.split("\n\n").slice(1).join(" ");
  const wantsAnother = /\b(?:hand in|another|smaller|again|revise)\b/i.test(feedback);
  if (wantsAnother && plans < maxPlans) return yield* handInPlan(stage, { subject: order });
  return told(
    `My plan was rejected${request_id && feedback ? ` ("${shortly(feedback, 200)}")` : ""}. I have changed nothing, and stop here.`,
  );
}

const maxPlans = 3;

/** Something to do, from somebody who may ask for it. */
function isOrder({ kind, from, text }: Mail): boolean {
  const isBidden = kind === "message" && (from === "lead" || from === "user");
  return isBidden && understandWork(text).some(({ type }) => type !== "wait");
}

/** The task that the last plan was for, if it was for one. */
function plannedTask({ done, mail }: Stage): Mail | undefined {
  const plan = done.findLast(({ name }) => name === "plan_approval");
  const id = taskOfPlan(JSON.stringify(plan?.input));
  return mail.findLast(({ kind, task_id }) => kind === "task_assignment" && task_id === id);
}

/** An answer is marked as one, so that two players do not answer each other for ever. */
const answerMark = "Re: ";
const maxAnswers = 3;

function* answerPeer(stage: Stage, { from, text }: Mail): Play<Told> {
  const note = `${from} wrote: "${shortly(text, 200)}"`;
  const isPeer = from !== "system" && from !== "outside";
  const answers = stage.done.filter(({ name }) => name === "send_message").length;
  if (!isPeer || text.startsWith(answerMark) || answers >= maxAnswers) return told(note);
  const content = `${answerMark}Hello ${from}, ${selfOf(stage)} has read your message.`;
  const sent = yield* stage.call("send_message", { to: from, content });
  return sent.is_error
    ? failed(`I could not answer ${from}`, sent)
    : told(`${note} I have answered.`);
}
