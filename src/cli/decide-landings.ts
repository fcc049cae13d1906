import { isOnItsWay, isUnlanded, type Landing } from "../protocol/landing.ts";
import type { TeamView } from "../team/view/team-view.ts";
import type { Io } from "./command.ts";
import { jsonText } from "./render/json-text.ts";
import { oneLine } from "./render/one-line.ts";

export interface LandingsToDecide {
  landings: readonly Landing[];
  decision: "land" | "discard";
  reason?: string | undefined;
}

interface DecidedLandings extends LandingsToDecide {
  /** Those on which the person's decision was needed. */
  decided: readonly Landing[];
  /** The process that runs the team; undefined while nobody does. */
  lead: Awaited<ReturnType<TeamView["lead"]>>;
}

/** Leaves the person's decision on landings, each about the commit that it has now. */
export async function decideLandings(
  view: TeamView,
  given: LandingsToDecide,
): Promise<DecidedLandings> {
  const { landings, decision, reason } = given;
  const lead = await view.lead();
  const decided = landings.filter((landing) => !isSoAlready(landing, decision));
  for (const { id, commit } of decided) {
    await view.decideLanding({ id, commit, decision, reason });
  }
  return { ...given, decided, lead };
}

/** The end of a command of the shell that has decided. */
export function tellDecided(
  done: DecidedLandings,
  { json, io }: { json: boolean; io: Io },
): number {
  const { decided, decision, lead } = done;
  if (json) {
    const running = lead ? { pid: lead.pid, host: lead.host } : null;
    const list = decided.map(({ id, member, commit }) => ({ id, member, commit, decision }));
    io.out(jsonText({ decided: list, running }, 2));
    return 0;
  }
  for (const line of decidedLines(done, "troupe ")) io.out(line);
  if (decided.length > 0) {
    io.out(
      lead
        ? `The process that runs the team (pid ${lead.pid}) carries it out: troupe changes shows how far it is.`
        : "It is carried out when the team runs again: it is not running.",
    );
  }
  return 0;
}

/** `command` is what the lines that say what to do begin with: `troupe ` or `/`. */
export function decidedLines(
  { landings, decided, decision }: DecidedLandings,
  command: string,
): string[] {
  if (landings.length === 0) return ["Nothing waits for your decision."];
  return landings.map((landing) =>
    oneLine(
      decided.includes(landing) ? decidedText(landing, decision) : soAlready(landing, command),
    ),
  );
}

/** What is over is refused, with the reason, when it is decided. */
function isSoAlready(landing: Landing, decision: "land" | "discard"): boolean {
  const { state } = landing;
  if (decision === "discard") return state === "discarded";
  if (state === "landed") return true;
  return isOnItsWay(landing);
}

function decidedText(landing: Landing, decision: "land" | "discard"): string {
  const { target, ref } = landing;
  return decision === "land"
    ? `${workOf(landing)} may land on ${target}.`
    : `${workOf(landing)} does not land. It is kept as ${ref}.`;
}

function soAlready(landing: Landing, command: string): string {
  const { target, state } = landing;
  if (state === "landed") {
    return `${workOf(landing)} is on ${target} already: ${command}land brings it to your branch.`;
  }
  return isUnlanded(landing)
    ? `${workOf(landing)} is on its way to ${target} already.`
    : `${workOf(landing)} is ${state} already.`;
}

function workOf({ id, member }: Landing): string {
  return `The work of ${member} (landing ${id})`;
}
