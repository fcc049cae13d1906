import { isForPerson, ruleOf } from "../../permissions/persons-question.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { type Command, lookOptions } from "../command.ts";
import { describeCall } from "../render/call.ts";
import { jsonText } from "../render/json-text.ts";
import { indented } from "../render/lines.ts";
import { localTime } from "../render/local-time.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { shown } from "../render/shown.ts";

export const approvals: Command = {
  name: "approvals",
  group: "look",
  summary: "List the requests that wait for your answer, in full",
  parameters: [],
  options: lookOptions,
  examples: [
    {
      call: "troupe approvals",
      does: "what exactly would run, who asks, and the id to answer with",
    },
    {
      call: "troupe approvals --json | jq -r '.waiting[].id'",
      does: "the ids alone, for a script",
    },
  ],

  async run({ json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const team = await view.team();
    const open = await view.requests({ state: "pending" });
    const waiting = open.filter(isForPerson);
    const forLead = open.filter(({ type, to }) => type === "plan" && to === team.lead);

    if (json) {
      const shown = { waiting: waiting.map(asJson), plans_for_lead: forLead.map(asJson) };
      io.out(jsonText(shown, 2));
      return 0;
    }
    if (waiting.length === 0) io.out("No request waits for your answer.");
    const lines = waiting.flatMap((request) => ["", ...approvalLines(request)]).slice(1);
    for (const line of [...lines, ...plansForLead(forLead)]) io.out(line);
    if (waiting.length > 0 && !(await view.lead())) {
      io.out("");
      io.out("The team is not running: answers take effect when it runs again.");
    }
    return 0;
  },
};

function asJson({ id, type, from, to, created_at, subject }: TeamRequest): object {
  return { id, type, from, to, created_at, subject };
}

/** A request to the person: who asks, what exactly, and how to answer. */
function approvalLines(request: TeamRequest): string[] {
  const { id, type, from, created_at } = request;
  const reason = type === "permission" ? request.subject.reason : undefined;
  const rule = ruleOf(request);
  return [
    `${id}  ${type} of ${from}, since ${localTime(new Date(created_at))}`,
    ...indented(whatIsAsked(request), 4),
    ...(reason === undefined ? [] : [`  asked because ${oneLine(reason)}`]),
    `  troupe approve ${id}`,
    ...(rule
      ? [`  troupe approve ${id} --always`, `      allows ${oneLine(rule)} from now on`]
      : []),
    `  troupe deny ${id} --reason "…"`,
  ];
}

/** Plans that the lead decides, for information. */
function plansForLead(requests: readonly TeamRequest[]): string[] {
  if (requests.length === 0) return [];
  return [
    "",
    "For the lead to decide:",
    ...requests.flatMap((request) => [
      `${request.id}  plan of ${request.from}, since ${localTime(new Date(request.created_at))}`,
      ...indented(whatIsAsked(request), 4),
    ]),
  ];
}

/** Long lines are not broken, so that they can be copied. */
const unbroken = 1_000_000;

/** What a request is about, in full. */
export function whatIsAsked({ type, subject }: TeamRequest): string[] {
  if (type === "permission") {
    return describeCall(subject, { width: unbroken, paint: paintFor(false) });
  }
  const text = type === "plan" ? subject.plan : JSON.stringify(subject, null, 2);
  return shown(text).split("\n");
}
