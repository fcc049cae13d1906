import { isForPerson } from "../../permissions/persons-question.ts";
import type { Request } from "../../protocol/request.ts";
import { type Command, lookOptions } from "../command.ts";
import { approvalLines, plansForLead } from "../render/approval-lines.ts";
import { jsonText } from "../render/json-text.ts";

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

function asJson({ id, type, from, to, created_at, subject }: Request): object {
  return { id, type, from, to, created_at, subject };
}
