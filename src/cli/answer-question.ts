import { TeamError } from "../errors.ts";
import { ruleOf } from "../permissions/persons-question.ts";
import type { TeamRequest } from "../protocol/request.ts";
import type { PersonsAnswer } from "../team/protocols/persons-answer.ts";
import type { Io } from "./command.ts";
import { briefly, pickRequest } from "./pick-request.ts";
import { jsonText } from "./render/json-text.ts";
import { oneLine } from "./render/one-line.ts";

interface GivenAnswer {
  id: string | undefined;
  answer: PersonsAnswer;
  json: boolean;
  teamDir: string | undefined;
}

/** Answers a request that waits for the person, and prints the effect. */
export async function answerQuestion(
  { id, answer, json, teamDir }: GivenAnswer,
  io: Io,
): Promise<number> {
  const view = await io.viewTeam(teamDir);
  const request = pickRequest(await view.requests(), id);
  if (answer.decision === "allow-always") refuseWithoutRule(request);
  const lead = await view.lead();
  await view.answer(request.id, answer);

  if (json) {
    const { id: request_id, type, from } = request;
    const running = lead ? { pid: lead.pid, host: lead.host } : null;
    const { decision } = answer;
    io.out(jsonText({ request_id, type, from, decision, running }, 2));
    return 0;
  }
  io.out(`${answer.decision === "deny" ? "Denied" : "Approved"} ${briefly(request)}`);
  if (answer.decision === "allow-always") {
    io.out(oneLine(`Always allowed: ${ruleOf(request)}`, Number.POSITIVE_INFINITY));
  }
  io.out(lead ? whatFollows(request, answer) : "The answer takes effect when the team runs again.");
  return 0;
}

function whatFollows({ type, from }: TeamRequest, { decision }: PersonsAnswer): string {
  if (decision !== "deny") return `'${from}' continues.`;
  return type === "plan" ? `'${from}' may submit another plan.` : `'${from}' continues without it.`;
}

function refuseWithoutRule(request: TeamRequest): void {
  if (ruleOf(request)) return;
  throw new TeamError("request-refused", "No rule can always allow such calls", {
    hint: `\`troupe approve ${request.id}\` allows this one.`,
  });
}
