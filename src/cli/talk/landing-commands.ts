import { TeamError } from "../../errors.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { decidedLines, decideLandings, type LandingsToDecide } from "../decide-landings.ts";
import { findLandings } from "../find-landings.ts";
import { broughtLines, decisionSteps, listLandings, listLines } from "../landings-text.ts";
import { renderLanding, waitsForPerson } from "../render/landing.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/changes [<name>]`: the work of all members, or what that of one changes, as a text to look through. */
export async function runChanges(name: string, { io, teamDir }: Talk): Promise<TalkReply> {
  const view = await io.viewTeam(teamDir);
  if (name === "") return shown(listLines(await listLandings(view), "/"));
  const [landing] = (await findLandings(view, name)).slice(-1);
  if (!landing) return shown([]);
  const changes = await view.landingChanges(landing.id);
  return {
    type: "text",
    title: `the work of ${landing.member}`,
    part: (format) => [
      ...renderLanding(changes, { ...format, texts: true }),
      "",
      ...decisionSteps(landing, "/"),
    ],
  };
}

/** `/land`: brings what has landed to the person's branch. `/land alice` and `/land all` let work land. */
export async function runLand(name: string, { io, teamDir, workspace }: Talk): Promise<TalkReply> {
  const view = await io.viewTeam(teamDir);
  if (name === "") {
    const brought = await view.bringLanded(workspace);
    if (brought.length === 0) {
      return shown(["Nothing has landed yet: /changes shows what there is."]);
    }
    return shown(brought.flatMap((each) => broughtLines(each, "/")));
  }
  const landings =
    name === "all"
      ? (await view.landings()).filter(waitsForPerson)
      : (await findLandings(view, name)).slice(-1);
  return await decide(view, { landings, decision: "land" });
}

/** `/discard <name> [<reason>]`. */
export async function runDiscard(argument: string, { io, teamDir }: Talk): Promise<TalkReply> {
  const [, name = "", why = ""] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  if (name === "") {
    throw new TeamError("usage-wrong", "Whose work is not to land?", {
      hint: "/discard alice, or /discard alice and the reason. /changes lists what there is.",
    });
  }
  const view = await io.viewTeam(teamDir);
  const landings = (await findLandings(view, name)).slice(-1);
  const reason = why === "" ? undefined : why;
  return await decide(view, { landings, decision: "discard", reason });
}

async function decide(view: TeamView, given: LandingsToDecide): Promise<TalkReply> {
  return shown(decidedLines(await decideLandings(view, given), "/"));
}

function shown(lines: string[]): TalkReply {
  return { type: "shown", lines };
}
