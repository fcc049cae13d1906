import { z } from "zod";
import { jsonText } from "../../lib/json-text.ts";
import type { Act } from "./arrange.ts";
import { isMail, type Mail } from "./happening.ts";
import { reportOf } from "./mail-report.ts";
import { performAll } from "./perform-work.ts";
import { decidePlan } from "./plan-act.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { livingIn, missing, spawn } from "./spawn-act.ts";
import { createTasks, watchTasks } from "./task-act.ts";
import { listed } from "./words.ts";

/** Does one thing, and says in a line what came of it. */
export function* performAct(stage: Stage, act: Act): Play<Told> {
  switch (act.type) {
    case "spawn":
      return yield* spawn(
        stage,
        act.isForTasks ? yield* missing(stage, act.castings) : act.castings,
      );
    case "tell":
      return yield* tell(stage, act);
    case "broadcast":
      return yield* once(stage, "broadcast", { content: act.text });
    case "list-teammates":
      return yield* once(stage, "list_teammates", {});
    case "list-tasks":
      return yield* once(stage, "list_tasks", {});
    case "read-inbox":
      return yield* readInbox(stage, act);
    case "shut-down":
      return yield* shutDown(stage, act.names);
    case "decide-plan":
      return yield* decidePlan(stage, act);
    case "create-tasks":
      return yield* createTasks(stage, act);
    case "work":
      return yield* performAll(stage, act.work);
    case "wait":
      if (act.isForTasks) return yield* watchTasks(stage);
      // However it ends: what came in is told, and what comes later wakes the lead.
      yield* stage.call("wait_for_teammates", {});
      return told("");
  }
}

function* tell(stage: Stage, { to, text }: Extract<Act, { type: "tell" }>): Play<Told> {
  const done = yield* stage.call("send_message", { to, content: text });
  return done.is_error
    ? failed(`${to} could not be told`, done)
    : told(`I have told ${to}: ${text}`);
}

function* once(stage: Stage, name: string, input: Readonly<Record<string, unknown>>): Play<Told> {
  const done = yield* stage.call(name, input);
  return done.is_error ? failed(`${name} failed`, done) : told(done.output);
}

type InboxOrder = Extract<Act, { type: "read-inbox" }>;

/** Mail comes by itself, so the inbox is mostly empty, and what has come is told again. */
function* readInbox(stage: Stage, { from, isForResult }: InboxOrder): Play<Told> {
  const inbox = yield* stage.call("read_inbox", {});
  if (inbox.is_error) return failed("The inbox could not be read", inbox);
  const all = [...stage.mail, ...mailIn(inbox.output)];
  const wanted = all.filter(
    (mail) =>
      (from === undefined || mail.from === from) && (!isForResult || mail.kind === "result"),
  );
  const count = from !== undefined && isForResult ? 1 : maxReports;
  const reports = wanted.flatMap((mail) => reportOf(mail) ?? []).slice(-count);
  if (reports.length === 0) return told(`Nothing has come in${from ? ` from ${from}` : ""} yet.`);
  // It is told here, and not once more behind it.
  while (stage.take((input) => isMail(input) && wanted.includes(input)));
  const state = inbox.output === "[]" ? "Nothing is unread. What has come in" : "What has come in";
  return told(`${state}:\n${reports.map((report) => `- ${report}`).join("\n")}`);
}

const maxReports = 5;

const InboxMail = z.object({
  from: z.string(),
  type: z.string(),
  content: z.string(),
  approve: z.boolean().optional(),
});

/** Of an inbox that is too long only parts are shown, which cannot be read. */
function mailIn(output: string): Mail[] {
  const mail = jsonText(z.array(InboxMail)).safeParse(output);
  return (mail.data ?? []).map(({ from, type: kind, content: text, approve }) => ({
    type: "mail",
    ...{ from, kind, text },
    ...(approve !== undefined && { approve }),
  }));
}

function* shutDown(stage: Stage, names: readonly string[]): Play<Told> {
  let asked = names;
  if (names.length === 0) {
    const roster = yield* stage.call("list_teammates", {});
    asked = livingIn(roster.output);
    if (asked.length === 0) return told("Nobody is there to be shut down.");
  }
  const done = yield* stage.perform(
    ...asked.map((teammate) => ({ name: "shutdown_request", input: { teammate } })),
  );
  const failure = done.find(({ is_error }) => is_error);
  if (failure) return failed("Not everybody could be asked to shut down", failure);
  return told(`I have asked ${listed(asked)} to shut down.`);
}
